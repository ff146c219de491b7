//! Scores become pillars, the composite, alerts and the published snapshot, with the explanation of each change.

pub(crate) mod alerts;
pub(crate) mod attribution;
pub(crate) mod closes;
pub(crate) mod compose;
#[cfg(test)]
mod golden;
pub(crate) mod publish;
pub(crate) mod record;
pub(crate) mod snapshot;
pub(crate) mod state;
