//! The handler of `GET /stream`.

use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::headers::{EVENT_STREAM, NO_STORE};
use crate::representation::negotiate;
use crate::request::context::RequestContext;
use crate::request::query::{NoParameters, Query};
use crate::state::service::Service;
use crate::stream::{StreamPlace, Subscription, read_id};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use gsi_model::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Version, header};
use std::convert::Infallible;
use std::sync::Arc;

/// Asks proxies not to buffer the answer.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What is published, while it is published
#[utoipa::path(
    get, path = "/stream", operation_id = "stream", tag = "service",
    params((
        "Last-Event-ID" = Option<String>, Header, pattern = "^[0-9]{1,12}$", max_length = 12,
        description = "The last id received. What followed it is sent, or `reset` when that is no longer kept.",
    )),
    responses((
        status = 200, description = "The stream, for as long as both sides keep it open.",
        content_type = "text/event-stream", body = String,
    ))
)]
pub async fn stream(
    State(service): State<Arc<Service>>,
    Extension(context): Extension<Arc<RequestContext>>,
    headers: HeaderMap,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    if negotiate::preference(&headers, "text/event-stream") == 0 {
        return Err(RequestRefusal::new(ProblemCode::NotAcceptable, "The answer is text/event-stream."));
    }
    let seen = last_event_id(&headers)?;
    let auth = context
        .auth()
        .ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The request has no key."))?;
    let body = if context.method == Method::HEAD {
        // Its length is unknown, like that of the stream.
        Body::from_stream(futures_util::stream::empty::<Result<Bytes, Infallible>>())
    } else {
        let place = StreamPlace::take(&auth.key, &service)?;
        Subscription::new(service, Arc::clone(&auth.key), place, seen).into_body()
    };
    let mut response = Response::new(body).into_response();
    let head = response.headers_mut();
    head.insert(header::CONTENT_TYPE, EVENT_STREAM);
    head.insert(header::CACHE_CONTROL, NO_STORE);
    head.insert(UNBUFFERED, HeaderValue::from_static("no"));
    // Over HTTP/1 the connection ends with the stream. Over HTTP/2 it carries other requests.
    if context.version <= Version::HTTP_11 {
        head.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<Timestamp>, RequestRefusal> {
    let mut ids = headers.get_all("last-event-id").iter();
    let id = match (ids.next(), ids.next()) {
        (None, _) => return Ok(None),
        (Some(id), None) => id.to_str().ok().and_then(read_id),
        _ => None,
    };
    let detail = "Last-Event-ID is sent back once, exactly as the stream gave it.";
    id.map(Some).ok_or_else(|| RequestRefusal::new(ProblemCode::BadRequest, detail))
}
