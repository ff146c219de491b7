//! The outermost layer: gives the answer the headers that every answer has and, when it is a
//! refusal, its problem document, and accounts for both in log and metrics.

use super::LayeredResponse;
use crate::auth::key_ring::rate_header;
use crate::prepared::answers::{set_personal, vary};
use crate::problem::{self, RequestRefusal};
use crate::request::context::RequestContext;
use crate::settings::{LINGER_BYTES, LINGER_TIMEOUT};
use crate::telemetry::log::LogLine;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, Method, Version, header};
use http_body_util::{BodyExt, Either};
use hyper::body::{Body as _, Incoming};
use std::convert::Infallible;
use std::sync::Arc;

/// In the log and in the metrics: the caller hung up before there was an answer.
const HUNG_UP: u16 = 499;

/// Reads a body that nobody asked for, within limits: a connection that is closed while the caller still sends would
/// take the answer with it.
pub fn discard(context: &RequestContext, mut body: Incoming) {
    if !context.has_body {
        return;
    }
    let read = async move {
        let mut left = LINGER_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    tokio::spawn(tokio::time::timeout(LINGER_TIMEOUT, read));
}

/// Accounts for an answer when it is there, or when the caller does not wait for it.
pub async fn end_later(
    context: Arc<RequestContext>,
    answer: impl Future<Output = Response>,
) -> Result<LayeredResponse, Infallible> {
    let mut waiting = UnansweredRequest { context, has_answer: false };
    let response = answer.await;
    waiting.has_answer = true;
    Ok(account_for(response.map(Either::Right), &waiting.context))
}

/// A request that is not answered yet.
struct UnansweredRequest {
    context: Arc<RequestContext>,
    has_answer: bool,
}

impl Drop for UnansweredRequest {
    fn drop(&mut self) {
        if !self.has_answer {
            record(&self.context, HUNG_UP, 0);
        }
    }
}

/// The answer with what every answer has, noted in metrics and log.
pub fn account_for(mut response: LayeredResponse, context: &RequestContext) -> LayeredResponse {
    finish(&mut response, context);
    let length = response.body().size_hint().exact();
    let mut sent = length.unwrap_or(0);
    if context.method == Method::HEAD {
        // What a GET would bring, which HTTP/1.1 and HTTP/2 leave to us alike.
        if let Some(length) = length {
            response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
        }
        *response.body_mut() = Either::Left(Bytes::new().into());
        sent = 0;
    }
    record(context, response.status().as_u16(), sent);
    response
}

fn finish(response: &mut LayeredResponse, context: &RequestContext) {
    let service = &context.service;
    if let Some(refusal) = response.extensions_mut().remove::<RequestRefusal>() {
        *response.body_mut() = Either::Left(refusal.body(&context.path, context.request_id()).into());
        // The router has counted the body that was not there yet.
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.headers_mut().insert(header::CONTENT_TYPE, problem::CONTENT_TYPE);
        response.headers_mut().insert(header::CACHE_CONTROL, crate::representation::headers::NO_STORE);
    }
    let headers = response.headers_mut();
    let id = HeaderValue::from_maybe_shared(Bytes::copy_from_slice(&context.id)).ok();
    let (policy, left) = match (context.auth(), context.public()) {
        (Some(auth), _) => (Some(auth.key.policy.clone()), Some(rate_header(auth, context.charged()))),
        // What a shared cache keeps says nothing of what one address has left.
        (None, Some(readers)) => (Some(readers.policy.clone()), None),
        (None, None) => (None, None),
    };
    if !set_personal(headers, [id, policy, left]) {
        service.insert_common_headers(headers, context.is_guarded, &service.moment());
    }
    let (is_public, by_accept) = (context.public().is_some(), context.is_formed_by_accept());
    if is_public || by_accept {
        headers.insert(header::VARY, vary(by_accept, !is_public && service.exposure.cors.is_on()));
    }
    if is_public {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, crate::auth::cors::ANY_ORIGIN);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, crate::auth::cors::EXPOSED);
    } else if let Some(origin) = service.exposure.cors.allowed_origin(context.origin.as_ref()) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, crate::auth::cors::EXPOSED);
    }
    // A body that was announced but not read makes the rest of the connection unreadable.
    if context.has_body && context.version <= Version::HTTP_11 {
        headers.insert(header::CONNECTION, const { HeaderValue::from_static("close") });
    }
}

fn record(context: &RequestContext, status: u16, bytes: u64) {
    let (service, elapsed) = (&context.service, context.begun.elapsed());
    service.telemetry.metrics.count_request(context.label(), status, elapsed, bytes);
    if service.telemetry.log.is_on() {
        service.telemetry.log.push(LogLine {
            at: service.clock.now(),
            method: context.method.clone(),
            path: context.path.clone(),
            status,
            client: context.client,
            key: context.auth().map(|auth| Arc::clone(&auth.key)),
            refused_key: context.refused_key().cloned(),
            micros: elapsed.as_micros() as u64,
            bytes,
            request_id: context.id,
        });
    }
}
