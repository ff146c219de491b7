//! The program's own log: readable sentences with fields, on stderr. Requests have a log of their own.

use crate::config::LogConfig;
use tracing_subscriber::EnvFilter;

pub fn start(log: &LogConfig) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&log.level)
        .map_err(|e| crate::config::ConfigError::Invalid(format!("log.level: {e}")))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start in one process (tests) keeps the first subscriber.
    let _ = match log.format.as_str() {
        "json" => builder.json().try_init(),
        _ => builder.with_target(false).try_init(),
    };
    Ok(())
}
