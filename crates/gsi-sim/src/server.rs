//! The HTTP side: one listener on loopback that answers `/{host}/{path}` for every publisher, as of the shared clock.
//!
//! It runs on its own thread with its own runtime, so that a service under test can hold, restart or starve its own. A
//! second thread builds the coming news files while the clock is being pushed forward.

use crate::body::SimBody;
use crate::faults::{Fault, Faults};
use crate::publishers::{self, Ask, Content, Document, Format};
use crate::slots::hex;
use crate::tamper;
use crate::world::World;
use bytes::Bytes;
use gsi_model::{Clock, DAY, TICK, Timestamp};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use md5::{Digest, Md5};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Slots built ahead of the reader.
const PREFETCH: i64 = 6;
/// How far a publisher with a fast clock is ahead.
const CLOCK_AHEAD_SECONDS: i64 = 2 * DAY;
/// Connections that send nothing are closed; the clients here are tests and one service.
const IDLE: Duration = Duration::from_secs(120);

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

    /// Give this to the fetcher as its rewrite base.
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
        // The prefetcher ends when the last sender is gone; it holds no request up, so it is not waited for.
        if let Some(server) = server {
            let _ = server.join();
        }
    }
}

fn build_ahead(world: &World, hints: &Receiver<Timestamp>) {
    while let Ok(mut slot) = hints.recv() {
        let mut built = 0;
        while built < PREFETCH {
            // A newer hint moves the window on.
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
    let mut response = answer(shared, request.method(), request.uri(), request.headers(), now);
    // The publishers live in the simulated time.
    if let Ok(date) = HeaderValue::from_str(&http_date(now)) {
        response.headers_mut().insert(header::DATE, date);
    }
    response
}

fn answer(
    shared: &Shared,
    method: &Method,
    uri: &hyper::Uri,
    headers: &HeaderMap,
    now: Timestamp,
) -> Response<SimBody> {
    if method != Method::GET && method != Method::HEAD {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
    }
    let rest = uri.path().strip_prefix('/').unwrap_or("");
    let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let Some((publisher, handler)) = publishers::route(host, path) else {
        return plain(StatusCode::NOT_FOUND, "no such publisher\n");
    };
    let fault = shared.faults.get(publisher).or_else(|| shared.world.timeline.fault(publisher, now));
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
    let ask = Ask { path, query: uri.query().unwrap_or(""), as_of, fault };
    let Some(document) = handler(&shared.world, &ask) else {
        return plain(StatusCode::NOT_FOUND, "Not Found\n");
    };
    if publisher == "gdelt"
        && fault.is_none()
        && let Some(slot) = shared.world.slots.newest(as_of)
    {
        let _ = shared.prefetch.try_send(slot);
    }
    deliver(document, fault, uri, headers, method == Method::HEAD, shared.world.settings.seed)
}

fn deliver(
    document: Document,
    fault: Option<Fault>,
    uri: &hyper::Uri,
    headers: &HeaderMap,
    head: bool,
    seed: u64,
) -> Response<SimBody> {
    let spoilt = fault.filter(|f| f.tampers()).map_or("", Fault::name);
    let tag = entity_tag(&format!("{uri} {} {spoilt} {seed}", document.version));
    let Document { format, modified, content, tampered, .. } = document;
    let mut response = Response::new(SimBody::empty());
    let out = response.headers_mut();
    set(out, header::ETAG, &tag);
    if let Some(modified) = modified {
        set(out, header::LAST_MODIFIED, &http_date(modified));
    }
    if unchanged(headers, &tag, modified) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    let (total, read): (u64, publishers::RangeReader) = match content {
        Content::Redirect(to) => return redirect(&to),
        Content::Virtual { total, read } => (total, read),
        Content::Whole(make) => {
            let mut body = make();
            if let Some(fault) = fault.filter(|f| f.tampers() && !tampered) {
                let (spoilt, encoding) = spoil(body, format, fault, seed);
                body = spoilt;
                if let Some(encoding) = encoding {
                    set(out, header::CONTENT_ENCODING, encoding);
                }
            }
            let read = body.clone();
            let reader: publishers::RangeReader =
                Arc::new(move |range| read.slice(range.start as usize..range.end as usize).to_vec());
            if headers.get(header::RANGE).is_none() {
                set(out, header::CONTENT_TYPE, format.content_type());
                set(out, header::CONTENT_LENGTH, &body.len().to_string());
                *response.body_mut() = if head { SimBody::empty() } else { carried(body, fault) };
                return response;
            }
            (body.len() as u64, reader)
        }
    };
    set(out, header::CONTENT_TYPE, format.content_type());
    set(out, header::ACCEPT_RANGES, "bytes");
    let wanted = headers.get(header::RANGE).and_then(|v| v.to_str().ok());
    match wanted.map(|text| byte_range(text, total)) {
        None | Some(Wanted::Whole) => {
            set(out, header::CONTENT_LENGTH, &total.to_string());
            *response.body_mut() = if head {
                SimBody::empty()
            } else if fault.is_some_and(|f| matches!(f, Fault::Truncated | Fault::Slow(_))) {
                carried(read(0..total).into(), fault)
            } else {
                SimBody::pieces(total, read)
            };
        }
        Some(Wanted::Part(range)) => {
            set(out, header::CONTENT_LENGTH, &(range.end - range.start).to_string());
            set(out, header::CONTENT_RANGE, &format!("bytes {}-{}/{total}", range.start, range.end - 1));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            *response.body_mut() = if head { SimBody::empty() } else { carried(read(range).into(), fault) };
        }
        Some(Wanted::Nothing) => {
            set(out, header::CONTENT_RANGE, &format!("bytes */{total}"));
            *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
        }
    }
    response
}

/// The ways a body can travel badly.
fn carried(body: Bytes, fault: Option<Fault>) -> SimBody {
    match fault {
        Some(Fault::Truncated) => SimBody::cut(body),
        Some(Fault::Slow(over)) => SimBody::drip(body, over),
        _ => SimBody::full(body),
    }
}

/// Content faults for documents whose bytes nobody vouches for. Returns a content encoding when there is one.
fn spoil(body: Bytes, format: Format, fault: Fault, seed: u64) -> (Bytes, Option<&'static str>) {
    if fault == Fault::ZipBomb {
        // A file that is itself compressed is the bomb; any other travels as one.
        let encoding = (format != Format::Gzip).then_some("gzip");
        return (tamper::gzip_bomb(), encoding);
    }
    let bytes = match format {
        Format::Csv => tamper::table(body.to_vec(), fault, b',', true, seed),
        Format::Json => tamper::json(body.to_vec(), fault, seed),
        Format::Gzip => tamper::gzip(&body, fault, seed),
        Format::Text | Format::Html | Format::Zip | Format::Workbook => match fault {
            Fault::Garbage => tamper::garbage(body.len(), seed),
            Fault::EmptySuccess => Vec::new(),
            _ => body.to_vec(),
        },
    };
    (bytes.into(), None)
}

fn entity_tag(identity: &str) -> String {
    format!("\"{}\"", hex(&Md5::digest(identity.as_bytes()).into()))
}

fn unchanged(headers: &HeaderMap, tag: &str, modified: Option<Timestamp>) -> bool {
    if let Some(known) = headers.get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok()) {
        return known
            .split(',')
            .any(|t| matches!(t.trim(), t if t == tag || t == "*" || t.strip_prefix("W/") == Some(tag)));
    }
    let since = headers.get(header::IF_MODIFIED_SINCE).and_then(|v| v.to_str().ok());
    match (since.and_then(|text| httpdate::parse_http_date(text).ok()), modified) {
        (Some(since), Some(modified)) => {
            since.duration_since(UNIX_EPOCH).is_ok_and(|d| modified.unix() <= d.as_secs() as i64)
        }
        _ => false,
    }
}

enum Wanted {
    Whole,
    Part(std::ops::Range<u64>),
    Nothing,
}

/// One range of bytes; several at once, or nonsense, is answered with the whole file, as static hosts do.
fn byte_range(text: &str, total: u64) -> Wanted {
    let Some((from, to)) = text.strip_prefix("bytes=").and_then(|r| r.split_once('-')) else {
        return Wanted::Whole;
    };
    let (from, to) = (from.trim(), to.trim());
    let range = match (from.parse::<u64>(), to.parse::<u64>()) {
        (Err(_), Ok(suffix)) if from.is_empty() => total.saturating_sub(suffix)..total,
        (Ok(from), Err(_)) if to.is_empty() => from..total,
        (Ok(from), Ok(to)) if from <= to => from..total.min(to.saturating_add(1)),
        _ => return Wanted::Whole,
    };
    if range.start < range.end { Wanted::Part(range) } else { Wanted::Nothing }
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn http_date(at: Timestamp) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(at.unix().max(0) as u64))
}

fn plain(status: StatusCode, text: &'static str) -> Response<SimBody> {
    let mut response = Response::new(SimBody::full(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    set(response.headers_mut(), header::CONTENT_TYPE, "text/plain; charset=utf-8");
    response
}

fn wall() -> Response<SimBody> {
    const PAGE: &str = "<!DOCTYPE html><html><head><title>Access Denied</title></head><body><h1>Access Denied</h1>\
                        <p>You don't have permission to access this resource.</p></body></html>\n";
    let mut response = plain(StatusCode::FORBIDDEN, PAGE);
    set(response.headers_mut(), header::CONTENT_TYPE, "text/html");
    response
}

fn redirect(to: &str) -> Response<SimBody> {
    let mut response = plain(StatusCode::FOUND, "");
    set(response.headers_mut(), header::LOCATION, to);
    response
}
