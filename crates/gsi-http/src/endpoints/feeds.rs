//! Every feed and how it is doing.

use crate::context::ResponseContext;
use crate::encoded_body::EncodedBody;
use crate::query::{NoParameters, Query};
use crate::wire;
use crate::wire::service::FeedsBody;
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
    response.document(&EncodedBody::new(wire::bytes(&body)), now)
}
