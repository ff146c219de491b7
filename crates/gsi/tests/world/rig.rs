//! A whole service in one process: simulated publishers, the pipeline, the store and the interface, on a held clock.

use gsi_api::keys::{self, Grant};
use gsi_api::{LogSink, Service, ServiceSettings};
use gsi_feeds::{Connector, Fetcher, FetcherSettings};
use gsi_index::Method;
use gsi_model::{Clock, FeedState, HeldClock, Timestamp};
use gsi_pipeline::{Pipeline, PipelineParts};
use gsi_sim::{SimServer, World, WorldSettings};
use gsi_store::{SqliteStore, Store};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Everything that was written to a log.
#[derive(Clone, Default)]
pub struct Heard(pub Arc<Mutex<Vec<u8>>>);

impl Heard {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).expect("a log is text")
    }
}

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub struct Rig {
    pub clock: Arc<HeldClock>,
    pub store: Arc<dyn Store>,
    pub requests: Heard,
    pipeline: Pipeline,
    address: SocketAddr,
    key: String,
    runtime: tokio::runtime::Runtime,
    stop: Option<oneshot::Sender<()>>,
    server: Option<std::thread::JoinHandle<()>>,
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (n, value) = line.split_once(": ")?;
            n.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

/// A simulated world whose publishers answer for the time of the clock.
pub fn world(settings: WorldSettings, clock: &Arc<HeldClock>) -> SimServer {
    SimServer::start(Arc::new(World::new(settings)), clock.clone()).unwrap()
}

impl Rig {
    /// The service on publishers below `base`, before the first fetch.
    pub fn new(clock: &Arc<HeldClock>, base: &str, connectors: Vec<Arc<dyn Connector>>) -> Rig {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().unwrap());
        Rig::over(store, Method::default_text(), clock, base, connectors)
    }

    /// The service on a store that may have a past, with another catalogue.
    pub fn over(
        store: Arc<dyn Store>,
        catalogue: &str,
        clock: &Arc<HeldClock>,
        base: &str,
        connectors: Vec<Arc<dyn Connector>>,
    ) -> Rig {
        let settings = FetcherSettings {
            connect_timeout: Duration::from_secs(5),
            total_timeout: Duration::from_secs(60),
            ..FetcherSettings::simulated(base.parse().unwrap())
        };
        let fetcher = Arc::new(Fetcher::new(settings).unwrap());
        let feeds = connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
        let method = Arc::new(Method::load(catalogue, &feeds).unwrap());
        let grant = Grant { rate: None, ..Grant::usual("test", clock.now()) };
        let minted = keys::create(grant, clock.now()).unwrap();
        store
            .put_key(
                &minted.record,
                &gsi_store::ChangeNote { at: minted.record.created_at, by: "a test".into() },
            )
            .unwrap();
        let requests = Heard::default();
        let settings = ServiceSettings {
            request_log: LogSink::Writer(Box::new(requests.clone())),
            ..ServiceSettings::default()
        };
        let origins = connectors.iter().map(|c| c.origin().clone()).collect();
        let service =
            Service::new(settings, store.clone(), clock.clone(), origins, method.document()).unwrap();
        let published = service.clone();
        let publish = Box::new(move |p: &gsi_pipeline::Publication<'_>| {
            if let Some((snapshot, summary)) = p.snapshot {
                published.publish(snapshot, summary).unwrap();
            }
            published.set_feeds(p.feeds.clone());
            published.set_waiting(p.waiting.iter().map(ToString::to_string).collect());
        });
        let parts = PipelineParts {
            store: store.clone(),
            connectors,
            fetcher,
            method,
            clock: clock.clone(),
            simulated: true,
            line: None,
            publish,
        };
        let pipeline = Pipeline::open(parts).unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
            runtime.unwrap().block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                gsi_api::serve(service, listener, None, async { drop(stopped.await) }).await.unwrap();
            });
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Rig {
            clock: clock.clone(),
            store,
            requests,
            pipeline,
            address,
            key: minted.text,
            runtime,
            stop: Some(stop),
            server: Some(server),
        }
    }

    /// Sets the clock to `tick` and does the tick.
    pub fn tick(&mut self, tick: Timestamp) -> gsi_pipeline::TickReport {
        self.try_tick(tick).expect("a tick is done whatever the feeds do")
    }

    pub fn try_tick(
        &mut self,
        tick: Timestamp,
    ) -> Result<gsi_pipeline::TickReport, gsi_pipeline::PipelineError> {
        self.clock.set(tick);
        self.runtime.block_on(self.pipeline.tick(tick))
    }

    /// The last tick that need not be done again.
    pub fn done(&self) -> Option<Timestamp> {
        self.pipeline.done()
    }

    /// Ticks from `from` to `to`, `every` seconds apart; news files between them are fetched as well.
    pub fn run(&mut self, from: Timestamp, to: Timestamp, every: i64) {
        let mut tick = from;
        while tick <= to {
            self.tick(tick);
            tick = tick.plus(every);
        }
    }

    pub fn get(&self, path: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let key = &self.key;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a whole answer");
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub fn feed(&self, name: &str) -> FeedState {
        self.store.feed_states().unwrap().into_iter().find(|s| s.feed == name).unwrap_or_default()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}
