//! Alerts, and the hooks that deliver them.

pub(crate) mod alert;
pub(crate) mod hook;
