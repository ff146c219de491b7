//! Which connections are in use: counted for the metrics, and watched where the HTTP library has no timer of its own
//! for a connection that is open and silent, which is so with HTTP/2.

use crate::service::Service;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

/// One open connection in the metrics, for as long as this lives.
pub struct ConnectionUse(Option<Arc<Service>>);

impl ConnectionUse {
    pub fn count(account: Option<&Arc<Service>>) -> Self {
        if let Some(service) = account {
            service.metrics.connections_open.inc();
        }
        ConnectionUse(account.cloned())
    }
}

impl Drop for ConnectionUse {
    fn drop(&mut self) {
        if let Some(service) = &self.0 {
            service.metrics.connections_open.dec();
        }
    }
}

/// Requests of one connection: how many there were, and by its copies how many are in progress.
pub type Requests = Arc<AtomicU64>;

/// A service that knows when it is in use, bodies included.
#[derive(Clone)]
pub struct Tracked<S> {
    inner: S,
    requests: Requests,
}

impl<S> Tracked<S> {
    pub fn new(inner: S) -> (Self, Requests) {
        let requests = Requests::default();
        (Tracked { inner, requests: Arc::clone(&requests) }, requests)
    }
}

/// Serves the connection until it ends or is without a request for `idle`. Nothing is lost by dropping it then.
pub async fn serve_until_idle<E>(
    connection: impl Future<Output = Result<(), E>>,
    requests: Requests,
    idle: Duration,
) -> Result<(), E> {
    /// One here, one in the service.
    const COPIES_AT_REST: usize = 2;
    tokio::pin!(connection);
    let mut seen = 0;
    loop {
        tokio::select! {
            ended = &mut connection => return ended,
            () = tokio::time::sleep(idle) => {}
        }
        let now = requests.load(Ordering::Relaxed);
        if now == seen && Arc::strong_count(&requests) <= COPIES_AT_REST {
            return Ok(());
        }
        seen = now;
    }
}

impl<S> tower::Service<Request<Incoming>> for Tracked<S>
where
    S: tower::Service<Request<Incoming>, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let (answer, requests) = (self.inner.call(request), Arc::clone(&self.requests));
        Box::pin(async move {
            let response = answer.await?;
            Ok(response.map(|body| Body::new(TrackedBody { body, _requests: requests })))
        })
    }
}

/// A body during which its request counts as in progress.
struct TrackedBody {
    body: Body,
    _requests: Requests,
}

impl hyper::body::Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
