//! The service as a running whole: the HTTP room on the main runtime, the ticks on a thread of their own.
//!
//! A tick computes for milliseconds at a time; on its own thread it never stands between a reader and an answer.

use crate::config::{Config, LogConfig};
use crate::descriptors;
use crate::hooks::Courier;
use crate::request_log::{LogFile, ReopenFlag};
use crate::results::notice;
use crate::supervise::{self, Supervisor};
use anyhow::{Context, bail};
use gsi_api::{Cors, Limits, LogSink, MetricsExposure, Service};
use gsi_feeds::{Connector, Fetcher};
use gsi_index::{BaselineFile, CountryMethod, Method};
use gsi_model::{Clock, ReconstructedLine};
use gsi_pipeline::{Pipeline, PipelineParts, Publication};
use gsi_store::{LedStore, Replica, Store};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;

/// Says when to stop; cloned into everything that runs.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    pub fn pair() -> (watch::Sender<bool>, Stop) {
        let (sender, receiver) = watch::channel(false);
        (sender, Stop(receiver))
    }

    pub fn asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Holds the calling thread until then.
    pub fn block(&self) {
        while !self.asked() && self.0.has_changed().is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub async fn wait(mut self) {
        // An error means the sender is gone, which is a reason to stop as well.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}

pub fn open_store(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    make_data_folder(config)?;
    gsi_store::open(&config.store_url()).context("cannot open the store")
}

/// The same for whoever serves: a store of an earlier format is brought to the newest.
pub fn open_store_to_serve(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    make_data_folder(config)?;
    announce_upgrade(&config.store_url());
    gsi_store::open_and_upgrade(&config.store_url()).context("cannot open the store")
}

/// Says that a start changes the format of a file, and where it stays as it was.
fn announce_upgrade(url: &str) {
    // A database is copied by its operator; whatever else is wrong with a store is said by whoever opens it.
    if url.starts_with("postgres") {
        return;
    }
    let Ok(format) = gsi_store::format_of(url) else { return };
    if format.found == 0 || format.steps.is_empty() {
        return;
    }
    if let Ok(Some(copy)) = gsi_store::copy_of(url, format.found) {
        let (from, to) = (format.found, format.newest);
        tracing::info!(from, to, copy = %copy.display(), "the store is upgraded, and kept as it was in a copy");
    }
}

fn make_data_folder(config: &Config) -> anyhow::Result<()> {
    std::fs::create_dir_all(&config.data)
        .with_context(|| format!("cannot make the data folder {}", config.data.display()))
}

/// The same for a command that looks at what a service made: it makes neither a folder nor a store where none is.
pub fn existing_store(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let url = existing_url(config)?;
    gsi_store::open(&url).context("cannot open the store")
}

/// The same for a command that works under the rules of the ticks.
pub fn existing_led_store(config: &Config) -> anyhow::Result<Arc<dyn LedStore>> {
    let url = existing_url(config)?;
    gsi_store::open_led(&url).context("cannot open the store")
}

fn existing_url(config: &Config) -> anyhow::Result<String> {
    let url = config.store_url();
    if let Some(path) = url.strip_prefix("sqlite:") {
        let path = std::path::Path::new(path.strip_prefix("//").unwrap_or(path));
        if !path.exists() {
            bail!(
                "there is no store at {}; `gsi serve` or `gsi demo` makes one, and --data says where another is",
                path.display()
            );
        }
    }
    Ok(url)
}

/// The store of a process that may be one of many.
pub fn open_replica(config: &Config) -> anyhow::Result<Replica> {
    make_data_folder(config)?;
    let standby = (!config.read_store.is_empty()).then_some(config.read_store.as_str());
    announce_upgrade(&config.store_url());
    gsi_store::open_replica(&config.store_url(), standby).context("cannot open the store")
}

/// The world of a store that the public feeds fill.
pub const LIVE: &str = "live data";

/// The world of a store whose ticks were computed after the fact.
pub const RECONSTRUCTED: &str = "a reconstruction of the past";

/// A data folder belongs to one world for good: simulated and live records never mix.
pub fn claim_world(store: &dyn Store, world: &str) -> anyhow::Result<()> {
    match store.meta("world")? {
        None => store.set_meta("world", world)?,
        Some(held) if held == world => {}
        Some(held) => bail!("this store holds {held}, not {world}; choose another data folder with --data"),
    }
    Ok(())
}

/// Where the simulated world's beginning is kept in its store.
pub const SIMULATION_START: &str = "simulation.start";

/// Whether the store holds a simulated world.
pub fn is_simulated(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.meta(SIMULATION_START)?.is_some())
}

/// The ticks' own runtime. Feeds are looked at on its workers while the tick thread computes and writes, and
/// may block.
pub fn tick_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("fetch").enable_all().build()
}

/// What `serve` and `demo` have in common.
pub struct Plan {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub connectors: Vec<Arc<dyn Connector>>,
    pub method: Arc<Method>,
    pub simulated: bool,
    /// Other processes may do the ticks.
    pub follows: bool,
}

pub fn active_connectors(config: &Config) -> anyhow::Result<Vec<Arc<dyn Connector>>> {
    let all = gsi_feeds::all_connectors();
    let known = |name: &String| all.iter().any(|c| c.origin().feed == name);
    for name in config.feeds.disabled.iter().chain(&config.feeds.enabled) {
        if !known(name) {
            let names: Vec<_> = all.iter().map(|c| c.origin().feed).collect();
            bail!(crate::config::ConfigError::Invalid(format!(
                "there is no feed `{name}`; there are {}",
                names.join(", ")
            )));
        }
    }
    let wanted = |c: &Arc<dyn Connector>| {
        let origin = c.origin();
        let name = origin.feed.to_owned();
        (origin.default_on || config.feeds.enabled.contains(&name)) && !config.feeds.disabled.contains(&name)
    };
    let active: Vec<_> = all.into_iter().filter(wanted).collect();
    for connector in &active {
        require_key(config, &**connector)?;
    }
    Ok(active)
}

/// Refuses a feed whose publisher asks for a key that the operator has not given.
pub fn require_key(config: &Config, connector: &dyn Connector) -> anyhow::Result<()> {
    if let Some(key) = config.feeds.keys.find_missing(connector.keys()) {
        let feed = connector.origin().feed;
        bail!(crate::config::ConfigError::Invalid(format!("the feed `{feed}` needs `feeds.keys.{key}`")));
    }
    Ok(())
}

/// The catalogue, cut down to the feeds that are on, with the one baseline the configuration names.
pub fn load_method(config: &Config, connectors: &[Arc<dyn Connector>]) -> anyhow::Result<Arc<Method>> {
    let feeds = connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
    let method = Method::load(Method::default_text(), &feeds)?;
    let path = config.method.baseline.as_str();
    if path.is_empty() {
        return Ok(Arc::new(method));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the baseline {path}"))?;
    let baseline = BaselineFile::parse(&text).with_context(|| path.to_owned())?;
    let method = method.with_baseline(&baseline).with_context(|| path.to_owned())?;
    tracing::info!(as_of = baseline.manifest.as_of, digest = baseline.digest, "the baseline is loaded");
    Ok(Arc::new(method))
}

/// The HTTP room, already showing the last published snapshot if there is one.
pub fn open_service(config: &Config, plan: &Plan) -> anyhow::Result<Arc<Service>> {
    let cors = match config.http.cors_origins.as_slice() {
        [] => Cors::Off,
        [any] if any == "*" => Cors::Any,
        origins => Cors::Origins(origins.to_vec()),
    };
    let limits = Limits {
        max_connections: descriptors::fit_connections(config.http.max_connections),
        max_connections_per_address: config.http.max_connections_per_address,
        max_in_flight: config.http.max_in_flight,
        max_streams: config.http.max_streams,
        streams_per_key: config.http.max_streams_per_key,
        idle: Duration::from_secs(config.http.idle_seconds),
        drain: Duration::from_secs(config.http.drain_seconds),
        ..Limits::default()
    };
    let settings = gsi_api::ServiceSettings {
        limits,
        cors,
        public: config.public.settings()?,
        trusted_proxies: gsi_api::TrustedProxies::parse(&config.http.trusted_proxies)?,
        operator_key: config.operator_key()?,
        simulated: plan.simulated,
        follows: plan.follows,
        metrics: if config.metrics.listen.is_empty() {
            MetricsExposure::Loopback
        } else {
            MetricsExposure::Off
        },
        request_log: request_log(&config.log)?,
        assets: crate::dashboard::assets(),
        withheld: gsi_feeds::withheld_series(),
        method_changes: gsi_index::method_changes()?,
        layers: plan.connectors.iter().flat_map(|c| c.layers()).cloned().collect(),
        ..gsi_api::ServiceSettings::default()
    };
    let origins = plan.connectors.iter().map(|c| c.origin().clone()).collect();
    let method = method_document(&plan.method);
    let service = Service::new(settings, plan.store.clone(), plan.clock.clone(), origins, method)?;
    crate::operator_key::watch(config, &service)?;
    Ok(service)
}

/// The method with what is computed beside the composite.
fn method_document(method: &Method) -> serde_json::Value {
    let mut document = method.document();
    document["countries"] = CountryMethod::compiled().document();
    document["alert_rules"] = gsi_alerts::AlertMethod::compiled().document();
    document
}

fn request_log(log: &LogConfig) -> anyhow::Result<LogSink> {
    Ok(match log.requests.as_str() {
        "off" | "" => LogSink::Off,
        "stdout" => LogSink::Stdout,
        "stderr" => LogSink::Writer(Box::new(std::io::stderr())),
        path => {
            let reopen = ReopenFlag::default();
            let file = LogFile::open(Path::new(path), log, reopen.clone())?;
            reopen_on_hangup(reopen)?;
            LogSink::Writer(Box::new(file))
        }
    })
}

/// On a thread of its own, like the other signals.
fn reopen_on_hangup(reopen: ReopenFlag) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listen = move || {
        runtime.block_on(async {
            let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
            while hangup.recv().await.is_some() {
                reopen.store(true, Ordering::Relaxed);
            }
        });
    };
    std::thread::Builder::new().name("hangup".into()).spawn(listen).map(drop)
}

/// `line` is the reconstructed past that scores are compared with; none for a world that has no part in the real past.
pub fn open_pipeline(
    plan: &Plan,
    line: Option<Arc<ReconstructedLine>>,
    fetcher: Arc<Fetcher>,
    publish: Box<dyn Fn(&Publication<'_>) + Send>,
) -> anyhow::Result<Pipeline> {
    Ok(Pipeline::open(PipelineParts {
        store: plan.store.clone(),
        connectors: plan.connectors.clone(),
        fetcher,
        method: plan.method.clone(),
        clock: plan.clock.clone(),
        simulated: plan.simulated,
        line,
        publish,
    })?)
}

/// Who brings messages to hooks, counted among the service's metrics.
pub fn courier(config: &Config, service: &Service) -> anyhow::Result<Arc<Courier>> {
    let courier = Arc::new(Courier::new(config)?);
    let counted = Arc::clone(&courier);
    service.add_metrics(Box::new(move || counted.metrics()));
    Ok(courier)
}

/// Hands every committed tick to the HTTP room.
pub fn publisher(service: Arc<Service>) -> Box<dyn Fn(&Publication<'_>) + Send> {
    Box::new(move |publication| {
        service.count_tick(publication.tick, publication.took);
        service.set_feeds(publication.feeds.clone());
        service.set_waiting(publication.waiting.iter().map(ToString::to_string).collect());
        if let Some((snapshot, summary)) = publication.snapshot
            && let Err(error) = service.publish_newer(snapshot, summary)
        {
            tracing::error!(%error, "the snapshot cannot be shown; the one before it stays");
        }
    })
}

pub fn bind(config: &Config) -> anyhow::Result<TcpListener> {
    bind_to(&config.listen)
}

fn bind_to(address: &str) -> anyhow::Result<TcpListener> {
    gsi_api::listen(address).with_context(|| format!("cannot listen on {address}"))
}

/// Serves until a signal, then lets answers and the tick under way finish. `ticks` runs on its own thread.
pub fn run_until_stopped(
    config: &Config,
    service: Arc<Service>,
    listener: TcpListener,
    ticks: impl FnOnce(Stop) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let (stop_now, stop) = Stop::pair();
    let tls = match (config.tls.certificate.as_str(), config.tls.private_key.as_str()) {
        ("", _) => None,
        (certificate, private_key) => {
            Some(gsi_api::TlsSettings { certificate: certificate.into(), key: private_key.into() })
        }
    };
    let metrics = match config.metrics.listen.as_str() {
        "" => None,
        address => Some(bind_to(address)?),
    };
    // On a single core, handing work between threads only costs.
    let single = std::thread::available_parallelism().is_ok_and(|n| n.get() == 1);
    let runtime = if single {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?
    } else {
        tokio::runtime::Builder::new_multi_thread().enable_all().build()?
    };
    let supervisor = Supervisor::start(stop_now.clone());
    supervisor.end_in_time(stop.clone(), limit_of(config))?;
    listen_for_signals(stop_now.clone())?;
    let ticking = {
        let (stop, stop_all) = (stop.clone(), stop_now.clone());
        std::thread::Builder::new().name("ticks".into()).spawn(move || {
            let done = ticks(stop);
            // Ticks end only when told to, or when they cannot go on: then nothing else should.
            let _ = stop_all.send(true);
            done
        })?
    };
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        if let Some(metrics) = metrics {
            let metrics = tokio::net::TcpListener::from_std(metrics)?;
            tracing::info!(address = %metrics.local_addr()?, "metrics");
            tokio::spawn(gsi_api::serve_metrics(service.clone(), metrics, stop.clone().wait()));
        }
        let served = gsi_api::serve(service, listener, tls, stop.clone().wait()).await;
        let _ = stop_now.send(true);
        served.context("the HTTP service failed")
    });
    let ticked = ticking.join();
    if let Some(thread) = supervisor.dead() {
        bail!("the thread `{thread}` failed, and the service cannot go on without it");
    }
    served?;
    ticked.map_err(|_| anyhow::anyhow!("the tick thread panicked"))?
}

/// What a stop may take at most: the tick under way, or the answers under way where they are given longer.
fn limit_of(config: &Config) -> Duration {
    supervise::END_WITHIN.max(Duration::from_secs(config.http.drain_seconds + 15))
}

/// On a thread of their own: they are heard whatever the others do.
fn listen_for_signals(stop_now: watch::Sender<bool>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listen = move || {
        runtime.block_on(async {
            signalled().await;
            tracing::info!("stopping: answers and the tick under way are finished first");
            let _ = stop_now.send(true);
            signalled().await;
        });
        notice!("gsi: stopped at once");
        std::process::exit(1);
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::HeldClock;
    use gsi_store::SqliteStore;
    use toml::Value;

    fn run(ticks: impl FnOnce(Stop) -> anyhow::Result<()> + Send + 'static) -> anyhow::Result<()> {
        let flags = vec![("listen", Value::String("127.0.0.1:0".into()))];
        let config = Config::load(Vec::new(), None, std::iter::empty(), flags)?;
        let connectors = active_connectors(&config)?;
        let plan = Plan {
            store: Arc::new(SqliteStore::in_memory()?),
            clock: Arc::new(HeldClock::at("2026-11-14T12:00:00Z".parse()?)),
            method: load_method(&config, &connectors)?,
            connectors,
            simulated: true,
            follows: false,
        };
        let service = open_service(&config, &plan)?;
        run_until_stopped(&config, service, bind(&config)?, ticks)
    }

    #[test]
    fn the_methods_document_is_as_the_interface_describes_it() {
        let flags = vec![("listen", Value::String("127.0.0.1:0".into()))];
        let config = Config::load(Vec::new(), None, std::iter::empty(), flags).unwrap();
        let method = load_method(&config, &active_connectors(&config).unwrap()).unwrap();
        let described: gsi_api::MethodBody = serde_json::from_value(method_document(&method)).unwrap();
        assert_eq!(described.version, method.version());
        assert!(described.countries.is_some());
    }

    /// One after the other: a process has one watch.
    #[test]
    fn a_vital_thread_that_panics_ends_the_service_and_is_named() {
        for name in ["keep-lead", "follow", "clock"] {
            let ended = run(move |stop| {
                let thread = std::thread::Builder::new().name(name.into()).spawn(|| panic!("on purpose"))?;
                let _ = thread.join();
                stop.block();
                Ok(())
            });
            assert!(ended.unwrap_err().to_string().contains(name));
        }
        let ended = run(|_| panic!("on purpose"));
        assert!(ended.unwrap_err().to_string().contains("`ticks` failed"));
        // Any other thread may, and who is told to stop ends in peace.
        run(|_| {
            let _ = std::thread::Builder::new().name("fetch".into()).spawn(|| panic!("on purpose"))?.join();
            Ok(())
        })
        .unwrap();
    }
}
