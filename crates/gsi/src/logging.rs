//! The program's own log: readable sentences with fields, on stderr. Requests have a log of their own. A line that cannot
//! be written is lost and nothing else: whoever read the log may have gone.

use crate::config::LogConfig;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

pub fn start(log: &LogConfig) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&log.level)
        .map_err(|e| crate::config::ConfigError::Invalid(format!("log.level: {e}")))?;
    // Otherwise a failed write is reported on stderr, which panics where stderr is what failed.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .log_internal_errors(false);
    // A second start in one process (tests) keeps the first subscriber.
    let _ = match log.format.as_str() {
        "json" => builder.json().try_init(),
        _ => builder.with_target(false).try_init(),
    };
    Ok(())
}
