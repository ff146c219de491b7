//! Accepts connections up to a limit, serves HTTP/1.1 on each (HTTP/2 where TLS negotiates it), closes idle and slow ones, and
//! finishes open requests at shutdown.
//!
//! The HTTP library's settings bound the size of a head and the time that it may take. Bytes that are no HTTP, or a head that is
//! far too large, get the library's bare 400, 414 or 431 and a close, because a problem document needs a request to answer. The
//! library has no limit for a client that does not take an answer: `in_use` has it.
//!
//! # Attacks on HTTP/2
//! | attack | what happens | bounded by |
//! |---|---|---|
//! | a window of zero, or one that is never opened again | the connection is closed | `in_use::Patience` |
//! | streams opened and reset at once (rapid reset) | `ENHANCE_YOUR_CALM` when 20 resets wait to be accepted | h2, `max_pending_accept_reset_streams` |
//! | frames that make the server reset streams | `ENHANCE_YOUR_CALM` after 1,024 resets | hyper, `max_local_error_reset_streams` |
//! | SETTINGS and PING floods | nothing is read until the acknowledgement is written, and none counts as use: the idle time ends it | h2, which keeps one of each; `idle` |
//! | CONTINUATION flood | `ENHANCE_YOUR_CALM` after five frames | h2, from `max_header_list_size` |
//! | a header list above the limit, or one that unpacks to more | 431, from four times the limit `ENHANCE_YOUR_CALM` | `max_header_list_size` |
//! | floods of empty or tiny DATA frames | `ENHANCE_YOUR_CALM` | h2, its budget of DATA frames |
//! | more streams than allowed | `REFUSED_STREAM` | `max_concurrent_streams` |

use crate::server::in_use::{Ending, Patience, Tracked, serve_while_used};
use crate::server::places::{ConnectionPlace, ConnectionPlaces};
use crate::server::responder::{ConnectionEvent, ConnectionService, Responder};
use crate::server::tls::{Certificates, HTTP2};
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// After an accept fails (usually: no descriptors left), before the next try.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Limits on each connection.
#[derive(Clone, Debug)]
pub struct ConnectionSettings {
    /// From the opening of a connection, or the end of an answer, to the end of the next request's head.
    pub idle: Duration,
    /// How long sent bytes may stay unread. An answer of known length may also not wait for longer than `idle`.
    pub write: Duration,
    /// How long open requests may take to finish after a shutdown has begun.
    pub drain: Duration,
    pub tls_handshake: Duration,
    /// Of a request's head with HTTP/1.1; beyond it a bare status is the answer.
    pub read_head_bytes: usize,
    /// Of a request's head with HTTP/2.
    pub http2_head_bytes: u32,
    /// Concurrent requests on one connection of HTTP/2.
    pub http2_streams: u32,
}

/// The parts that all connections of one listener share.
pub struct Acceptor {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    settings: ConnectionSettings,
    certificates: Option<Arc<Certificates>>,
    responder: Arc<dyn Responder>,
    places: Arc<ConnectionPlaces>,
}

impl Acceptor {
    pub fn new(
        settings: ConnectionSettings,
        places: Arc<ConnectionPlaces>,
        certificates: Option<Arc<Certificates>>,
        responder: Arc<dyn Responder>,
    ) -> Self {
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .header_read_timeout(settings.idle)
            .max_buf_size(settings.read_head_bytes);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .max_concurrent_streams(settings.http2_streams)
            .max_header_list_size(settings.http2_head_bytes)
            .keep_alive_interval(settings.idle)
            .keep_alive_timeout(settings.write);
        Acceptor { http1, http2, settings, certificates, responder, places }
    }

    /// Serves until `shutdown` completes, then waits for open requests, within a limit.
    pub async fn run(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let acceptor = Arc::new(self);
        let graceful = GracefulShutdown::new();
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => acceptor.open(stream, peer.ip(), graceful.watcher()),
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        let drain = acceptor.settings.drain;
        if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() && !drain.is_zero() {
            tracing::warn!("connections are still open and end with the process");
        }
    }

    fn open(self: &Arc<Self>, stream: TcpStream, peer: IpAddr, watcher: Watcher) {
        self.responder.note(ConnectionEvent::Accepted, peer);
        // Answers are written whole; waiting to fill a segment only delays them.
        let _ = stream.set_nodelay(true);
        // The system notices a client that vanishes or stops reading its socket.
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(self.settings.write));
        let Some(place) = self.places.take(peer) else {
            self.responder.note(ConnectionEvent::Refused, peer);
            self.turn_away(&stream);
            return;
        };
        let acceptor = Arc::clone(self);
        tokio::spawn(async move {
            let responder = Arc::clone(&acceptor.responder);
            let _open = OpenConnection::new(&*responder, peer);
            let event = tokio::select! {
                // First, because a connection that has lost its place must not begin to serve.
                biased;
                () = place.wait_for_eviction() => Some(ConnectionEvent::Evicted),
                event = acceptor.serve(stream, watcher, peer, &place) => event,
            };
            if let Some(event) = event {
                responder.note(event, peer);
            }
        });
    }

    /// Returns the event that ended the connection, if it is worth counting.
    async fn serve(
        &self,
        stream: TcpStream,
        watcher: Watcher,
        peer: IpAddr,
        place: &ConnectionPlace,
    ) -> Option<ConnectionEvent> {
        let service = ConnectionService { responder: Arc::clone(&self.responder), peer };
        let Some(certificates) = &self.certificates else {
            return self.speak_http1(stream, watcher, service, place).await;
        };
        let handshake = certificates.acceptor().accept(stream);
        let Ok(Ok(stream)) = tokio::time::timeout(self.settings.tls_handshake, handshake).await else {
            return Some(ConnectionEvent::HandshakeFailed);
        };
        if stream.get_ref().1.alpn_protocol() != Some(HTTP2) {
            return self.speak_http1(stream, watcher, service, place).await;
        }
        let tracked = Tracked::new(service, place, self.patience(), false);
        let connection = watcher.watch(self.http2.serve_connection(TokioIo::new(stream), tracked));
        event_of(serve_while_used(connection, place, self.settings.idle, self.patience()).await)
    }

    async fn speak_http1(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        watcher: Watcher,
        service: ConnectionService,
        place: &ConnectionPlace,
    ) -> Option<ConnectionEvent> {
        // The library's timer closes idle connections first, unless most places are taken.
        let idle = self.settings.idle * 2;
        let tracked = Tracked::new(service, place, self.patience(), true);
        let connection = watcher.watch(self.http1.serve_connection(TokioIo::new(stream), tracked));
        event_of(serve_while_used(connection, place, idle, self.patience()).await)
    }

    fn patience(&self) -> Patience {
        let ConnectionSettings { idle, write, .. } = self.settings;
        Patience { answer: idle.min(write), stream: write }
    }

    /// Answers a connection for which there is no place, without waiting for its request, before it is closed.
    fn turn_away(&self, stream: &TcpStream) {
        if self.certificates.is_none()
            && let Some(refusal) = self.responder.refusal()
        {
            let _ = stream.try_write(&refusal);
        }
    }
}

/// Notes that a connection is open, and that it is closed when this is dropped.
struct OpenConnection<'r>(&'r dyn Responder, IpAddr);

impl<'r> OpenConnection<'r> {
    fn new(responder: &'r dyn Responder, peer: IpAddr) -> Self {
        responder.note(ConnectionEvent::Opened, peer);
        OpenConnection(responder, peer)
    }
}

impl Drop for OpenConnection<'_> {
    fn drop(&mut self) {
        self.0.note(ConnectionEvent::Closed, self.1);
    }
}

/// The event behind a connection's end, if it was the client's fault. A client that vanishes is not counted.
fn event_of(ended: hyper::Result<Ending>) -> Option<ConnectionEvent> {
    match ended {
        Ok(Ending::Closed | Ending::Idle) => None,
        Ok(Ending::Stalled) => Some(ConnectionEvent::TimedOut),
        Err(error) if error.is_parse() => {
            Some(ConnectionEvent::Unreadable { is_too_large: error.is_parse_too_large() })
        }
        Err(error) => (error.is_timeout() || is_io_timeout(&error)).then_some(ConnectionEvent::TimedOut),
    }
}

fn is_io_timeout(error: &hyper::Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::TimedOut)
}
