//! The list of feeds and their health.

pub(crate) mod body;

use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::context::ResponseContext;
use crate::request::query::{NoParameters, Query};
use crate::resources::feeds::body::FeedsBody;
use axum::response::Response;

/// Feeds and their health
///
/// Every feed: origin, licence, freshness, rows accepted and rejected.
#[utoipa::path(
    get, path = "/v1/feeds", operation_id = "listFeeds", tag = "service",
    responses((status = 200, description = "The feeds.", body = FeedsBody))
)]
pub async fn list(response: ResponseContext, _: Query<NoParameters>) -> Response {
    let (published, now) = (&response.service.published, response.service.clock.now());
    let body = FeedsBody::of(&published.origins, &published.feeds.load(), now);
    response.document(&EncodedBody::new(json_bytes(&body)), now)
}
