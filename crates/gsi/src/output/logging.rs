//! The program's log on stderr: sentences with fields. Requests have a separate log. A line that cannot be written is lost, because
//! the reader of the log may have ended.

use crate::config::{ConfigError, LogConfig, LogFormat};
use std::io::IsTerminal;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts the log.
pub fn start(log: &LogConfig) -> Result<(), ConfigError> {
    let filter = read_filter(&log.level)?;
    // Otherwise a failed write would be reported on stderr, and that panics when stderr is what failed.
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .log_internal_errors(false);
    let lines = match log.format {
        LogFormat::Json => lines.json().with_filter(filter).boxed(),
        LogFormat::Text => lines.with_target(false).with_filter(filter).boxed(),
    };
    // The second start in a process (in tests) keeps the first subscriber.
    let _ = tracing_subscriber::registry().with(lines).try_init();
    Ok(())
}

/// Reads a level for everything, levels for parts of the program, or both: `info,gsi_feeds=debug`.
fn read_filter(text: &str) -> Result<Targets, ConfigError> {
    let refuse = |part: &str| {
        let wanted =
            "use error, warn, info, debug or trace, and for one part of the program info,gsi_feeds=debug";
        ConfigError::Invalid(format!("log.level: {part:?} is not a level; {wanted}"))
    };
    let mut filter = Targets::new();
    for part in text.split(',').map(str::trim) {
        let (target, level) = part.split_once('=').unwrap_or(("", part));
        let level = match level.trim() {
            "" => None,
            level => level.parse::<LevelFilter>().ok(),
        };
        filter = match (target.trim(), level) {
            (_, None) => return Err(refuse(part)),
            ("", Some(level)) => filter.with_default(level),
            (target, Some(level)) => filter.with_target(target, level),
        };
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::read_filter;
    use tracing_subscriber::filter::LevelFilter;

    #[test]
    fn a_level_is_for_everything_or_for_a_part() {
        let filter = read_filter("info, gsi_feeds=debug").unwrap();
        assert_eq!(filter.default_level(), Some(LevelFilter::INFO));
        assert!(filter.would_enable("gsi_feeds::fetch", &tracing::Level::DEBUG));
        assert!(!filter.would_enable("gsi_api", &tracing::Level::DEBUG));
        for wrong in ["", "inof", "info,", "gsi_feeds=", "gsi_feeds=loud", "info,gsi_feeds"] {
            assert!(read_filter(wrong).is_err(), "{wrong}");
        }
    }
}
