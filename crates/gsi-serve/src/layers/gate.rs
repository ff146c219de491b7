//! Who may go on: heads within the limits, preflights of browsers, and under `/v1` only requests with a key that is in
//! force and has quota left, or for what an operator has published. The order is part of the contract: strangers learn nothing before their key is looked at.

use super::{Call, LayerAnswer, answer};
use crate::cors::{self, is_preflight};
use crate::guarded::FEED_PATHS;
use crate::key_ring::{AuthContext, KeySchemes, claimed_id};
use crate::problem::{ProblemCode, RequestRefusal};
use crate::public_reading::PublicReading;
use crate::session;
use crate::settings::{MAX_HEADER_COUNT, MAX_HEADERS, MAX_REQUEST_LINE};
use axum::response::{IntoResponse, Response};
use futures_util::future::{BoxFuture, Either};
use gsi_model::{Clock, SystemClock};
use http::Uri;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

#[derive(Clone)]
pub struct Gate<S> {
    inner: S,
    /// What passes without a key, where an operator publishes something.
    public: Option<Arc<PublicReading>>,
}

impl<S> Gate<S> {
    pub fn new(inner: S, public: Option<Arc<PublicReading>>) -> Self {
        Gate { inner, public }
    }
}

impl<S> tower::Service<Call> for Gate<S>
where
    S: tower::Service<Call, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    /// Boxed where a key has to be looked for first.
    type Future = Either<LayerAnswer<S::Future>, BoxFuture<'static, Result<Response, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        if let Err(refusal) = check_size(&call) {
            return Either::Left(answer(refusal));
        }
        if is_preflight(&call.request) {
            let cors = &call.context.service.cors;
            let is_public = || self.public.as_ref().is_some_and(|p| p.has_path(call.request.uri().path()));
            if cors.allowed_origin(call.context.origin.as_ref()).is_none() && is_public() {
                return Either::Left(answer(cors::public_preflight()));
            }
            if cors.is_on() {
                return Either::Left(answer(cors::preflight()));
            }
        }
        let refusal = match admit(&call, self.public.as_deref()) {
            Ok(()) => return Either::Left(Either::Right(self.inner.call(call))),
            Err(refusal) => refusal,
        };
        let headers = call.request.headers();
        let unknown = || call.context.service.keys.unknown_id(headers, key_schemes(call.request.uri()));
        let may_be_new = refusal.code == ProblemCode::InvalidCredentials;
        let Some(id) = may_be_new.then(unknown).flatten() else { return Either::Left(answer(refusal)) };
        let (mut inner, public) = (self.inner.clone(), self.public.clone());
        Either::Right(Box::pin(async move {
            if !call.context.service.finds_new_key(&id, call.context.begun).await {
                return Ok(refusal.into_response());
            }
            match admit(&call, public.as_deref()) {
                Ok(()) => inner.call(call).await,
                Err(refusal) => Ok(refusal.into_response()),
            }
        }))
    }
}

/// The HTTP library reads a little more than is allowed, so that most of what is too large can be told so here.
fn check_size(call: &Call) -> Result<(), RequestRefusal> {
    let head = &call.context.head;
    let line = line_length(call.request.uri(), call.context.method.as_str());
    if line > MAX_REQUEST_LINE {
        let detail = format!("The request line may have {MAX_REQUEST_LINE} bytes.");
        return Err(RequestRefusal::new(ProblemCode::UriTooLong, detail));
    }
    if line + head.bytes > MAX_HEADERS || head.count > MAX_HEADER_COUNT {
        let detail = format!("The request head may have {MAX_HEADERS} bytes and {MAX_HEADER_COUNT} headers.");
        return Err(RequestRefusal::new(ProblemCode::HeadersTooLarge, detail));
    }
    Ok(())
}

/// The request line as it was sent, line end included.
fn line_length(uri: &Uri, method: &str) -> usize {
    let origin = uri.scheme_str().map_or(0, |s| s.len() + "://".len())
        + uri.authority().map_or(0, |a| a.as_str().len());
    let target = origin + uri.path().len() + uri.query().map_or(0, |q| q.len() + 1);
    method.len() + 1 + target + " HTTP/1.1\r\n".len()
}

fn admit(call: &Call, public: Option<&PublicReading>) -> Result<(), RequestRefusal> {
    let (service, context) = (&call.context.service, &call.context);
    if !context.is_guarded {
        return Ok(());
    }
    let nanos = service.nanos(context.begun);
    let headers = call.request.headers();
    let session = session::of_read(&context.method, call.request.uri(), headers);
    if let Some(public) = public
        && session.is_none()
        && let Some(readers) = public.admit(&context.method, call.request.uri(), headers)
    {
        context.set_public(readers);
        let verdict = public.take(context.client, nanos);
        if !verdict.allowed {
            let detail = "This address has used up what it may ask without a key for the moment.";
            return Err(
                RequestRefusal::new(ProblemCode::RateLimited, detail).retry_after(verdict.retry_after)
            );
        }
        return Ok(());
    }
    let schemes = key_schemes(call.request.uri());
    let key = match &session {
        None => service.keys.authenticate(headers, schemes, context.client, context.at, nanos),
        Some(token) => {
            let wall = SystemClock.now();
            service.keys.authenticate_session(token, context.client, (context.at, wall), nanos)
        }
    };
    let key = key.inspect_err(|_| {
        if let Some(id) = claimed_id(headers, schemes) {
            context.set_refused_key(id);
        }
    })?;
    let verdict = key.take(nanos);
    context.set_auth(AuthContext { key, verdict });
    if !verdict.allowed {
        let refusal =
            RequestRefusal::new(ProblemCode::RateLimited, "The key has used up its quota for the moment.");
        return Err(refusal.retry_after(verdict.retry_after));
    }
    Ok(())
}

/// What is made for feed readers and spreadsheets takes a key the way they can send one.
fn key_schemes(uri: &Uri) -> KeySchemes {
    let is_table = uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "format=csv"));
    if is_table || FEED_PATHS.contains(&uri.path()) { KeySchemes::BearerOrBasic } else { KeySchemes::Bearer }
}
