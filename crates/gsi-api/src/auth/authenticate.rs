//! The layer that decides whether a request may reach an endpoint. Every route has it once, with the endpoint's declared
//! access, and so has the fallback for paths that no route matches.
//!
//! The order of the checks is part of the contract: the head's size, a browser's preflight, the key and its quota, and
//! only then what the endpoint asks for. Without a valid key a client learns nothing else.

use crate::auth::cors::{self, is_preflight};
use crate::auth::endpoint::{Access, Endpoint};
use crate::auth::key_ring::{AuthContext, claimed_id};
use crate::auth::session;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::request::context::{RequestContext, UNKNOWN};
use crate::settings::{MAX_HEADER_COUNT, MAX_HEADERS, MAX_REQUEST_LINE};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use gsi_model::{Clock, SystemClock};
use http::{Method, Uri};
use std::sync::Arc;

/// A path that no route matches and that is `/v1` or below, or could be read as such.
static UNKNOWN_RESOURCE: Endpoint = Endpoint::unlisted(String::new(), UNKNOWN, Access::KeyAlone);
/// Any other path that no route matches: pages, files, health.
static SITE: Endpoint = Endpoint::unlisted(String::new(), "outside", Access::Everyone);

/// The layer of one endpoint.
pub(crate) async fn authenticate(
    State(endpoint): State<Arc<Endpoint>>,
    request: Request,
    next: Next,
) -> Result<Response, RequestRefusal> {
    admit_and_run(&endpoint, request, next).await
}

/// The same layer for paths that no route matches.
pub(crate) async fn authenticate_unmatched(request: Request, next: Next) -> Result<Response, RequestRefusal> {
    let endpoint = if may_mean_v1(request.uri().path()) { &UNKNOWN_RESOURCE } else { &SITE };
    admit_and_run(endpoint, request, next).await
}

async fn admit_and_run(
    endpoint: &Endpoint,
    request: Request,
    next: Next,
) -> Result<Response, RequestRefusal> {
    let context = request.extensions().get::<Arc<RequestContext>>().cloned();
    let context =
        context.ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The request is not known."))?;
    if endpoint.access != Access::Everyone {
        context.set_guarded();
    }
    // A tool call asks on behalf of a request that has been through this layer, with that request's key.
    if context.auth().is_none() {
        let mut outcome = admit(endpoint, &context, &request);
        let is_invalid = matches!(&outcome, Err(refusal) if refusal.code == ProblemCode::InvalidCredentials);
        let schemes = endpoint.key_schemes(request.uri());
        if is_invalid && context.service.finds_new_key(request.headers(), schemes, context.begun).await {
            context.read_clock();
            outcome = admit(endpoint, &context, &request);
        }
        if let Some(answer) = outcome? {
            return Ok(answer);
        }
    }
    context.set_label(endpoint.label);
    // Another method is refused before the scope is checked.
    if endpoint.access.is_read() && matches!(context.method, Method::GET | Method::HEAD) {
        endpoint.check_scope(&context)?;
        context.check_head()?;
    }
    Ok(next.run(request).await)
}

/// Refuses the request, or returns the answer to a preflight, or admits it and stores who asks in the context.
fn admit(
    endpoint: &Endpoint,
    context: &RequestContext,
    request: &Request,
) -> Result<Option<Response>, RequestRefusal> {
    check_size(context, request.uri())?;
    if is_preflight(request)
        && let Some(answer) = answer_preflight(endpoint, context)
    {
        return Ok(Some(answer));
    }
    if endpoint.access == Access::Everyone {
        return Ok(None);
    }
    let (service, uri, headers) = (&context.service, request.uri(), request.headers());
    let nanos = service.nanos(context.begun);
    let session = session::of_read(&context.method, uri, headers);
    if let Some(public) = &service.exposure.public_reading
        && session.is_none()
        && public.admits(endpoint, &context.method, uri, headers)
    {
        context.set_public();
        let verdict = public.take(context.client, nanos);
        let detail = "This address has used up what it may ask without a key for the moment.";
        return verdict.check(detail).map(|()| None);
    }
    let schemes = endpoint.key_schemes(uri);
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
    verdict.check("The key has used up its quota for the moment.").map(|()| None)
}

/// `None`: no other origin may read this, so the request is treated like any other.
fn answer_preflight(endpoint: &Endpoint, context: &RequestContext) -> Option<Response> {
    let exposure = &context.service.exposure;
    let is_allowed_origin = exposure.cors.allowed_origin(context.origin.as_ref()).is_some();
    if !is_allowed_origin && exposure.public_reading.as_ref().is_some_and(|public| public.opens(endpoint)) {
        return Some(cors::public_preflight());
    }
    exposure.cors.is_on().then(cors::preflight)
}

/// Refuses a head that is too large. The HTTP library reads more than is allowed, so that most clients get a problem
/// document instead of its bare status.
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

/// The length of the request line as it was sent, with the end of the line.
fn line_length(uri: &Uri, method: &str) -> usize {
    let origin = uri.scheme_str().map_or(0, |s| s.len() + "://".len())
        + uri.authority().map_or(0, |a| a.as_str().len());
    let target = origin + uri.path().len() + uri.query().map_or(0, |q| q.len() + 1);
    method.len() + 1 + target + " HTTP/1.1\r\n".len()
}

/// Whether a path that no route matches is `/v1` or below, or could become so: a proxy may decode escapes, fold slashes or
/// resolve dots on the way. Without a key such a path is refused like every path under `/v1`.
fn may_mean_v1(path: &str) -> bool {
    let is_escaped = path.bytes().any(|b| matches!(b, b'%' | b'\\') || !b.is_ascii_graphic());
    let goes_up = path.split('/').any(|segment| segment == "..");
    let first = path.split('/').find(|segment| !matches!(*segment, "" | ".")).unwrap_or_default();
    // What follows a semicolon is a parameter of the segment.
    let name = first.split(';').next().unwrap_or_default();
    is_escaped || goes_up || name.eq_ignore_ascii_case("v1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_that_could_be_v1_needs_a_key() {
        for path in [
            "/v1",
            "/v1/",
            "/v1/x",
            "//v1/x",
            "/v1%2fx",
            "/%761/x",
            "/%76%31",
            "/V1/x",
            "/./v1/x",
            "/x/../v1/y",
            "/%2e/v1",
            "\\v1",
            "/v1\\x",
            "/%5cv1",
            "/v1;a=b/x",
            "/%2576%2531/x",
            "/v1/../healthz",
            "/v1%00/x",
            "/v1%20/x",
            "v1/x",
        ] {
            assert!(may_mean_v1(path), "{path}");
        }
        for path in ["/", "/v10/x", "/v2/x", "/healthz", "/a/v1", "/docs/v1", "*", ""] {
            assert!(!may_mean_v1(path), "{path}");
        }
    }
}
