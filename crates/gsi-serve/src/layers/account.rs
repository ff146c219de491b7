//! The outermost layer: gives a request its id, the answer the headers that every answer has and, when it is a
//! refusal, its problem document, and accounts for both in log and metrics.

use super::Call;
use crate::answers::vary;
use crate::context::RequestContext;
use crate::guarded::MCP_PATH;
use crate::headers::{RATE_LIMIT, RATE_LIMIT_POLICY, REQUEST_ID};
use crate::key_ring::rate_header;
use crate::log::LogLine;
use crate::problem::{self, RequestRefusal};
use crate::service::Service;
use crate::settings::{LINGER_BYTES, LINGER_TIMEOUT};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use gsi_model::TRACE_TARGET;
use http::{HeaderValue, Method, Request, Version, header};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use pin_project_lite::pin_project;
use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// In the log and in the metrics: the caller hung up before there was an answer.
const HUNG_UP: u16 = 499;

#[derive(Clone)]
pub struct Account<S> {
    service: Arc<Service>,
    peer: IpAddr,
    inner: S,
}

impl<S> Account<S> {
    pub fn new(service: Arc<Service>, peer: IpAddr, inner: S) -> Self {
        Account { service, peer, inner }
    }
}

impl<S> tower::Service<Request<Incoming>> for Account<S>
where
    S: tower::Service<Call, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Accounted<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let (parts, body) = request.into_parts();
        let has_body = !body.is_end_stream();
        let body = if parts.uri.path() == MCP_PATH {
            Body::new(body)
        } else {
            if has_body {
                tokio::spawn(discard(body));
            }
            Body::empty()
        };
        let context = Arc::new(RequestContext::begin(&self.service, &parts, self.peer, has_body));
        let call = Call { context: Arc::clone(&context), request: Request::from_parts(parts, body) };
        Accounted { inner: self.inner.call(call), context, is_done: false }
    }
}

/// Reads a body that nobody asked for, within limits: a connection that is closed while the caller still sends would
/// take the answer with it.
async fn discard(mut body: Incoming) {
    let read = async {
        let mut left = LINGER_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    let _ = tokio::time::timeout(LINGER_TIMEOUT, read).await;
}

pin_project! {
    /// An answer that is accounted for when it is there, or when the caller does not wait for it.
    pub struct Accounted<F> {
        #[pin]
        inner: F,
        context: Arc<RequestContext>,
        is_done: bool,
    }

    impl<F> PinnedDrop for Accounted<F> {
        fn drop(this: Pin<&mut Self>) {
            if !this.is_done {
                record(&this.context, HUNG_UP, 0);
            }
        }
    }
}

impl<F: Future<Output = Result<Response, Infallible>>> Future for Accounted<F> {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Ok(mut response) = ready!(this.inner.poll(cx));
        *this.is_done = true;
        let context = &**this.context;
        finish(&mut response, context);
        let length = response.body().size_hint().exact();
        if context.method == Method::HEAD {
            // What a GET would bring, which HTTP/1.1 and HTTP/2 leave to us alike.
            if let Some(length) = length {
                response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
            }
            *response.body_mut() = Body::empty();
            record(context, response.status().as_u16(), 0);
        } else {
            record(context, response.status().as_u16(), length.unwrap_or(0));
        }
        Poll::Ready(Ok(response))
    }
}

fn finish(response: &mut Response, context: &RequestContext) {
    let service = &context.service;
    if let Some(refusal) = response.extensions_mut().remove::<RequestRefusal>() {
        *response.body_mut() = refusal.body(&context.path, context.request_id()).into();
        // The router has counted the body that was not there yet.
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.headers_mut().insert(header::CONTENT_TYPE, problem::CONTENT_TYPE);
        response.headers_mut().insert(header::CACHE_CONTROL, crate::headers::NO_STORE);
    }
    let headers = response.headers_mut();
    // Prepared heads have the common headers already.
    if !headers.contains_key(header::DATE) {
        service.insert_common_headers(headers, context.is_guarded, &service.moment());
    }
    if let Ok(id) = HeaderValue::from_maybe_shared(Bytes::copy_from_slice(&context.id)) {
        headers.insert(REQUEST_ID, id);
    }
    if let Some(auth) = context.auth() {
        headers.insert(RATE_LIMIT_POLICY, auth.key.policy.clone());
        headers.insert(RATE_LIMIT, rate_header(auth, context.charged()));
    }
    let (is_public, by_accept) = (context.public().is_some(), context.is_formed_by_accept());
    if is_public || by_accept {
        headers.insert(header::VARY, vary(by_accept, !is_public && service.cors.is_on()));
    }
    if let Some(readers) = context.public() {
        // What a shared cache keeps says nothing of what one address has left.
        headers.insert(RATE_LIMIT_POLICY, readers.policy.clone());
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, crate::cors::ANY_ORIGIN);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, crate::cors::EXPOSED);
    } else if let Some(origin) = service.cors.allowed_origin(context.origin.as_ref()) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, crate::cors::EXPOSED);
    }
    // A body that was announced but not read makes the rest of the connection unreadable.
    if context.has_body && context.version <= Version::HTTP_11 {
        headers.insert(header::CONNECTION, const { HeaderValue::from_static("close") });
    }
}

fn record(context: &RequestContext, status: u16, bytes: u64) {
    let (service, elapsed) = (&context.service, context.begun.elapsed());
    service.metrics.count_request(context.label(), status, elapsed, bytes);
    // Nothing is looked at unless somebody collects traces, who leaves out what was quick.
    tracing::info!(
        target: TRACE_TARGET,
        microseconds = elapsed.as_micros() as u64,
        http.request.method = context.method.as_str(),
        url.path = &*context.path,
        http.response.status_code = status,
        gsi.endpoint = context.label(),
        gsi.request_id = context.request_id(),
    );
    if service.log.is_on() {
        service.log.push(LogLine {
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
