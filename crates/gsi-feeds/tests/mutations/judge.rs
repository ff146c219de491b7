//! The properties that every decoder has for any input. The guided fuzzer checks them with this file as well.

use gsi_feeds::{Connector, Payload};
use gsi_model::{Decoded, PayloadRefusal, RefusalCode, Timestamp};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Some decoders give every day between two dates a value. This is a century of days in two series, more than any decoder may
/// produce without a byte of input for each further value.
const FILLED: usize = 75_000;

/// Returns a time after all dates in the seeds.
fn fetched_at() -> Timestamp {
    "2026-11-15T00:00:00Z".parse().expect("a time")
}

pub fn decode(connector: &Arc<dyn Connector>, name: &str, bytes: &[u8]) -> Result<Decoded, PayloadRefusal> {
    connector.decode(&Payload::new(name, bytes, fetched_at()))
}

pub fn check(connector: &Arc<dyn Connector>, name: &str, bytes: &[u8], what: &str) {
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| decode(connector, name, bytes)));
    let outcome = outcome.unwrap_or_else(|_| panic!("{what}: the decoder panicked"));
    match outcome {
        Ok(decoded) => {
            assert!(decoded.is_balanced(), "{what}: {} seen, {decoded:?}", decoded.seen);
            let (values, bytes) = (decoded.observations.len(), bytes.len());
            assert!(values <= FILLED + bytes, "{what}: a flood of {values} values from {bytes} bytes");
            for o in &decoded.observations {
                assert!(o.value.is_finite() && o.period_start < o.period_end, "{what}: {o:?}");
                assert!(o.known_at <= fetched_at(), "{what}: {o:?}");
            }
            for row in &decoded.rows {
                let texts = [row.url.as_str(), &row.actor1.name, &row.actor2.name, &row.code];
                let place = row.geo.as_ref().map(|g| g.name.as_str());
                for text in texts.into_iter().chain(place) {
                    assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'), "{what}: {text:?}");
                    assert!(text.len() <= gsi_model::text::MAX_URL, "{what}");
                }
            }
        }
        Err(refusal) => {
            let strange = matches!(refusal.code, RefusalCode::Panic | RefusalCode::Other);
            assert!(!strange, "{what}: {refusal}");
        }
    }
}
