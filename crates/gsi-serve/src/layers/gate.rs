//! Who may go on: heads within the limits, preflights of browsers, and under `/v1` only requests with a key that is in
//! force and has quota left, or for what an operator has published. The order is part of the contract: strangers learn nothing before their key is looked at.

use super::prepared_answers::PreparedAnswers;
use super::{Answer, Call, LayeredResponse};
use crate::cors::{self, is_preflight};
use crate::guarded::FEED_PATHS;
use crate::key_ring::{AuthContext, KeySchemes, claimed_id};
use crate::problem::{ProblemCode, RequestRefusal};
use crate::public_reading::PublicReading;
use crate::session;
use crate::settings::{MAX_HEADER_COUNT, MAX_HEADERS, MAX_REQUEST_LINE};
use gsi_model::{Clock, KeyId, SystemClock};
use http::Uri;
use std::convert::Infallible;
use std::sync::Arc;

#[derive(Clone)]
pub struct Gate {
    inner: PreparedAnswers,
    /// What passes without a key, where an operator publishes something.
    public: Option<Arc<PublicReading>>,
}

impl Gate {
    pub fn new(inner: PreparedAnswers, public: Option<Arc<PublicReading>>) -> Self {
        Gate { inner, public }
    }

    pub fn answer(&self, call: Call) -> Answer {
        if let Err(refusal) = check_size(&call) {
            return Answer::of(refusal);
        }
        if is_preflight(&call.request) {
            let cors = &call.context.service.cors;
            let is_public = || self.public.as_ref().is_some_and(|p| p.has_path(call.request.uri().path()));
            if cors.allowed_origin(call.context.origin.as_ref()).is_none() && is_public() {
                return Answer::of(cors::public_preflight());
            }
            if cors.is_on() {
                return Answer::of(cors::preflight());
            }
        }
        let refusal = match admit(&call, self.public.as_deref()) {
            Ok(()) => return self.inner.answer(call),
            Err(refusal) => refusal,
        };
        let headers = call.request.headers();
        let unknown = || call.context.service.keys.unknown_id(headers, key_schemes(call.request.uri()));
        let may_be_new = refusal.code == ProblemCode::InvalidCredentials;
        match may_be_new.then(unknown).flatten() {
            Some(id) => Answer::Later(Box::pin(self.clone().answer_to_new_key(call, id, refusal))),
            None => Answer::of(refusal),
        }
    }

    /// The key is not known, and may have been made a moment ago.
    async fn answer_to_new_key(
        self,
        call: Call,
        id: KeyId,
        refusal: RequestRefusal,
    ) -> Result<LayeredResponse, Infallible> {
        let answer = if call.context.service.finds_new_key(&id, call.context.begun).await {
            call.context.look_at_clock();
            match admit(&call, self.public.as_deref()) {
                Ok(()) => self.inner.answer(call),
                Err(refusal) => Answer::of(refusal),
            }
        } else {
            Answer::of(refusal)
        };
        match answer {
            Answer::Now(response) => Ok(response),
            Answer::Later(response) => response.await,
        }
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
        None => service.keys.authenticate(headers, schemes, context.client, context.at(), nanos),
        Some(token) => {
            let wall = SystemClock.now();
            service.keys.authenticate_session(token, context.client, (context.at(), wall), nanos)
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
