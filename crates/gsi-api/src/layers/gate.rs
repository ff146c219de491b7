//! Who may go on: heads within the limits, preflights of browsers, and to what is guarded only requests with a key that is in
//! force and has quota left, or for what an operator has published. The order is a promise: strangers learn nothing before
//! their key is looked at.

use crate::auth::cors::{self, is_preflight};
use crate::auth::guarded::GuardedPaths;
use crate::auth::key_ring::{AuthContext, claimed_id};
use crate::auth::public_reading::PublicReading;
use crate::auth::session;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::request::context::RequestContext;
use crate::settings::{MAX_HEADER_COUNT, MAX_HEADERS, MAX_REQUEST_LINE};
use axum::response::{IntoResponse, Response};
use gsi_model::{Clock, KeyId, SystemClock};
use http::{Request, Uri};

pub struct Gate {
    guarded: GuardedPaths,
    /// What passes without a key, where an operator publishes something.
    public: Option<PublicReading>,
}

/// What becomes of a request at the gate.
pub enum GateVerdict {
    Admitted,
    Answered(Response),
    KeyMayBeNew(UnknownKey),
}

/// A well-formed key that is not known here, and the answer unless it turns out to have been made a moment ago.
pub struct UnknownKey {
    pub id: KeyId,
    pub refusal: RequestRefusal,
}

impl Gate {
    pub fn new(guarded: GuardedPaths, public: Option<PublicReading>) -> Self {
        Gate { guarded, public }
    }

    pub fn guards(&self, path: &str) -> bool {
        self.guarded.contain(path)
    }

    pub fn judge<B>(&self, context: &RequestContext, request: &Request<B>) -> GateVerdict {
        let (uri, headers) = (request.uri(), request.headers());
        if let Err(refusal) = check_size(context, uri) {
            return GateVerdict::Answered(refusal.into_response());
        }
        if is_preflight(request) {
            let cors = &context.service.exposure.cors;
            let is_public = || self.public.as_ref().is_some_and(|p| p.has_path(uri.path()));
            if cors.allowed_origin(context.origin.as_ref()).is_none() && is_public() {
                return GateVerdict::Answered(cors::public_preflight());
            }
            if cors.is_on() {
                return GateVerdict::Answered(cors::preflight());
            }
        }
        let Err(refusal) = self.admit(context, request) else { return GateVerdict::Admitted };
        let unknown = || context.service.keys.unknown_id(headers, self.guarded.key_schemes(uri));
        let may_be_new = refusal.code == ProblemCode::InvalidCredentials;
        match may_be_new.then(unknown).flatten() {
            Some(id) => GateVerdict::KeyMayBeNew(UnknownKey { id, refusal }),
            None => GateVerdict::Answered(refusal.into_response()),
        }
    }

    fn admit<B>(&self, context: &RequestContext, request: &Request<B>) -> Result<(), RequestRefusal> {
        let (service, uri, headers) = (&context.service, request.uri(), request.headers());
        if !context.is_guarded {
            return Ok(());
        }
        let nanos = service.nanos(context.begun);
        let session = session::of_read(&context.method, uri, headers);
        if let Some(public) = &self.public
            && session.is_none()
            && let Some(readers) = public.admit(&context.method, uri, headers)
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
        let schemes = self.guarded.key_schemes(uri);
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
            let refusal = RequestRefusal::new(
                ProblemCode::RateLimited,
                "The key has used up its quota for the moment.",
            );
            return Err(refusal.retry_after(verdict.retry_after));
        }
        Ok(())
    }
}

/// The HTTP library reads a little more than is allowed, so that most of what is too large can be told so here.
fn check_size(context: &RequestContext, uri: &Uri) -> Result<(), RequestRefusal> {
    let head = &context.head;
    let line = line_length(uri, context.method.as_str());
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
