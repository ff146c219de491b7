//! Request bodies. Almost no request may have one, but a client that is still sending only sees its answer when the
//! server reads what it sends: closing the connection earlier would discard the answer too.

use crate::settings::{LINGER_BYTES, LINGER_TIMEOUT};
use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// The body as handlers read it. When it is dropped, the server reads on for a while and discards the rest.
pub(crate) fn receive(body: Incoming) -> Body {
    if body.is_end_stream() { Body::empty() } else { Body::new(ReceivedBody(Some(body))) }
}

/// A body that was announced. It is `None` only while it is dropped.
struct ReceivedBody(Option<Incoming>);

impl HttpBody for ReceivedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map(Incoming::size_hint).unwrap_or_default()
    }
}

impl Drop for ReceivedBody {
    fn drop(&mut self) {
        let rest = self.0.take().filter(|body| !body.is_end_stream());
        // Without a runtime the process ends, and the connection with it.
        if let (Some(rest), Ok(runtime)) = (rest, Handle::try_current()) {
            runtime.spawn(timeout(LINGER_TIMEOUT, discard(rest)));
        }
    }
}

async fn discard(mut body: Incoming) {
    let mut left = LINGER_BYTES;
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
