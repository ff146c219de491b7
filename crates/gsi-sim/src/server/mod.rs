//! The HTTP side: one listener on loopback that answers `/{host}/{path}` for every publisher, as of the shared clock.
//!
//! It runs on its own thread with its own runtime, so that a service under test can hold, restart or starve its runtime. A
//! second thread builds the next news files while the clock moves forward.

mod body;
mod delivery;
mod faults;
pub mod tamper;

use crate::publishers;
use crate::world::World;
use body::SimBody;
use delivery::{Delivery, http_date, plain, redirect, wall};
pub use faults::{Fault, Faults, UnknownFault};
use gsi_model::{Clock, DAY, TICK, Timestamp};
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Slots built ahead of the reader.
const PREFETCH: i64 = 6;
/// How far a publisher with a fast clock is ahead.
const CLOCK_AHEAD_SECONDS: i64 = 2 * DAY;
/// Connections that send no head for this long are closed. The clients are tests and one service.
const IDLE: Duration = Duration::from_secs(120);

/// A running server.
pub struct SimServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    world: Arc<World>,
    clock: Arc<dyn Clock>,
    faults: Faults,
    prefetch: SyncSender<Timestamp>,
}

impl SimServer {
    pub fn start(world: Arc<World>, clock: Arc<dyn Clock>) -> io::Result<SimServer> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        // One waiting hint is enough: a newer one makes an older one pointless.
        let (prefetch, hints) = sync_channel(1);
        let shared =
            Arc::new(Shared { world: world.clone(), faults: Faults::new(clock.clone()), clock, prefetch });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let serving = shared.clone();
        let server = std::thread::Builder::new().name("sim-server".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, serving) => {}
                    _ = stopped => {}
                }
            });
        })?;
        let builder = std::thread::Builder::new()
            .name("sim-prefetch".into())
            .spawn(move || build_ahead(&world, &hints))?;
        Ok(SimServer { address, shared, stop: Some(stop), threads: vec![server, builder] })
    }

    /// Returns the base to which the fetcher rewrites addresses.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn faults(&self) -> &Faults {
        &self.shared.faults
    }

    pub fn world(&self) -> &Arc<World> {
        &self.shared.world
    }

    /// Closes every connection and waits for the threads.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for SimServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        let server = self.threads.drain(..).next();
        // The prefetcher ends after the last sender. No request waits for it, so it is not joined.
        if let Some(server) = server {
            let _ = server.join();
        }
    }
}

fn build_ahead(world: &World, hints: &Receiver<Timestamp>) {
    while let Ok(mut slot) = hints.recv() {
        let mut built = 0;
        while built < PREFETCH {
            // A newer hint moves the window.
            if let Ok(newer) = hints.try_recv()
                && newer > slot
            {
                slot = newer;
                built = 0;
            }
            slot = slot.plus(TICK);
            built += 1;
            if world.slots.exists(slot) {
                world.slots.packed(slot);
            }
        }
    }
}

async fn accept(listener: std::net::TcpListener, shared: Arc<Shared>) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let shared = shared.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let response = respond(&shared, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(IDLE)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn respond(shared: &Shared, request: &Request<Incoming>) -> Response<SimBody> {
    let now = shared.clock.now();
    let mut response = answer(shared, request, now);
    // The publishers have the simulated time.
    if let Ok(date) = HeaderValue::from_str(&http_date(now)) {
        response.headers_mut().insert(header::DATE, date);
    }
    response
}

fn answer(shared: &Shared, request: &Request<Incoming>, now: Timestamp) -> Response<SimBody> {
    let (method, uri, world) = (request.method(), request.uri(), &shared.world);
    if method != Method::GET && method != Method::HEAD {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
    }
    let rest = uri.path().strip_prefix('/').unwrap_or("");
    let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let Some((publisher, handler)) = publishers::route(host, path) else {
        return plain(StatusCode::NOT_FOUND, "no such publisher\n");
    };
    let fault = shared.faults.get(publisher).or_else(|| world.timeline.fault(publisher, now));
    let mut as_of = now;
    match fault {
        Some((Fault::NotFound, _)) => return plain(StatusCode::NOT_FOUND, "Not Found\n"),
        Some((Fault::ServerError, _)) => {
            return plain(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error\n");
        }
        Some((Fault::Wall, _)) => return wall(),
        Some((Fault::PrivateRedirect, _)) => return redirect("http://169.254.169.254/latest/meta-data/"),
        Some((Fault::Frozen, since)) => as_of = since.min(now),
        Some((Fault::ClockAhead, _)) => as_of = now.plus(CLOCK_AHEAD_SECONDS),
        _ => {}
    }
    let fault = fault.map(|(f, _)| f);
    let query = uri.query().unwrap_or("");
    let Some(document) = handler(world, &publishers::Request { path, query, as_of, fault }) else {
        return plain(StatusCode::NOT_FOUND, "Not Found\n");
    };
    if publisher == "gdelt"
        && fault.is_none()
        && let Some(slot) = world.slots.newest(as_of)
    {
        let _ = shared.prefetch.try_send(slot);
    }
    let (is_head, seed) = (method == Method::HEAD, world.settings.seed);
    Delivery { uri, headers: request.headers(), is_head, fault, seed }.respond(document)
}
