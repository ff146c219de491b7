//! Listening: accepts connections up to a limit, serves HTTP/1.1 on each (HTTP/2 where TLS negotiates it), closes the
//! idle and the slow, and finishes what is open when told to stop.
//!
//! What a client may do to a connection is bounded by the HTTP library's own settings: the size of a head and the time
//! it may take. What cannot be read as HTTP, or is far too large, gets the library's bare 400, 414 or 431 and a close; a problem
//! document needs a request that it can answer.

use crate::connection::{ConnectionUse, Tracked, serve_until_idle};
use crate::layers::Stacks;
use crate::log::LogLine;
use crate::places::{ConnectionPlaces, PlacedService};
use crate::problem::{self, ProblemCode, RequestRefusal};
use crate::service::Service;
use crate::settings::{
    HTTP2_STREAMS, MAX_HEADERS, READ_HEADERS, RETRY_AFTER_OVERLOAD, TLS_HANDSHAKE_TIMEOUT, TlsSettings,
};
use crate::tls::{self, Certificates};
use axum::response::Response;
use http::{Method, Request};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// After an accept fails (usually: no descriptors left), before the next try.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the listener failed: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
}

/// Serves until `shutdown` completes, then finishes what is open, within a limit.
pub async fn serve(
    service: Arc<Service>,
    listener: TcpListener,
    tls: Option<TlsSettings>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let certificates = tls.map(Certificates::load).transpose()?;
    service.published.is_secure.store(certificates.is_some(), Ordering::Relaxed);
    let reloader = certificates.clone().map(|c| tokio::spawn(c.watch()));
    let limits = service.limits.clone();
    let settings = HttpSettings { idle: limits.idle, write: limits.write };
    let places =
        ConnectionPlaces::new(limits.max_connections, limits.per_address(), service.trusted_proxies.clone());
    let stacks = Stacks::new(&service);
    let streams = Arc::clone(&service);
    let stopping = async move {
        shutdown.await;
        streams.published.stream.close();
    };
    let acceptor = Acceptor::new(settings, places, certificates, Some(Arc::clone(&service)));
    acceptor.run(listener, stopping, limits.drain, |peer| stacks.for_peer(peer)).await;
    if let Some(reloader) = reloader {
        reloader.abort();
    }
    // The store may be away, or full; then the last half minute is forgotten.
    let told = tokio::task::spawn_blocking(move || service.tell_key_uses()).await;
    if let Ok(Err(error)) = told {
        tracing::warn!(%error, "when keys were last used cannot be noted");
    }
    Ok(())
}

/// What answers the requests of one connection.
pub trait HttpService:
    tower::Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send>
    + Clone
    + Send
    + 'static
{
}

impl<S> HttpService for S where
    S: tower::Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static
{
}

/// Limits on connections.
pub struct HttpSettings {
    /// From the opening of a connection, or the end of an answer, to the end of the next request's head.
    pub idle: Duration,
    /// How long sent bytes may stay unread.
    pub write: Duration,
}

/// What all connections of one listener share.
pub struct Acceptor {
    http1: auto::Builder<TokioExecutor>,
    http2: auto::Builder<TokioExecutor>,
    settings: HttpSettings,
    certificates: Option<Arc<Certificates>>,
    /// Where connections are counted and what could not be read is logged.
    account: Option<Arc<Service>>,
    places: Arc<ConnectionPlaces>,
}

impl Acceptor {
    pub fn new(
        settings: HttpSettings,
        places: Arc<ConnectionPlaces>,
        certificates: Option<Arc<Certificates>>,
        account: Option<Arc<Service>>,
    ) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .header_read_timeout(settings.idle)
            .max_buf_size(READ_HEADERS);
        builder
            .http2()
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .max_concurrent_streams(HTTP2_STREAMS)
            .max_header_list_size(MAX_HEADERS as u32)
            .keep_alive_interval(settings.idle)
            .keep_alive_timeout(settings.write);
        Acceptor {
            http1: builder.clone().http1_only(),
            http2: builder.http2_only(),
            settings,
            certificates,
            account,
            places,
        }
    }

    /// Serves each connection with what `make` gives for its peer, until `shutdown` completes; then lets what is open
    /// finish for as long as `drain`.
    pub async fn run<S: HttpService>(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
        drain: Duration,
        make: impl Fn(IpAddr) -> S,
    ) {
        let acceptor = Arc::new(self);
        let graceful = GracefulShutdown::new();
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        acceptor.open(stream, peer.ip(), graceful.watcher(), make(peer.ip()));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() && !drain.is_zero() {
            tracing::warn!("connections are still open and end with the process");
        }
    }

    fn open(self: &Arc<Self>, stream: TcpStream, peer: IpAddr, watcher: Watcher, service: impl HttpService) {
        self.count(|metrics| metrics.connections_total.inc());
        // Answers are written whole; waiting to fill a segment only delays them.
        let _ = stream.set_nodelay(true);
        // Who vanishes, or stops reading, is noticed by the system, for ordinary answers and for streams.
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(self.settings.write));
        let Some(place) = self.places.take(peer) else {
            self.count(|metrics| metrics.connections_refused.inc());
            self.turn_away(&stream);
            return;
        };
        let acceptor = Arc::clone(self);
        tokio::spawn(async move {
            let _open = ConnectionUse::count(acceptor.account.as_ref());
            let service = PlacedService::new(service, Arc::clone(&place));
            tokio::select! {
                ended = acceptor.serve(stream, watcher, service) => {
                    if let Err(error) = ended {
                        acceptor.note(&*error, peer);
                    }
                }
                () = place.wait_for_eviction() => acceptor.count(|metrics| metrics.connections_evicted.inc()),
            }
        });
    }

    async fn serve(
        &self,
        stream: TcpStream,
        watcher: Watcher,
        service: impl HttpService,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let Some(certificates) = &self.certificates else {
            return self.speak_http1(stream, watcher, service).await;
        };
        let handshake = tokio::time::timeout(TLS_HANDSHAKE_TIMEOUT, certificates.acceptor().accept(stream));
        let Ok(Ok(stream)) = handshake.await else {
            self.count(|metrics| metrics.tls_failures.inc());
            return Ok(());
        };
        if stream.get_ref().1.alpn_protocol() != Some(tls::HTTP2) {
            return self.speak_http1(stream, watcher, service).await;
        }
        let (tracked, requests) = Tracked::new(service);
        let service = TowerToHyperService::new(tracked);
        let connection = self.http2.serve_connection(TokioIo::new(stream), service).into_owned();
        serve_until_idle(watcher.watch(connection), requests, self.settings.idle).await
    }

    /// The library's own timer closes idle and slow connections here.
    async fn speak_http1(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        watcher: Watcher,
        service: impl HttpService,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let service = TowerToHyperService::new(service);
        watcher.watch(self.http1.serve_connection(TokioIo::new(stream), service).into_owned()).await
    }

    fn count(&self, which: impl FnOnce(&crate::metrics::HttpMetrics) -> u64) {
        if let Some(service) = &self.account {
            which(&service.metrics);
        }
    }

    /// Why a connection ended, where that is the client's doing. Clients that vanish are not news.
    fn note(&self, error: &(dyn Error + 'static), peer: IpAddr) {
        let Some(service) = &self.account else { return };
        let error = error.downcast_ref::<hyper::Error>();
        if error.is_some_and(hyper::Error::is_parse) {
            service.metrics.malformed.inc();
            service.log.push(LogLine {
                at: service.clock.now(),
                // What was sent is not repeated: it could be anything.
                method: Method::from_bytes(b"UNREAD").unwrap_or_default(),
                path: "/".into(),
                status: if error.is_some_and(hyper::Error::is_parse_too_large) { 431 } else { 400 },
                client: peer,
                key: None,
                refused_key: None,
                micros: 0,
                bytes: 0,
                request_id: service.next_request_id(),
            });
        } else if error.is_some_and(|e| e.is_timeout() || is_io_timeout(e)) {
            service.metrics.connections_timed_out.inc();
        }
    }

    /// One connection too many is told so before it is closed, without waiting for its request.
    fn turn_away(&self, stream: &TcpStream) {
        let (Some(service), None) = (&self.account, &self.certificates) else { return };
        let id = service.next_request_id();
        let id = std::str::from_utf8(&id).unwrap_or_default();
        let body =
            RequestRefusal::new(ProblemCode::Overloaded, "Too many connections are open.").body("/", id);
        let head = format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: {}\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
             connection: close\r\nretry-after: {RETRY_AFTER_OVERLOAD}\r\nx-request-id: {id}\r\n\r\n",
            problem::CONTENT_TYPE.to_str().unwrap_or_default(),
            body.len(),
        );
        let _ = stream.try_write(&[head.as_bytes(), &body].concat());
    }
}

fn is_io_timeout(error: &hyper::Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::TimedOut)
}
