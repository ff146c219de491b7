//! The conformance suite of all backends. A new backend implements [`Backend`] and calls [`run`].
//!
//! Compiled with the feature `conformance` only. Each case starts with an empty store and panics with its name if the store
//! misbehaves.

mod access;
mod alerts;
mod corrections;
mod data;
mod events;
mod lead;
mod paging;
mod prune;
pub mod sample;
mod ticks;

use crate::LedStore;

/// A source of stores for the suite.
pub trait Backend {
    /// A new, empty store.
    fn fresh(&mut self) -> Box<dyn LedStore>;
    /// Another handle on the data of the last fresh store, like that of a second process or after a restart.
    fn reopen(&mut self) -> Box<dyn LedStore>;
}

type Case = (&'static str, fn(&mut dyn Backend));

const GROUPS: [&[Case]; 9] = [
    ticks::CASES,
    data::CASES,
    events::CASES,
    paging::CASES,
    access::CASES,
    lead::CASES,
    corrections::CASES,
    prune::CASES,
    alerts::CASES,
];

/// Runs every case against the backend.
pub fn run(backend: &mut dyn Backend) {
    for (name, case) in GROUPS.into_iter().flatten() {
        println!("store conformance: {name}");
        case(backend);
    }
}

/// The variant of an error, for tables of expectations.
fn kind<T: std::fmt::Debug>(result: crate::Result<T>) -> &'static str {
    use crate::StoreError as E;
    match result {
        Ok(_) => "ok",
        Err(E::TickDone(_)) => "tick_done",
        Err(E::Conflict(_)) => "conflict",
        Err(E::Refused(_)) => "refused",
        Err(E::Full(_)) => "full",
        Err(E::Fenced(_)) => "fenced",
        Err(E::Unavailable(_)) => "unavailable",
        Err(E::Overloaded(_)) => "overloaded",
        Err(E::Corrupt(_)) => "corrupt",
        Err(E::Pruned { .. }) => "pruned",
    }
}
