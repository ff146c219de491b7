//! Metrics in Prometheus' text format, in one registry for the whole program. Labels are bounded: endpoints, feeds, and
//! status codes.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper bounds of the histogram in seconds: prepared answers take microseconds, the store milliseconds.
const BOUNDS: [f64; 10] = [0.000025, 0.00005, 0.0001, 0.00025, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/// The same for ticks, which mostly wait for publishers and may take a minute.
const TICK_BOUNDS: [f64; 9] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 60.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    resource: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct FeedLabels {
    pub feed: &'static str,
}

/// A gauge of a decimal number.
pub type F64Gauge = Gauge<f64, AtomicU64>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct PillarLabels {
    pub pillar: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct SubjectLabels {
    pub subject: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RuleLabels {
    pub rule: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CountryLabels {
    pub country: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct BuildLabels {
    pub version: &'static str,
    pub method: String,
}

/// A gauge that may have no value.
pub type Maybe<G> = Family<[(&'static str, &'static str); 0], G>;

/// Declares each metric once: field, type, name and help. The names of counters get the ending `_total`.
macro_rules! metrics {
    ($($field:ident: $kind:ty = $make:expr, $name:literal, $help:literal;)*) => {
        pub struct HttpMetrics {
            registry: Mutex<Registry>,
            $(pub $field: $kind,)*
        }

        impl HttpMetrics {
            pub(crate) fn new() -> Self {
                let mut registry = Registry::default();
                $(let $field: $kind = $make;
                registry.register($name, $help, $field.clone());)*
                HttpMetrics { registry: Mutex::new(registry), $($field,)* }
            }
        }
    };
}

metrics! {
    requests: Family<RequestLabels, Counter> = Family::default(), "gsi_http_requests", "Requests answered";
    durations: Histogram = Histogram::new(BOUNDS), "gsi_http_request_duration_seconds", "Time from request head to answer";
    bytes_sent: Counter = Counter::default(), "gsi_http_sent_bytes", "Body bytes answered";
    connections_open: Gauge = Gauge::default(), "gsi_http_connections", "Open connections";
    connections_total: Counter = Counter::default(), "gsi_http_connections", "Connections accepted";
    connections_refused: Counter = Counter::default(), "gsi_http_connections_refused", "Connections over the limit";
    connections_timed_out: Counter = Counter::default(), "gsi_http_connections_timed_out", "Connections closed for being idle or slow";
    malformed: Counter = Counter::default(), "gsi_http_malformed", "Requests that were not HTTP";
    panics: Counter = Counter::default(), "gsi_http_panics", "Requests that ended in a fault";
    tls_failures: Counter = Counter::default(), "gsi_http_tls_failures", "Failed TLS handshakes";
    in_flight: Gauge = Gauge::default(), "gsi_http_in_flight", "Requests waiting for the store";
    keys: Gauge = Gauge::default(), "gsi_http_keys", "Keys known";
    connections_evicted: Counter = Counter::default(), "gsi_http_connections_evicted", "Silent connections closed to make room";
    log_left_out: Counter = Counter::default(), "gsi_http_log_lines_left_out", "Refusals without a key beyond those logged each second";
    log_lost: Counter = Counter::default(), "gsi_http_log_lines_lost", "Log lines not kept";
    streams: Gauge = Gauge::default(), "gsi_http_streams", "Open streams";
    stream_sent: Counter = Counter::default(), "gsi_http_stream_sent", "Writes to streams";
    streams_lost_track: Counter = Counter::default(), "gsi_http_streams_lost_track", "Subscribers too slow to be told everything";
    score: Maybe<F64Gauge> = Family::default(), "gsi_score", "The composite being served";
    pillar_score: Family<PillarLabels, F64Gauge> = Family::default(), "gsi_pillar_score", "A pillar's score";
    pillar_coverage: Family<PillarLabels, F64Gauge> = Family::default(), "gsi_pillar_coverage_ratio", "Share of a pillar's weight with fresh data";
    coverage: Maybe<F64Gauge> = Family::default(), "gsi_coverage_ratio", "Share of the method's weight with fresh data";
    confidence: Maybe<F64Gauge> = Family::default(), "gsi_confidence_ratio", "How far the composite can be trusted";
    on_alert: Family<SubjectLabels, Gauge> = Family::default(), "gsi_on_alert", "The composite or a pillar is on alert";
    alerts_active: Family<RuleLabels, Gauge> = Family::default(), "gsi_alerts_active", "Alerts that are on, by rule";
    country_score: Family<CountryLabels, F64Gauge> = Family::default(), "gsi_country_score", "A country's score, where it has one";
    build_info: Family<BuildLabels, Gauge> = Family::default(), "gsi_build_info", "The program and its method";
    tick_durations: Histogram = Histogram::new(TICK_BOUNDS), "gsi_tick_duration_seconds", "Time from asking the publishers to the commit of a tick";
    tick_lateness: Maybe<Gauge> = Family::default(), "gsi_tick_lateness_seconds", "How long after its time this replica's last tick was done";
    resident_bytes: Maybe<Gauge> = Family::default(), "process_resident_memory_bytes", "Memory in use";
    open_files: Maybe<Gauge> = Family::default(), "process_open_fds", "Open files and sockets";
    snapshot_age: Maybe<Gauge> = Family::default(), "gsi_snapshot_age_seconds", "Age of the snapshot being served";
    snapshot_tick: Maybe<Gauge> = Family::default(), "gsi_snapshot_tick_seconds", "The tick being served";
    store_up: Gauge = Gauge::default(), "gsi_store_up", "The store answers";
    leader: Gauge = Gauge::default(), "gsi_leader", "This replica does the ticks";
    leader_number: Gauge = Gauge::default(), "gsi_leader_number", "The fencing number it does them under";
    ticks: Counter = Counter::default(), "gsi_ticks", "Ticks done by this replica";
    snapshots_taken_over: Counter = Counter::default(), "gsi_snapshots_taken_over", "Snapshots made by another replica";
    clock_error: Gauge = Gauge::default(), "gsi_clock_error_seconds", "This machine's clock minus the store's";
    standby_up: Maybe<Gauge> = Family::default(), "gsi_standby_up", "The standby that lists are read from answers";
    standby_lag: Maybe<F64Gauge> = Family::default(), "gsi_standby_lag_seconds", "Its replay lag, by its own account";
    standby_behind: Maybe<Gauge> = Family::default(), "gsi_standby_ticks_behind", "Ticks that it does not show yet";
    feed_age: Family<FeedLabels, Gauge> = Family::default(), "gsi_feed_age_seconds", "Age of a feed's newest content";
    feed_stale: Family<FeedLabels, Gauge> = Family::default(), "gsi_feed_stale", "The feed's content is older than its budget, or there never was any";
}

impl HttpMetrics {
    pub(crate) fn count_request(&self, resource: &'static str, status: u16, elapsed: Duration, bytes: u64) {
        self.requests.get_or_create(&RequestLabels { resource, status }).inc();
        self.durations.observe(elapsed.as_secs_f64());
        self.bytes_sent.inc_by(bytes);
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn render(&self) -> String {
        let mut out = String::with_capacity(8192);
        // Writing to memory does not fail.
        let _ = encode_registry(&mut out, &self.registry());
        to_prometheus(&out)
    }
}

/// Converts OpenMetrics, which is all that the registry writes, to Prometheus' text format. There a counter's description
/// has the same name as its samples, which end in `_total`.
fn to_prometheus(open_metrics: &str) -> String {
    let mut out = String::with_capacity(open_metrics.len() + 512);
    let mut help = "";
    for line in open_metrics.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        match words[..] {
            ["#", "HELP", _, text] => help = text,
            ["#", "TYPE", name, kind] => {
                let ending = if kind == "counter" { "_total" } else { "" };
                out.push_str(&format!("# HELP {name}{ending} {help}\n# TYPE {name}{ending} {kind}\n"));
            }
            // Families without labels get empty braces.
            _ => out.push_str(&format!("{}\n", line.replacen("{} ", " ", 1))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_and_samples_have_the_same_name() {
        let metrics = HttpMetrics::new();
        metrics.count_request("overview", 200, Duration::from_micros(60), 7);
        let text = metrics.render();
        for line in [
            "# HELP gsi_http_requests_total Requests answered.",
            "# TYPE gsi_http_requests_total counter",
            "gsi_http_requests_total{resource=\"overview\",status=\"200\"} 1",
            "gsi_http_request_duration_seconds_bucket{le=\"0.00005\"} 0",
            "gsi_http_request_duration_seconds_bucket{le=\"+Inf\"} 1",
            "# TYPE gsi_http_connections gauge",
            "# TYPE gsi_http_connections_total counter",
            "gsi_http_sent_bytes_total 7",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in {text}");
        }
        assert!(!text.contains("gsi_snapshot_age_seconds "), "no value before there is one");
    }
}
