//! The key that the request was made with.

use axum::response::Response;
use gsi_serve::context::ResponseContext;
use gsi_serve::encoded_body::EncodedBody;
use gsi_serve::problem::{ProblemCode, RequestRefusal};
use gsi_serve::query::{NoParameters, Query};
use gsi_wire::service::{KeySelf, Quota};

/// The caller's key
///
/// Scopes, expiry and quota of the key the request was made with. Any valid key may ask.
#[utoipa::path(
    get, path = "/v1/keys/self", operation_id = "getOwnKey", tag = "service",
    responses((status = 200, description = "The key, without its secret.", body = KeySelf))
)]
pub async fn key_self(response: ResponseContext, _: Query<NoParameters>) -> Result<Response, RequestRefusal> {
    let auth = response.request.auth();
    let key = &auth.ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The request has no key."))?.key;
    let left = key.remaining(response.service.nanos(response.request.begun));
    let body = gsi_wire::bytes(&KeySelf {
        id: key.id.clone(),
        name: key.name.clone(),
        scopes: key.scopes.iter().map(|s| s.key()).collect(),
        created_at: key.created_at,
        expires_at: key.expires_at,
        quota: key.rate.map(|r| Quota {
            per_minute: r.per_minute,
            burst: r.burst,
            remaining: left.remaining,
            reset_seconds: left.reset,
        }),
    });
    Ok(response.document(&EncodedBody::new(body), response.service.clock.now()))
}
