//! Optional traces, for whoever runs a collector of OpenTelemetry: one span for each tick with one for each of its stages,
//! and one for each slow request. Off unless `traces.endpoint` names a collector; the program never waits for it.
//!
//! The messages are OTLP's JSON over HTTP, written here: OpenTelemetry's own packages would be twenty more to compile and to ship
//! for this one kind of message.

mod layer;
mod message;
mod sending;

use crate::config::{ConfigError, TracesConfig};
pub use layer::TraceLayer;
use std::sync::OnceLock;
use std::time::Duration;
use url::Url;

/// How long the end of the program waits for the last spans to be taken.
const LAST_WORDS: Duration = Duration::from_secs(2);

static SENDER: OnceLock<sending::SpanSender> = OnceLock::new();

impl TracesConfig {
    /// Where spans go, if anywhere.
    pub fn collector(&self) -> Result<Option<Url>, ConfigError> {
        if self.endpoint.is_empty() {
            return Ok(None);
        }
        let wrong = |reason: &str| {
            let example = "http://127.0.0.1:4318";
            ConfigError::Invalid(format!("traces.endpoint: {:?} {reason}; {example} is one", self.endpoint))
        };
        let mut url = Url::parse(&self.endpoint).map_err(|_| wrong("is no address"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(wrong("is no address of HTTP"));
        }
        // As every exporter does it: the kind of what is sent ends the path.
        let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
        url.set_path(&path);
        Ok(Some(url))
    }
}

/// The layer that turns what the rooms tell into spans, if a collector is named.
pub fn layer(config: &TracesConfig) -> anyhow::Result<Option<TraceLayer>> {
    let Some(collector) = config.collector()? else { return Ok(None) };
    if SENDER.get().is_none() {
        let _ = SENDER.set(sending::SpanSender::start(collector)?);
    }
    let slow = Duration::from_millis(config.slow_request_milliseconds);
    Ok(SENDER.get().map(|sender| TraceLayer::new(sender.clone(), slow)))
}

/// Hands over what has not been sent yet.
pub fn finish() {
    if let Some(sender) = SENDER.get() {
        sender.flush(LAST_WORDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_an_address_of_http() {
        let collector = |endpoint: &str| {
            TracesConfig { endpoint: endpoint.to_owned(), slow_request_milliseconds: 0 }.collector()
        };
        assert_eq!(collector("").unwrap(), None);
        for (endpoint, wanted) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://collector.example/otlp/", "https://collector.example/otlp/v1/traces"),
        ] {
            assert_eq!(collector(endpoint).unwrap().unwrap().as_str(), wanted);
        }
        for wrong in ["127.0.0.1:4318", "collector", "grpc://collector:4317", "http://"] {
            let told = collector(wrong).unwrap_err().to_string();
            assert!(told.contains("traces.endpoint") && told.contains("4318 is one"), "{told}");
        }
    }
}
