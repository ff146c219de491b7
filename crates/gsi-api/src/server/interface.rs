//! The listener of the interface: its limits, its certificates, and the metrics and log of its connections.

use super::acceptor::{Acceptor, ConnectionSettings};
use super::places::ConnectionPlaces;
use super::responder::{ConnectionEvent, Responder, ResponseFuture};
use super::tls::{Certificates, TlsError, TlsSettings};
use crate::auth::client_address::Peer;
use crate::layers::receive;
use crate::problem::{self, ProblemCode, RequestRefusal};
use crate::router;
use crate::settings::{
    HTTP2_STREAMS, Limits, MAX_HEADERS, READ_HEADERS, RETRY_AFTER_OVERLOAD_SECONDS, TLS_HANDSHAKE_TIMEOUT,
    TLS_POLL,
};
use crate::state::service::Service;
use crate::telemetry::log::LogLine;
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::net::TcpListener;

/// Serves until `shutdown` completes, then finishes what is open, within a limit.
pub async fn serve(
    service: Arc<Service>,
    listener: TcpListener,
    tls: Option<TlsSettings>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), TlsError> {
    let certificates = tls.map(Certificates::load).transpose()?;
    service.published.is_secure.store(certificates.is_some(), Ordering::Relaxed);
    let reloader = certificates.clone().map(|c| tokio::spawn(c.watch(TLS_POLL)));
    let (limits, proxies) = (&service.limits, service.exposure.trusted_proxies.clone());
    let is_shared = Box::new(move |peer| proxies.includes(peer));
    let places = ConnectionPlaces::new(limits.max_connections, limits.per_address(), is_shared);
    let streams = Arc::clone(&service);
    let stopping = async move {
        shutdown.await;
        streams.published.stream.close();
    };
    let interface = router::interface(Arc::clone(&service));
    let responder = Arc::new(InterfaceResponder { service: Arc::clone(&service), interface });
    Acceptor::new(connection_settings(limits), places, certificates, responder).run(listener, stopping).await;
    if let Some(reloader) = reloader {
        reloader.abort();
    }
    let end = move || {
        service.telemetry.log.flush();
        // The store may not answer or be full. Then the last half minute of uses is lost.
        service.store_key_uses()
    };
    let stored = tokio::task::spawn_blocking(end).await;
    if let Ok(Err(error)) = stored {
        tracing::warn!(%error, "the last use of keys cannot be stored");
    }
    Ok(())
}

/// The limits of each connection of a listener.
pub fn connection_settings(limits: &Limits) -> ConnectionSettings {
    ConnectionSettings {
        idle: limits.idle,
        write: limits.write,
        drain: limits.drain,
        tls_handshake: TLS_HANDSHAKE_TIMEOUT,
        read_head_bytes: READ_HEADERS,
        http2_head_bytes: MAX_HEADERS as u32,
        http2_streams: HTTP2_STREAMS,
    }
}

/// Answers the requests of every connection of the listener.
struct InterfaceResponder<S> {
    service: Arc<Service>,
    interface: S,
}

impl<S> Responder for InterfaceResponder<S>
where
    S: tower::Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    fn respond(&self, request: Request<Incoming>, peer: IpAddr) -> ResponseFuture {
        let mut request = request.map(receive);
        request.extensions_mut().insert(Peer(peer));
        Box::pin(self.interface.clone().call(request))
    }

    fn note(&self, event: ConnectionEvent, peer: IpAddr) {
        let metrics = &self.service.telemetry.metrics;
        match event {
            ConnectionEvent::Accepted => metrics.connections_total.inc(),
            ConnectionEvent::Refused => metrics.connections_refused.inc(),
            ConnectionEvent::Opened => metrics.connections_open.inc() as u64,
            ConnectionEvent::Closed => metrics.connections_open.dec() as u64,
            ConnectionEvent::Evicted => metrics.connections_evicted.inc(),
            ConnectionEvent::HandshakeFailed => metrics.tls_failures.inc(),
            ConnectionEvent::TimedOut => metrics.connections_timed_out.inc(),
            ConnectionEvent::Unreadable { is_too_large } => {
                self.log_unreadable(if is_too_large { 431 } else { 400 }, peer);
                metrics.malformed.inc()
            }
        };
    }

    fn refusal(&self) -> Option<Vec<u8>> {
        let id = self.service.next_request_id();
        let id = std::str::from_utf8(&id).unwrap_or_default();
        let body =
            RequestRefusal::new(ProblemCode::Overloaded, "Too many connections are open.").body("/", id);
        let head = format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: {}\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
             connection: close\r\nretry-after: {RETRY_AFTER_OVERLOAD_SECONDS}\r\nx-request-id: {id}\r\n\r\n",
            problem::CONTENT_TYPE.to_str().unwrap_or_default(),
            body.len(),
        );
        Some([head.as_bytes(), &body].concat())
    }
}

impl<S> InterfaceResponder<S> {
    fn log_unreadable(&self, status: u16, peer: IpAddr) {
        self.service.telemetry.log.push(&LogLine {
            at: self.service.clock.now(),
            // The bytes are not logged, because they could be anything.
            method: "UNREAD",
            path: "/",
            status,
            client: peer,
            key: None,
            refused_key: None,
            micros: 0,
            bytes: 0,
            request_id: self.service.next_request_id(),
        });
    }
}
