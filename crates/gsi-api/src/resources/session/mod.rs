//! `/session`: a page of this service exchanges its key for a cookie, renews it, and gives it back.

use crate::auth::key_ring::{KeySchemes, missing};
use crate::auth::session::{self, SESSION_PATH, SESSION_SECONDS};
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::headers::{JSON, NO_STORE};
use crate::request::context::RequestContext;
use crate::state::service::Service;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, Router};
use gsi_model::{Clock, SystemClock};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use serde_json::json;
use std::sync::Arc;

const LABEL: &str = "session";

/// The router with `/session` on it. It looks at the key itself: signing out needs none.
pub fn mount(router: Router<Arc<Service>>) -> Router<Arc<Service>> {
    router.route(SESSION_PATH, post(open).delete(close).fallback(refuse_method))
}

async fn open(
    State(service): State<Arc<Service>>,
    Extension(context): Extension<Arc<RequestContext>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, RequestRefusal> {
    check(&context, &headers)?;
    let (now, wall) = (service.clock.now(), SystemClock.now());
    let nanos = service.nanos(context.begun);
    let key = if headers.contains_key(header::AUTHORIZATION) {
        let authenticate =
            || service.keys.authenticate(&headers, KeySchemes::Bearer, context.client, now, nanos);
        match (authenticate(), service.keys.unknown_id(&headers, KeySchemes::Bearer)) {
            (Err(refusal), Some(id))
                if refusal.code == ProblemCode::InvalidCredentials
                    && service.finds_new_key(&id, context.begun).await =>
            {
                authenticate()?
            }
            (known, _) => known?,
        }
    } else {
        let token = session::find(&uri, &headers).ok_or_else(|| missing(KeySchemes::Bearer))?;
        service.keys.authenticate_session(&token, context.client, (now, wall), nanos)?
    };
    let verdict = key.take(nanos);
    if !verdict.allowed {
        let detail = "The key has used up its quota for the moment.";
        return Err(RequestRefusal::new(ProblemCode::RateLimited, detail).retry_after(verdict.retry_after));
    }
    let ends_at = wall.plus(SESSION_SECONDS);
    let cookie = session::set_cookie(&uri, &headers, &session::open(&key, ends_at), SESSION_SECONDS);
    let body = json!({ "expires_at": ends_at }).to_string();
    Ok((with_cookie(&cookie)?, [(header::CONTENT_TYPE, JSON)], body).into_response())
}

async fn close(
    Extension(context): Extension<Arc<RequestContext>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, RequestRefusal> {
    check(&context, &headers)?;
    let cookie = session::set_cookie(&uri, &headers, "", 0);
    Ok((StatusCode::NO_CONTENT, with_cookie(&cookie)?).into_response())
}

/// Only the service's own page signs in and out, and sends nothing along.
fn check(context: &RequestContext, headers: &HeaderMap) -> Result<(), RequestRefusal> {
    context.set_label(LABEL);
    context.check_head()?;
    if session::is_own(headers) {
        return Ok(());
    }
    Err(RequestRefusal::new(ProblemCode::BadRequest, "Only a page of this service opens a session."))
}

fn with_cookie(cookie: &str) -> Result<HeaderMap, RequestRefusal> {
    let cookie = HeaderValue::from_str(cookie)
        .map_err(|_| RequestRefusal::new(ProblemCode::Internal, "The session could not be written."))?;
    Ok(HeaderMap::from_iter([(header::SET_COOKIE, cookie), (header::CACHE_CONTROL, NO_STORE)]))
}

async fn refuse_method(Extension(context): Extension<Arc<RequestContext>>) -> RequestRefusal {
    context.set_label(LABEL);
    RequestRefusal::new(
        ProblemCode::MethodNotAllowed,
        "A session is opened with POST and closed with DELETE.",
    )
    .with(header::ALLOW, HeaderValue::from_static("POST, DELETE"))
}
