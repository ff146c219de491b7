//! The process of the service: HTTP on the main runtime, ticks on their own thread, signals, and the end.
//!
//! A tick computes for milliseconds at a time. On its own thread it never delays an answer.

mod descriptors;
mod supervise;

pub use descriptors::fit_connections;

use crate::config::Config;
use crate::notice;
use anyhow::{Context, bail};
use gsi_api::Service;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use supervise::Supervisor;
use tokio::sync::watch;

/// Reports when the service has to stop. Everything that runs has a clone.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    pub fn pair() -> (watch::Sender<bool>, Stop) {
        let (sender, receiver) = watch::channel(false);
        (sender, Stop(receiver))
    }

    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Blocks the calling thread until then.
    pub fn block(&self) {
        while !self.is_requested() && self.0.has_changed().is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub async fn wait(mut self) {
        // An error means that the sender was dropped, which is a reason to stop as well.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}

pub fn bind(config: &Config) -> anyhow::Result<TcpListener> {
    bind_to(&config.listen)
}

fn bind_to(address: &str) -> anyhow::Result<TcpListener> {
    gsi_api::listen(address).with_context(|| format!("cannot listen on {address}"))
}

/// Serves until a signal arrives, then finishes the running answers and the running tick. `ticks` runs on its own thread.
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
    // On a single core, a second thread has only costs.
    let single = std::thread::available_parallelism().is_ok_and(|n| n.get() == 1);
    let runtime = if single {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?
    } else {
        tokio::runtime::Builder::new_multi_thread().enable_all().build()?
    };
    let supervisor = Supervisor::start(stop_now.clone());
    supervisor.end_in_time(stop.clone(), stop_limit(config))?;
    listen_for_signals(stop_now.clone())?;
    let ticking = {
        let (stop, stop_all) = (stop.clone(), stop_now.clone());
        std::thread::Builder::new().name("ticks".into()).spawn(move || {
            let done = ticks(stop);
            // Ticks end when a stop was requested, or when they cannot continue; then the service ends too.
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
        bail!("the thread `{thread}` failed, and the service cannot run without it");
    }
    served?;
    ticked.map_err(|_| anyhow::anyhow!("the tick thread panicked"))?
}

/// Maximum time of a stop. It covers the running tick, and the running answers if they may take longer.
fn stop_limit(config: &Config) -> Duration {
    supervise::END_WITHIN.max(Duration::from_secs(config.http.drain_seconds + 15))
}

/// Runs on a dedicated thread, so that signals arrive whatever the other threads do.
fn listen_for_signals(stop_now: watch::Sender<bool>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listen = move || {
        runtime.block_on(async {
            signalled().await;
            tracing::info!("stopping after the running answers and the running tick");
            let _ = stop_now.send(true);
            signalled().await;
        });
        notice!("gsi: stopped immediately");
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
    use crate::service::open_service;
    use crate::setup::{Plan, active_connectors, load_method};
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

    /// One test, because a process has one supervisor.
    #[test]
    fn the_service_ends_and_names_a_vital_thread_that_panics() {
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
        // A panic of any other thread does not end the service.
        run(|_| {
            let _ = std::thread::Builder::new().name("fetch".into()).spawn(|| panic!("on purpose"))?.join();
            Ok(())
        })
        .unwrap();
    }
}
