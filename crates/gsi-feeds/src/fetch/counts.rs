//! Counts of each feed's requests by result, for the metrics.

use super::Fetched;
use gsi_model::PayloadRefusal;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

const RESULTS: [&str; 3] = ["new", "unchanged", "refused"];

/// Counts by feed and result. After its first request a feed has all [`RESULTS`], so that a first refusal shows as an increase.
/// The reason of a refusal is in the feed's status.
#[derive(Clone, Debug, Default)]
pub struct FetchCounts(Family<[(&'static str, &'static str); 2], Counter>);

impl FetchCounts {
    pub fn count(&self, feed: &'static str, outcome: &Result<Fetched, PayloadRefusal>) {
        let result = match outcome {
            Ok(fetched) if !fetched.not_modified => "new",
            Ok(_) => "unchanged",
            Err(_) => "refused",
        };
        for counted in RESULTS {
            let counter = self.0.get_or_create(&[("feed", feed), ("result", counted)]);
            counter.inc_by(u64::from(counted == result));
        }
    }
}

/// A registered [`Family`] is described only after its first count, which a process that only serves does not have.
impl Collector for FetchCounts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let help = "Files asked for, by feed and by what came: new, unchanged or refused.";
        self.0.encode(encoder.encode_descriptor("gsi_feed_fetches", help, None, self.0.metric_type())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{RefusalCode, Timestamp};
    use prometheus_client::encoding::text::encode_registry;
    use prometheus_client::registry::Registry;

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
        let mut registry = Registry::default();
        registry.register_collector(Box::new(counts));
        let mut text = String::new();
        encode_registry(&mut text, &registry).unwrap();
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
