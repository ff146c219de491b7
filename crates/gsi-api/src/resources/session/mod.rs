//! `/session`: a page of this service exchanges its key for a cookie, renews the cookie and removes it.

use crate::auth::authenticate::authenticate;
use crate::auth::endpoint::{Access, Endpoint};
use crate::auth::key_ring::{KeySchemes, missing};
use crate::auth::session::{self, SESSION_PATH, SESSION_SECONDS};
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::headers::{JSON, NO_STORE};
use crate::request::context::RequestContext;
use crate::state::service::Service;
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, Router};
use gsi_model::{Clock, SystemClock};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use serde_json::json;
use std::sync::Arc;

/// Adds `/session` to the router. Its handler checks the key itself, because signing out needs none.
pub fn mount(router: Router<Arc<Service>>) -> Router<Arc<Service>> {
    let endpoint = Endpoint::unlisted(SESSION_PATH.to_owned(), "session", Access::Everyone);
    let methods = post(open).delete(close).fallback(refuse_method);
    router.route(SESSION_PATH, methods.layer(from_fn_with_state(Arc::new(endpoint), authenticate)))
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
        match authenticate() {
            Err(refusal)
                if refusal.code == ProblemCode::InvalidCredentials
                    && service.finds_new_key(&headers, KeySchemes::Bearer, context.begun).await =>
            {
                authenticate()?
            }
            known => known?,
        }
    } else {
        let token = session::find(&uri, &headers).ok_or_else(|| missing(KeySchemes::Bearer))?;
        service.keys.authenticate_session(&token, context.client, (now, wall), nanos)?
    };
    key.take(nanos).check("The key has used up its quota for the moment.")?;
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

/// Only pages of this service sign in and out, and their requests have no body.
fn check(context: &RequestContext, headers: &HeaderMap) -> Result<(), RequestRefusal> {
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

async fn refuse_method() -> RequestRefusal {
    RequestRefusal::new(
        ProblemCode::MethodNotAllowed,
        "A session is opened with POST and closed with DELETE.",
    )
    .with(header::ALLOW, HeaderValue::from_static("POST, DELETE"))
}
