//! What a listener is for: answering requests, and knowing what becomes of its connections.

use crate::server::places::ConnectionPlace;
use axum_core::body::Body;
use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::Service;
use std::convert::Infallible;
use std::future::Ready;
use std::net::IpAddr;
use std::sync::Arc;

/// Bytes that are at hand, or anything else: the library then asks for them without a detour.
pub type ResponseBody = http_body_util::Either<Full<Bytes>, Body>;

/// An answer that is at hand, or one that is waited for.
pub type ResponseFuture = Either<
    Ready<Result<Response<ResponseBody>, Infallible>>,
    BoxFuture<'static, Result<Response<ResponseBody>, Infallible>>,
>;

/// Answers the requests of all connections of a listener.
pub trait Responder: Send + Sync + 'static {
    /// `peer` is the other end of the connection.
    fn respond(&self, request: Request<Incoming>, peer: IpAddr) -> ResponseFuture;

    /// Counts and logs.
    fn note(&self, _event: ConnectionEvent, _peer: IpAddr) {}

    /// What a connection for which there is no place is sent before it is closed.
    fn refusal(&self) -> Option<Vec<u8>> {
        None
    }
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// Somebody connected, whether there is a place or not.
    Accepted,
    /// No place was free.
    Refused,
    /// It has a place from now on; [`ConnectionEvent::Closed`] follows.
    Opened,
    Closed,
    /// It was silent, and somebody else needed its place.
    Evicted,
    HandshakeFailed,
    /// What was sent is no HTTP, or its head is too large. It has got a bare status.
    Unreadable {
        is_too_large: bool,
    },
    TimedOut,
}

/// A listener's responder on one connection.
pub struct ConnectionService {
    pub responder: Arc<dyn Responder>,
    pub peer: IpAddr,
    pub place: Arc<ConnectionPlace>,
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: Request<Incoming>) -> ResponseFuture {
        self.place.speak();
        self.responder.respond(request, self.peer)
    }
}
