//! Which connections are in use: watched where the HTTP library has no timer of its own for a connection that is open and
//! silent, which is so with HTTP/2.

use crate::server::responder::{ConnectionService, ResponseBody};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::service::Service;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

/// Requests of one connection: how many there were, and by its copies how many are in progress.
pub type Requests = Arc<AtomicU64>;

/// A service that knows when it is in use, bodies included.
pub struct Tracked {
    inner: ConnectionService,
    requests: Requests,
}

impl Tracked {
    pub fn new(inner: ConnectionService) -> (Self, Requests) {
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

impl Service<Request<Incoming>> for Tracked {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let (answer, requests) = (self.inner.call(request), Arc::clone(&self.requests));
        Box::pin(async move {
            let response = answer.await?;
            Ok(response.map(|body| TrackedBody { body, _requests: requests }))
        })
    }
}

/// A body during which its request counts as in progress.
pub struct TrackedBody {
    body: ResponseBody,
    _requests: Requests,
}

impl hyper::body::Body for TrackedBody {
    type Data = Bytes;
    type Error = <ResponseBody as hyper::body::Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
