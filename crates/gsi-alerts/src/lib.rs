//! Scores become alerts: the rules that everybody gets, the rules that an operator sets for a hook, and what a hook is told.
//!
//! Pure: what is on alert after a tick follows from what the tick published and from what was on alert before it.

#![cfg_attr(
    not(test),
    warn(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::iter_over_hash_type,
        clippy::unwrap_used
    )
)]

mod headline;
mod message;
mod own_rule;
mod reading;
mod rules;
mod watch;
mod when;

#[cfg(test)]
mod tests;

pub use message::{HookNews, alert_document, messages_to};
pub use own_rule::OwnRule;
pub use reading::{RuleReading, ScoresThen};
pub use rules::AlertMethod;
pub use watch::{BandEdges, TickView, advance};
pub use when::WhenError;
