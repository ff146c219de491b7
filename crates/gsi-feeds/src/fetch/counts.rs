//! Counts of each feed's requests by result, for the metrics.

use super::Fetched;
use gsi_model::PayloadRefusal;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

const RESULTS: [&str; 3] = ["new", "unchanged", "refused"];

/// Counts by feed, in the order of [`RESULTS`]. After its first request a feed has all three, so that a first refusal shows as
/// an increase. The reason of a refusal is in the feed's status.
#[derive(Debug, Default)]
pub struct FetchCounts(Mutex<BTreeMap<&'static str, [u64; 3]>>);

impl FetchCounts {
    pub fn count(&self, feed: &'static str, outcome: &Result<Fetched, PayloadRefusal>) {
        let result = match outcome {
            Ok(fetched) if !fetched.not_modified => 0,
            Ok(_) => 1,
            Err(_) => 2,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(feed).or_default()[result] += 1;
    }

    /// Writes the counts in Prometheus' text format.
    pub fn metrics(&self) -> String {
        let mut out =
            "# HELP gsi_feed_fetches_total Files asked for, by feed and by what came: new, unchanged or \
                       refused.\n# TYPE gsi_feed_fetches_total counter\n"
                .to_owned();
        for (feed, counts) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            for (result, count) in RESULTS.iter().zip(counts) {
                // Writing to a `String` does not fail.
                let _ =
                    writeln!(out, "gsi_feed_fetches_total{{feed=\"{feed}\",result=\"{result}\"}} {count}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{RefusalCode, Timestamp};

    #[test]
    fn results_are_counted_by_feed() {
        let counts = FetchCounts::default();
        let fetched = |not_modified| Fetched {
            bytes: bytes::Bytes::new(),
            etag: None,
            last_modified: None,
            modified_at: None,
            fetched_at: Timestamp::from_unix(0),
            not_modified,
            partial: false,
        };
        counts.count("oil", &Ok(fetched(false)));
        counts.count("oil", &Ok(fetched(false)));
        counts.count("oil", &Ok(fetched(true)));
        counts.count("kev", &Err(PayloadRefusal::new(RefusalCode::Timeout, "too late")));
        let text = counts.metrics();
        for line in [
            "gsi_feed_fetches_total{feed=\"oil\",result=\"new\"} 2",
            "gsi_feed_fetches_total{feed=\"oil\",result=\"unchanged\"} 1",
            "gsi_feed_fetches_total{feed=\"oil\",result=\"refused\"} 0",
            "gsi_feed_fetches_total{feed=\"kev\",result=\"refused\"} 1",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in {text}");
        }
    }
}
