//! Scores become alerts: the public rules, the rules that an operator sets for a hook, and the messages to hooks.
//!
//! Pure: the alerts after a tick are a function of what the tick published and of the alerts before it.

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
