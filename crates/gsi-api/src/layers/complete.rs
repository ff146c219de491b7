//! Completes every answer: the problem document of a refusal, the headers that all answers share, and `HEAD`.

use crate::auth::cors::{ANY_ORIGIN, EXPOSED};
use crate::auth::key_ring::rate_header;
use crate::prepared::answers::{set_personal, vary};
use crate::problem::{self, ProblemCode, RequestRefusal};
use crate::representation::headers::NO_STORE;
use crate::request::context::RequestContext;
use axum::Extension;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use hyper::body::Body as _;
use std::sync::Arc;

pub(crate) async fn complete(
    Extension(context): Extension<Arc<RequestContext>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    if let Some(refusal) = response.extensions_mut().remove::<RequestRefusal>() {
        write_problem(&mut response, &refusal, &context);
    }
    add_headers(response.headers_mut(), &context);
    if matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        // The router writes the length of the empty body. HTTP allows none here, or only that of the 200.
        response.headers_mut().remove(header::CONTENT_LENGTH);
    } else if context.method == Method::HEAD {
        // The length that GET would answer with.
        if let Some(length) = response.body().size_hint().exact() {
            response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
        }
    }
    if context.method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    response
}

fn write_problem(response: &mut Response, refusal: &RequestRefusal, context: &RequestContext) {
    *response.body_mut() = refusal.body(context.path(), context.request_id()).into();
    let headers = response.headers_mut();
    // The router has counted the body that was not written yet.
    headers.remove(header::CONTENT_LENGTH);
    // The router also names the allowed methods when authentication refuses another method.
    if refusal.code != ProblemCode::MethodNotAllowed {
        headers.remove(header::ALLOW);
    }
    headers.insert(header::CONTENT_TYPE, problem::CONTENT_TYPE);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
}

fn add_headers(headers: &mut HeaderMap, context: &RequestContext) {
    let service = &context.service;
    let id = HeaderValue::from_maybe_shared(Bytes::copy_from_slice(&context.id)).ok();
    let (policy, left) = match (context.auth(), context.public()) {
        (Some(auth), _) => (Some(auth.key.policy.clone()), Some(rate_header(auth, context.charged()))),
        // A shared cache may keep the answer, so it does not show what one address has left.
        (None, Some(public)) => (Some(public.policy.clone()), None),
        (None, None) => (None, None),
    };
    if !set_personal(headers, [id, policy, left]) {
        service.insert_common_headers(headers, context.is_guarded(), &service.moment());
    }
    let (is_public, by_accept) = (context.public().is_some(), context.is_formed_by_accept());
    if is_public || by_accept {
        headers.insert(header::VARY, vary(by_accept, !is_public && service.exposure.cors.is_on()));
    }
    if is_public {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    } else if let Some(origin) = service.exposure.cors.allowed_origin(context.origin.as_ref()) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    // The connection cannot be used again while a body that nothing reads may still arrive on it.
    if context.has_body && context.version <= Version::HTTP_11 {
        headers.insert(header::CONNECTION, const { HeaderValue::from_static("close") });
    }
}
