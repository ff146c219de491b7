//! A running service on a loopback port, over a real store, with a clock that does not advance until it is set.
#![allow(dead_code)]

pub mod client;
pub mod world;

pub use client::{Answer, Connection};
use gsi_api::keys::{self, Grant};
use gsi_api::{LogSink, Service, ServiceSettings, TlsSettings};
use gsi_model::{Clock, HeldClock, RateLimit, Scope, Timestamp};
use gsi_store::{SqliteStore, Store};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

pub struct Rig {
    pub service: Arc<Service>,
    pub store: Arc<dyn Store>,
    pub clock: Arc<HeldClock>,
    pub address: SocketAddr,
    /// A key with all scopes and no limit.
    pub key: String,
    pub log: SharedLog,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[derive(Clone, Default)]
pub struct SharedLog(pub Arc<Mutex<Vec<u8>>>);

impl SharedLog {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for SharedLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The author of changes to keys in these tests.
pub fn note() -> gsi_store::ChangeNote {
    gsi_store::ChangeNote { at: world::at(world::LAST), by: "a test".into() }
}

impl Rig {
    /// The standard world, seven minutes after its last tick.
    pub fn new() -> Rig {
        Rig::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut ServiceSettings)) -> Rig {
        let store = SqliteStore::in_memory().unwrap();
        world::fill(&store);
        let rig = Rig::over(store, change, None);
        rig.service.set_reconstruction(world::reconstruction());
        rig
    }

    /// A service before its first snapshot.
    pub fn empty() -> Rig {
        Rig::over(SqliteStore::in_memory().unwrap(), |_| {}, None)
    }

    pub fn over(
        store: SqliteStore,
        change: impl FnOnce(&mut ServiceSettings),
        tls: Option<TlsSettings>,
    ) -> Rig {
        Rig::over_any(Arc::new(store), change, tls)
    }

    pub fn over_any(
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut ServiceSettings),
        tls: Option<TlsSettings>,
    ) -> Rig {
        let clock = Arc::new(HeldClock::at(world::at(world::LAST).plus(7 * 60)));
        let grant = Grant { rate: None, ..Grant::usual("test", clock.now()) };
        let minted = keys::create(grant, clock.now()).unwrap();
        store.put_key(&minted.record, &crate::support::note()).unwrap();
        let log = SharedLog::default();
        let mut settings = ServiceSettings {
            request_log: LogSink::Writer(Box::new(log.clone())),
            layers: world::layers(),
            ..ServiceSettings::default()
        };
        change(&mut settings);
        let method = serde_json::json!({
            "version": "1.0.0", "digest": "0123456789abcdef", "indicators": [], "series": [], "inactive": [],
            "pillars": { "conflict": 1.0 }, "parameters": { "band_edges": [33.0, 44.0, 50.0, 57.0] },
            "alerts": { "past_days": 45, "past_needed": 20, "rules": {} },
        });
        let service = Service::new(settings, store.clone(), clock.clone(), world::origins(), method).unwrap();
        let (stop, stopped) = oneshot::channel();
        let listener = gsi_api::listen("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let served = service.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.unwrap().block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let shutdown = async { drop(stopped.await) };
                gsi_api::serve(served, listener, tls, shutdown).await.unwrap();
            });
        });
        Rig { service, store, clock, address, key: minted.text, log, stop: Some(stop), thread: Some(thread) }
    }

    pub fn mint(&self, scopes: &[Scope], rate: Option<RateLimit>, expires_at: Option<Timestamp>) -> String {
        let grant = Grant { name: "minted".into(), scopes: scopes.to_vec(), rate, expires_at };
        let minted = keys::create(grant, self.clock.now()).unwrap();
        self.store.put_key(&minted.record, &crate::support::note()).unwrap();
        self.service.refresh_keys().unwrap();
        minted.text
    }

    pub fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    /// Sends one request with the rig's key on a new connection.
    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &[("Authorization", &format!("Bearer {}", self.key))])
    }

    pub fn get_with(&self, target: &str, more: &[(&str, &str)]) -> Answer {
        let authorization = format!("Bearer {}", self.key);
        let mut headers = vec![("Authorization", authorization.as_str())];
        headers.extend_from_slice(more);
        self.ask("GET", target, &headers)
    }

    pub fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        let mut text = format!("{method} {target} HTTP/1.1\r\nHost: test\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        let mut connection = self.connect();
        connection.send(text.as_bytes());
        connection.answer_to(method == "HEAD").unwrap_or_else(|| panic!("no answer to {method} {target}"))
    }

    /// Returns the metrics in the form that their listener writes.
    pub fn metrics(&self) -> String {
        self.service.render_metrics()
    }

    /// Asks the server to stop and waits until it has.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// Waits until the log has a line with this text, and returns the log.
    pub fn log_with(&self, text: &str) -> String {
        loop {
            let log = self.log.text();
            if log.contains(text) {
                return log;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Waits until `done` returns true. The limit is long, because the machine may be busy.
pub fn wait_until(done: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !done() {
        assert!(begun.elapsed().as_secs() < 60, "not within a minute");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
