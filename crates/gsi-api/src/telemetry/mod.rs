//! Telemetry for operators: the request log and the metrics.

pub(crate) mod log;
pub(crate) mod metrics;
