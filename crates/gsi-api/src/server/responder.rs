//! What a listener does: it answers requests, and counts and logs what happens to its connections.

use axum::body::Body;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::Service;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

pub type ResponseBody = Body;

pub type ResponseFuture = BoxFuture<'static, Result<Response<ResponseBody>, Infallible>>;

/// Answers the requests of all connections of a listener.
pub trait Responder: Send + Sync + 'static {
    /// `peer` is the other end of the connection.
    fn respond(&self, request: Request<Incoming>, peer: IpAddr) -> ResponseFuture;

    /// Counts and logs.
    fn note(&self, _event: ConnectionEvent, _peer: IpAddr) {}

    /// The bytes sent to a connection before it is closed for lack of a place.
    fn refusal(&self) -> Option<Vec<u8>> {
        None
    }
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// A client connected, whether there is a place or not.
    Accepted,
    /// No place was free.
    Refused,
    /// The connection has a place; [`ConnectionEvent::Closed`] follows.
    Opened,
    Closed,
    /// The connection was not in use, and its place was given to another one.
    Evicted,
    HandshakeFailed,
    /// The bytes were no HTTP, or the head was too large. The HTTP library has answered with a bare status.
    Unreadable {
        is_too_large: bool,
    },
    TimedOut,
}

/// A listener's responder on one connection.
pub struct ConnectionService {
    pub responder: Arc<dyn Responder>,
    pub peer: IpAddr,
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: Request<Incoming>) -> ResponseFuture {
        self.responder.respond(request, self.peer)
    }
}
