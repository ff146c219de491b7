//! Every feed and how it is doing.

use axum::response::Response;
use gsi_serve::context::ResponseContext;
use gsi_serve::encoded_body::EncodedBody;
use gsi_serve::query::{NoParameters, Query};
use gsi_wire::service::FeedsBody;

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
    response.document(&EncodedBody::new(gsi_wire::bytes(&body)), now)
}
