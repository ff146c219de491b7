//! The key that the request was made with.

use crate::context::ResponseContext;
use crate::encoded_body::EncodedBody;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::query::{NoParameters, Query};
use crate::wire;
use crate::wire::service::KeySelf;
use axum::response::Response;

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
    let body = wire::bytes(&KeySelf::of(key, left));
    Ok(response.document(&EncodedBody::new(body), response.service.clock.now()))
}
