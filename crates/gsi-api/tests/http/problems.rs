//! Every refusal is a problem document that helps the client and reveals no internals.

use crate::support::Rig;
use crate::support::client::Answer;
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Problem {
    r#type: String,
    title: String,
    status: u16,
    detail: String,
    instance: String,
    code: String,
    request_id: String,
    #[serde(default)]
    errors: Vec<ParameterProblem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct ParameterProblem {
    parameter: String,
    problem: String,
    allowed: String,
}

fn assert_problem(rig: &Rig, answer: &Answer, status: u16, code: &str, path: &str) {
    assert_eq!(answer.status, status, "{path}: {}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{path}");
    let problem: Problem = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(problem.status, status, "{path}");
    assert_eq!(problem.code, code, "{path}");
    assert_eq!(problem.r#type, format!("/problems/{code}"), "{path}");
    assert_eq!(problem.instance, path);
    assert!(!problem.title.is_empty() && !problem.detail.is_empty());
    assert_eq!(answer.header("x-request-id"), Some(problem.request_id.as_str()));
    assert_eq!(problem.errors.is_empty(), code != "invalid_parameter");
    let order = ["type", "title", "status", "detail", "instance", "code", "request_id"];
    let places: Vec<_> = order.iter().map(|k| answer.text().find(&format!("\"{k}\":")).unwrap()).collect();
    assert!(places.is_sorted());
    for leak in ["src/", ".rs", "SELECT", "panicked", "sqlite", "/work", "/home"] {
        assert!(!answer.text().contains(leak), "{leak} in {}", answer.text());
    }
    if path.starts_with("/v1/") {
        assert_announced_headers(answer, path);
    }
    let page = rig.ask("GET", &problem.r#type, &[]);
    assert_eq!(page.status, 200, "{} resolves without a key", problem.r#type);
    assert!(page.text().contains(code));
}

fn assert_announced_headers(answer: &Answer, path: &str) {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(gsi_api::openapi::document);
    let resolve =
        |value: &Value| DOCUMENT.pointer(value["$ref"].as_str().unwrap().trim_start_matches('#')).unwrap();
    let responses = &DOCUMENT["paths"]["/v1/conflict/{id}"]["get"]["responses"];
    for (name, header) in resolve(&responses[answer.status.to_string()])["headers"].as_object().unwrap() {
        let is_there = answer.header(name).is_some() || resolve(header)["required"] == false;
        assert!(is_there, "{path}: {} lacks {name}", answer.status);
    }
}

#[test]
fn each_code_has_its_status_and_shape() {
    let rig = Rig::new();
    let rows = [
        ("/v1/conflict", "?limit=0", 400, "invalid_parameter"),
        ("/v1/conflict", "?cursor=x", 400, "invalid_cursor"),
        ("/v1/nothing", "", 404, "not_found"),
        ("/v1/", "", 404, "not_found"),
        ("/v1/global-stability/", "", 404, "not_found"),
        ("/v1/conflict/evt_nonsense", "", 404, "not_found"),
        ("/v1/conflict/evt_0123456789ABCDEFGHJKMNPQRS", "", 404, "not_found"),
        ("/v1/briefings/brf_0123456789ABCDEFGHJKMNPQRS", "", 404, "not_found"),
        ("/v1/global-stability/pillar/weather", "", 404, "unknown_pillar"),
        ("/v1/global-stability/pillar/Macro", "", 404, "unknown_pillar"),
        ("/v1/global-stability/pillar/%6dacro", "", 404, "unknown_pillar"),
        ("/v1/global-stability/pillar/weather/history", "", 404, "unknown_pillar"),
        ("/v1/countries/ua", "", 404, "unknown_country"),
        ("/v1/countries/UKR", "", 404, "unknown_country"),
        ("/v1/countries/ZZ/history", "", 404, "unknown_country"),
        ("/v1/countries/%55A/explain", "", 404, "unknown_country"),
        ("/v1/global-stability", "?as_of=2020-01-01T00:00:00Z", 404, "no_snapshot"),
        ("/nothing", "", 404, "not_found"),
        ("/problems/nonsense", "", 404, "not_found"),
    ];
    for (path, query, status, code) in rows {
        let answer = rig.get(&format!("{path}{query}"));
        assert_problem(&rig, &answer, status, code, path);
    }
    let pillar = rig.get("/v1/global-stability/pillar/weather").json();
    for known in ["conflict", "cyber", "supply_chain", "macro"] {
        assert!(pillar["detail"].as_str().unwrap().contains(known));
    }
    let post = rig.ask("POST", "/v1/conflict", &[("Authorization", &format!("Bearer {}", rig.key))]);
    assert_problem(&rig, &post, 405, "method_not_allowed", "/v1/conflict");
    let none = rig.ask("GET", "/v1/conflict", &[]);
    assert_problem(&rig, &none, 401, "missing_credentials", "/v1/conflict");
    let html = rig.get_with("/v1/conflict", &[("Accept", "text/html")]);
    assert_problem(&rig, &html, 406, "not_acceptable", "/v1/conflict");
}

#[test]
fn request_ids_are_logged_and_differ() {
    let rig = Rig::new();
    let a = rig.get("/v1/nothing");
    let b = rig.get("/v1/global-stability");
    let (a, b) = (a.header("x-request-id").unwrap(), b.header("x-request-id").unwrap());
    assert_ne!(a, b);
    rig.log_with(a);
    rig.log_with(b);
}

#[test]
fn the_path_is_escaped_in_the_problem() {
    let rig = Rig::new();
    for path in ["/v1/%22%3Cscript%3E", "/v1/a\"b", "/v1/%00%ff"] {
        let answer = rig.get(path);
        assert!(matches!(answer.status, 404 | 400), "{path}");
        let _ = answer.json();
    }
}

/// A store that fails in ways a test cannot cause in the real one.
pub mod failing {
    use gsi_model::*;
    use gsi_store::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Fails some reads, and delays reads of single events until the gate opens.
    pub struct Broken(pub SqliteStore, pub std::sync::Arc<std::sync::Mutex<()>>, pub std::sync::Arc<Reads>);

    /// Counters of reads, and reads that fail.
    #[derive(Default)]
    pub struct Reads {
        /// The number of reads of the keys' version.
        pub of_keys: AtomicUsize,
        /// The number of further reads of the feeds that fail.
        pub of_feeds_failing: AtomicUsize,
    }

    impl HookStore for Broken {
        fn hooks(&self) -> Result<Vec<KeptHook>> {
            self.0.hooks()
        }
        fn put_hook(&self, hook: &Hook) -> Result<()> {
            self.0.put_hook(hook)
        }
        fn due_deliveries(&self, now: Timestamp) -> Result<Vec<Delivery>> {
            self.0.due_deliveries(now)
        }
        fn note_delivery(
            &self,
            number: i64,
            state: DeliveryState,
            next: Timestamp,
            tries: &[DeliveryTry],
        ) -> Result<()> {
            self.0.note_delivery(number, state, next, tries)
        }
        fn retry_parked(&self, hook: &str) -> Result<u64> {
            self.0.retry_parked(hook)
        }
        fn deliveries(&self, hook: Option<&str>, limit: usize) -> Result<Vec<Delivery>> {
            self.0.deliveries(hook, limit)
        }
    }

    impl TickStore for Broken {
        fn commit_tick(&self, c: &TickCommit) -> Result<()> {
            self.0.commit_tick(c)
        }
        fn ingest(&self, i: &Ingest) -> Result<IngestReport> {
            self.0.ingest(i)
        }
        fn begin_ticks(&self) -> Result<()> {
            self.0.begin_ticks()
        }
        fn pending(&self, most_rows: u64) -> Result<Vec<PendingBatch>> {
            self.0.pending(most_rows)
        }
        fn frontier(&self) -> Result<Option<Frontier>> {
            self.0.frontier()
        }
        fn state_at(&self, t: Timestamp) -> Result<Option<Frontier>> {
            self.0.state_at(t)
        }
        fn observations_in(
            &self,
            scope: &ObservationScope<'_>,
            each: &mut dyn FnMut(Observation),
        ) -> Result<()> {
            self.0.observations_in(scope, each)
        }
        fn slots(
            &self,
            a: Timestamp,
            b: Timestamp,
            k: Timestamp,
            each: &mut dyn FnMut(NewsSlot),
        ) -> Result<()> {
            self.0.slots(a, b, k, each)
        }
        fn rows(&self, a: Timestamp, b: Timestamp, each: &mut dyn FnMut(NewsRow)) -> Result<()> {
            self.0.rows(a, b, each)
        }
        fn row(&self, id: u64) -> Result<Option<NewsRow>> {
            self.0.row(id)
        }
        fn event_versions_active(&self, a: Timestamp, b: Timestamp) -> Result<Vec<EventVersion>> {
            self.0.event_versions_active(a, b)
        }
        fn corrections(&self, t: Option<Timestamp>) -> Result<Vec<Correction>> {
            self.0.corrections(t)
        }
    }

    impl ReadStore for Broken {
        fn published_at(&self, t: Timestamp) -> Result<Option<Published>> {
            self.0.published_at(t)
        }
        fn published_by(&self, t: Timestamp) -> Result<Option<Published>> {
            self.0.published_by(t)
        }
        fn snapshot_by_id(&self, id: &SnapshotId) -> Result<Option<Published>> {
            self.0.snapshot_by_id(id)
        }
        fn snapshots(&self, a: Timestamp, b: Timestamp, each: &mut dyn FnMut(Published)) -> Result<()> {
            self.0.snapshots(a, b, each)
        }
        fn history(&self, _: Option<Pillar>, _: Timestamp, _: Timestamp) -> Result<Vec<HistoryPoint>> {
            panic!("secret detail in /src/store.rs")
        }
        fn countries_at(&self, t: Timestamp) -> Result<Option<CountrySnapshot>> {
            self.0.countries_at(t)
        }
        fn country_history(&self, c: CountryCode, a: Timestamp, b: Timestamp) -> Result<Vec<HistoryPoint>> {
            self.0.country_history(c, a, b)
        }
        fn observations_of(
            &self,
            series: &[&str],
            after: Timestamp,
            t: Timestamp,
            each: &mut dyn FnMut(Observation),
        ) -> Result<()> {
            self.0.observations_of(series, after, t, each)
        }
        fn events(&self, _: &EventQuery) -> Result<Vec<Event>> {
            Err(StoreError::Corrupt("SELECT secret FROM /var/lib/gsi.sqlite".into()))
        }
        fn events_active(&self, a: Timestamp, b: Timestamp) -> Result<Vec<Event>> {
            self.0.events_active(a, b)
        }
        fn event(&self, id: &EventId, t: Timestamp) -> Result<Option<EventRecord>> {
            let _open = self.1.lock();
            self.0.event(id, t)
        }
        fn briefings(&self, _: &BriefingQuery) -> Result<Vec<Briefing>> {
            Err(StoreError::Unavailable("db.internal:5432 refused".into()))
        }
        fn briefing(&self, id: &BriefingId, t: Timestamp) -> Result<Option<Briefing>> {
            self.0.briefing(id, t)
        }
        fn alerts(&self, query: &AlertQuery) -> Result<Vec<Alert>> {
            self.0.alerts(query)
        }
        fn alert(&self, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>> {
            self.0.alert(id, as_of)
        }
        fn alerts_between(&self, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>> {
            self.0.alerts_between(after, until)
        }
        fn correction(&self, of: &BriefingId, t: Timestamp) -> Result<Option<Correction>> {
            self.0.correction(of, t)
        }
        fn feed_states(&self) -> Result<Vec<FeedState>> {
            let fails = &self.2.of_feeds_failing;
            let left = fails.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            if left.is_ok() {
                return Err(StoreError::Unavailable("the feeds cannot be read".into()));
            }
            self.0.feed_states()
        }
    }

    impl KeyStore for Broken {
        fn put_key(&self, key: &ApiKey, note: &ChangeNote) -> Result<()> {
            self.0.put_key(key, note)
        }
        fn keys(&self) -> Result<Vec<ApiKey>> {
            self.0.keys()
        }
        fn keys_version(&self) -> Result<i64> {
            self.2.of_keys.fetch_add(1, Ordering::SeqCst);
            self.0.keys_version()
        }
        fn note_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
            self.0.note_key_uses(uses)
        }
        fn key_audit(&self) -> Result<Vec<KeyAuditEntry>> {
            self.0.key_audit()
        }
        fn add_to_key_audit(&self, action: KeyAction, note: &ChangeNote) -> Result<()> {
            self.0.add_to_key_audit(action, note)
        }
        fn secret(&self, name: &str) -> Result<[u8; 32]> {
            self.0.secret(name)
        }
        fn rotate_secret(&self, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()> {
            self.0.rotate_secret(name, until, note)
        }
        fn previous_secret(&self, name: &str) -> Result<Option<PreviousSecret>> {
            self.0.previous_secret(name)
        }
    }

    impl Store for Broken {
        fn limited(&self, _: &ReadLimit) -> std::sync::Arc<dyn Store> {
            std::sync::Arc::new(Broken(self.0.clone(), self.1.clone(), self.2.clone()))
        }
        fn ask_correction(&self, of: &BriefingId, because: CorrectionReason, t: Timestamp) -> Result<bool> {
            self.0.ask_correction(of, because, t)
        }
        fn pulse(&self) -> Result<Pulse> {
            self.0.pulse()
        }
        fn meta(&self, name: &str) -> Result<Option<String>> {
            self.0.meta(name)
        }
        fn set_meta(&self, name: &str, value: &str) -> Result<()> {
            self.0.set_meta(name, value)
        }
    }
}

#[test]
fn faults_and_panics_are_problems_without_details() {
    let inner = gsi_store::SqliteStore::in_memory().unwrap();
    crate::support::world::fill(&inner);
    let rig = Rig::over_any(
        std::sync::Arc::new(failing::Broken(inner, Default::default(), Default::default())),
        |_| {},
        None,
    );
    let rows = [
        ("/v1/global-stability/history", 500, "internal"),
        ("/v1/conflict", 500, "internal"),
        ("/v1/briefings", 503, "overloaded"),
    ];
    for (path, status, code) in rows {
        let answer = rig.get(path);
        assert_problem(&rig, &answer, status, code, path);
        for leak in ["secret", "/var", "5432", "store.rs"] {
            assert!(!answer.text().contains(leak), "{leak} in {}", answer.text());
        }
    }
    assert_eq!(rig.get("/v1/global-stability").status, 200, "the service continues");
    assert!(rig.metrics().contains("gsi_http_panics_total 1"));
}

/// A read continues after its client disconnects, so it keeps its place. The request is logged and counted.
#[test]
fn a_client_that_disconnects_frees_no_place_and_is_logged() {
    let inner = gsi_store::SqliteStore::in_memory().unwrap();
    crate::support::world::fill(&inner);
    let gate = std::sync::Arc::new(std::sync::Mutex::new(()));
    let store = std::sync::Arc::new(failing::Broken(inner, gate.clone(), Default::default()));
    let rig = Rig::over_any(store, |s| s.limits.max_in_flight = 1, None);
    let target = "/v1/conflict/evt_0123456789ABCDEFGHJKMNPQRS";
    let shut = gate.lock().unwrap();
    let mut impatient = rig.connect();
    impatient.send(
        format!("GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n", rig.key).as_bytes(),
    );
    while !rig.metrics().contains("gsi_http_in_flight 1\n") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(impatient);
    let log = rig.log_with("\"status\":499");
    assert!(log.lines().any(|l| l.contains("\"status\":499") && l.contains(target)), "{log}");
    let refused = rig.get(target);
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert_eq!(rig.get("/v1/global-stability").status, 200, "prepared answers need no place");
    drop(shut);
    while rig.get(target).status != 404 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let metrics = rig.metrics();
    assert!(metrics.contains("gsi_http_requests_total{resource=\"event\",status=\"499\"} 1"), "{metrics}");
}

/// A key waits for its own requests only, and other keys still have readers.
#[test]
fn one_key_cannot_keep_the_store_from_the_others() {
    let inner = gsi_store::SqliteStore::in_memory().unwrap();
    crate::support::world::fill(&inner);
    let gate = std::sync::Arc::new(std::sync::Mutex::new(()));
    let store = std::sync::Arc::new(failing::Broken(inner, gate.clone(), Default::default()));
    // One key gets one of two readers, and four of sixteen waiting places.
    let limits = gsi_api::Limits { store_readers: 2, max_in_flight: 16, ..gsi_api::Limits::default() };
    let rig = Rig::over_any(store, |s| s.limits = limits, None);
    let target = "/v1/conflict/evt_0123456789ABCDEFGHJKMNPQRS";
    let shut = gate.lock().unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n", rig.key);
    let mut greedy: Vec<_> = (0..4)
        .map(|_| {
            let mut connection = rig.connect();
            connection.send(request.as_bytes());
            connection
        })
        .collect();
    while !rig.metrics().contains("gsi_http_in_flight 4\n") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let refused = rig.get(target);
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.text().contains("of this key"), "{}", refused.text());
    assert!(refused.header("retry-after").is_some());
    let other = format!("Bearer {}", rig.mint(&[gsi_model::Scope::All], None, None));
    let as_of =
        format!("/v1/global-stability?as_of={}", crate::support::world::at(crate::support::world::LAST));
    let begun = std::time::Instant::now();
    for _ in 0..3 {
        assert_eq!(rig.ask("GET", &as_of, &[("Authorization", &other)]).status, 200);
    }
    assert!(
        begun.elapsed() < gsi_api::settings::READER_WAIT,
        "the request waited for the other key's requests"
    );
    drop(shut);
    for connection in &mut greedy {
        assert_eq!(connection.answer().unwrap().status, 404);
    }
}
