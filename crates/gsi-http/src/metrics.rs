//! Counters in Prometheus' text form. Labels are bounded: resources, status codes and codes of problems that exist.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Resources that are counted, in the order of their slots.
const ROUTES: [&str; 16] = [
    "overview",
    "pillar",
    "history",
    "pillar_history",
    "explain",
    "events",
    "event",
    "briefings",
    "briefing",
    "summary",
    "feeds",
    "method",
    "key_self",
    "stream",
    "outside",
    "unknown",
];
/// Status codes the service answers with; the last slot is for any other.
const STATUSES: [u16; 18] =
    [200, 204, 304, 400, 401, 403, 404, 405, 406, 413, 414, 429, 431, 500, 503, 301, 308, 0];
/// Upper bounds in microseconds.
const BOUNDS: [u64; 10] = [25, 50, 100, 250, 1_000, 5_000, 25_000, 100_000, 500_000, 2_500_000];

pub struct Metrics {
    requests: [[AtomicU64; STATUSES.len()]; ROUTES.len()],
    durations: [AtomicU64; BOUNDS.len() + 1],
    duration_sum: AtomicU64,
    pub bytes_sent: AtomicU64,
    /// Requests recognised by their bytes.
    pub repeated: AtomicU64,
    pub connections_open: AtomicU64,
    pub connections_total: AtomicU64,
    pub connections_refused: AtomicU64,
    pub connections_timed_out: AtomicU64,
    pub malformed: AtomicU64,
    pub panics: AtomicU64,
    pub tls_failures: AtomicU64,
    pub stream_sent: AtomicU64,
    pub streams_lost_track: AtomicU64,
}

/// Values that are read when asked for.
pub struct Gauges {
    pub snapshot_age: Option<i64>,
    pub log_lost: u64,
    pub keys: usize,
    pub in_flight: usize,
    pub streams: usize,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics {
            requests: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
            durations: std::array::from_fn(|_| AtomicU64::new(0)),
            duration_sum: AtomicU64::new(0),
            bytes_sent: AtomicU64::new(0),
            repeated: AtomicU64::new(0),
            connections_open: AtomicU64::new(0),
            connections_total: AtomicU64::new(0),
            connections_refused: AtomicU64::new(0),
            connections_timed_out: AtomicU64::new(0),
            malformed: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            tls_failures: AtomicU64::new(0),
            stream_sent: AtomicU64::new(0),
            streams_lost_track: AtomicU64::new(0),
        }
    }
}

impl Metrics {
    pub fn request(&self, label: &'static str, status: u16, micros: u64, bytes: u64) {
        let route = ROUTES.iter().position(|r| *r == label).unwrap_or(ROUTES.len() - 1);
        let code = STATUSES.iter().position(|s| *s == status).unwrap_or(STATUSES.len() - 1);
        self.requests[route][code].fetch_add(1, Ordering::Relaxed);
        let bucket = BOUNDS.iter().position(|b| micros <= *b).unwrap_or(BOUNDS.len());
        self.durations[bucket].fetch_add(1, Ordering::Relaxed);
        self.duration_sum.fetch_add(micros, Ordering::Relaxed);
        self.bytes_sent.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn render(&self, gauges: &Gauges) -> String {
        let mut out = String::with_capacity(4096);
        self.render_requests(&mut out);
        let mut one = |name: &str, kind: &str, help: &str, value: String| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed).to_string();
        one("gsi_http_sent_bytes_total", "counter", "Body bytes answered.", n(&self.bytes_sent));
        let repeated = n(&self.repeated);
        one(
            "gsi_http_repeated_total",
            "counter",
            "Requests equal to the one before, byte for byte.",
            repeated,
        );
        one("gsi_http_connections", "gauge", "Open connections.", n(&self.connections_open));
        one("gsi_http_connections_total", "counter", "Connections accepted.", n(&self.connections_total));
        let refused = n(&self.connections_refused);
        one("gsi_http_connections_refused_total", "counter", "Connections over the limit.", refused);
        let late = n(&self.connections_timed_out);
        one(
            "gsi_http_connections_timed_out_total",
            "counter",
            "Connections closed for being idle or slow.",
            late,
        );
        one("gsi_http_malformed_total", "counter", "Requests that were not HTTP.", n(&self.malformed));
        one("gsi_http_panics_total", "counter", "Requests that ended in a fault.", n(&self.panics));
        one("gsi_http_tls_failures_total", "counter", "Failed TLS handshakes.", n(&self.tls_failures));
        one("gsi_http_in_flight", "gauge", "Requests waiting for the store.", gauges.in_flight.to_string());
        one("gsi_http_keys", "gauge", "Keys known.", gauges.keys.to_string());
        one("gsi_http_log_lines_lost_total", "counter", "Log lines not kept.", gauges.log_lost.to_string());
        one("gsi_http_streams", "gauge", "Open streams.", gauges.streams.to_string());
        one("gsi_http_stream_sent_total", "counter", "Writes to streams.", n(&self.stream_sent));
        let lost = n(&self.streams_lost_track);
        one(
            "gsi_http_streams_lost_track_total",
            "counter",
            "Subscribers too slow to be told everything.",
            lost,
        );
        if let Some(age) = gauges.snapshot_age {
            one("gsi_snapshot_age_seconds", "gauge", "Age of the snapshot being served.", age.to_string());
        }
        out
    }

    fn render_requests(&self, out: &mut String) {
        out.push_str(
            "# HELP gsi_http_requests_total Requests answered.\n# TYPE gsi_http_requests_total counter\n",
        );
        for (route, row) in ROUTES.iter().zip(&self.requests) {
            for (status, count) in STATUSES.iter().zip(row) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let _ = writeln!(
                        out,
                        "gsi_http_requests_total{{resource=\"{route}\",status=\"{status}\"}} {count}"
                    );
                }
            }
        }
        let name = "gsi_http_request_duration_seconds";
        let _ = writeln!(out, "# HELP {name} Time from request head to answer.\n# TYPE {name} histogram");
        let mut total = 0;
        for (bound, count) in BOUNDS.iter().zip(&self.durations) {
            total += count.load(Ordering::Relaxed);
            let _ = writeln!(out, "{name}_bucket{{le=\"{}\"}} {total}", *bound as f64 / 1e6);
        }
        total += self.durations[BOUNDS.len()].load(Ordering::Relaxed);
        let sum = self.duration_sum.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {total}\n{name}_sum {sum}\n{name}_count {total}");
    }
}
