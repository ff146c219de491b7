//! The key that the request was made with.

pub(crate) mod body;

use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::context::ResponseContext;
use crate::request::query::{NoParameters, Query};
use crate::resources::keys::body::{KeySelf, Quota};
use axum::response::Response;

/// The caller's key
///
/// Scopes, expiry and quota of the key the request was made with. Any valid key may ask.
#[utoipa::path(
    get, path = "/v1/keys/self", operation_id = "getOwnKey", tag = "service",
    responses((status = 200, description = "The key, without its secret.", body = KeySelf))
)]
pub async fn own(response: ResponseContext, _: Query<NoParameters>) -> Result<Response, RequestRefusal> {
    let auth = response.request.auth();
    let key = &auth.ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The request has no key."))?.key;
    let left = key.remaining(response.service.nanos(response.request.begun));
    let body = json_bytes(&KeySelf {
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
