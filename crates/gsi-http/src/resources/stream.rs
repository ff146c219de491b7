//! The stream's answer: its head here, the rest on the connection itself.

use crate::auth::KeyEntry;
use crate::negotiate;
use crate::problem::{Code, Refusal};
use crate::reply::{EVENT_STREAM, Reply};
use crate::service::Service;
use crate::settings::RETRY_AFTER_OVERLOAD;
use crate::stream::{StreamPlace, Subscription, read_id};
use bytes::Bytes;
use gsi_model::Timestamp;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Asks proxies that collect an answer before passing it on not to.
const UNBUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// The head, and the subscriber unless only the head was asked for.
pub fn subscribe(
    service: &Arc<Service>,
    parts: &Parts,
    key: &Arc<KeyEntry>,
) -> Result<(Reply, Option<Box<Subscription>>), Refusal> {
    if !negotiate::accepts_type(&parts.headers, "text", "event-stream", "event-stream") {
        return Err(Refusal::new(Code::NotAcceptable, "The answer is text/event-stream."));
    }
    let seen = last_event_id(&parts.headers)?;
    let mut head = Reply::new(StatusCode::OK, EVENT_STREAM, Bytes::new());
    head.streams = true;
    head.close = true;
    head.more.push(UNBUFFERED);
    if parts.method == Method::HEAD {
        return Ok((head, None));
    }
    if service.draining.load(Ordering::Relaxed) {
        let refusal = Refusal::new(Code::Overloaded, "The service is stopping.");
        return Err(refusal.retry_after(RETRY_AFTER_OVERLOAD));
    }
    let place = StreamPlace::take(key, service)?;
    let chunked = parts.version == Version::HTTP_11;
    let subscription = Subscription::new(Arc::clone(service), Arc::clone(key), place, seen, chunked);
    Ok((head, Some(Box::new(subscription))))
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<Timestamp>, Refusal> {
    let mut ids = headers.get_all("last-event-id").iter();
    let id = match (ids.next(), ids.next()) {
        (None, _) => return Ok(None),
        (Some(id), None) => id.to_str().ok().and_then(read_id),
        _ => None,
    };
    let detail = "Last-Event-ID is sent back once, exactly as the stream gave it.";
    id.map(Some).ok_or_else(|| Refusal::new(Code::BadRequest, detail))
}
