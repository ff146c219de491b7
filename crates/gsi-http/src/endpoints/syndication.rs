//! Briefings for feed readers: Atom 1.0 (RFC 4287) and JSON Feed 1.1, the newest first.

use super::list::sorted;
use super::{pinned_tick, store_failed};
use crate::context::ResponseContext;
use crate::encoded_body::EncodedBody;
use crate::form::AnswerForm;
use crate::guarded::{ATOM_PATH, JSON_FEED_PATH};
use crate::pages::Page;
use crate::problem::RequestRefusal;
use crate::query::{Query, QueryParameters, QueryReader, document_parameters};
use crate::service::Service;
use crate::wire::syndication::{BriefingFeed, JsonFeedBody};
use axum::extract::FromRequestParts;
use axum::response::Response;
use gsi_model::Timestamp;
use gsi_store::BriefingQuery;
use http::request::Parts;
use std::sync::Arc;

/// Entries of a feed: about a week of them.
const ENTRIES: usize = 50;

/// What a feed can be asked for.
pub struct FeedQuery {
    tags: Vec<String>,
}

impl QueryParameters for FeedQuery {
    fn read(query: &mut QueryReader) -> Self {
        FeedQuery { tags: sorted(query.tags()) }
    }
}

document_parameters!(FeedQuery);

/// An answer as Atom.
pub struct AtomResponse(ResponseContext);

impl FromRequestParts<Arc<Service>> for AtomResponse {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        ResponseContext::negotiate(parts, service, AnswerForm::Atom).map(AtomResponse)
    }
}

/// An answer as JSON Feed.
pub struct JsonFeedResponse(ResponseContext);

impl FromRequestParts<Arc<Service>> for JsonFeedResponse {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        ResponseContext::negotiate(parts, service, AnswerForm::JsonFeed).map(JsonFeedResponse)
    }
}

/// Briefings as Atom
///
/// The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name.
#[utoipa::path(
    get, path = "/briefings.atom", operation_id = "getBriefingsAtom", tag = "briefings", params(FeedQuery),
    responses((status = 200, description = "The feed.", body = String, content_type = "application/atom+xml"))
)]
pub async fn atom(
    AtomResponse(response): AtomResponse,
    Query(query): Query<FeedQuery>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, query, AnswerForm::Atom)).await
}

/// Briefings as JSON Feed
///
/// The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name.
#[utoipa::path(
    get, path = "/briefings.json", operation_id = "getBriefingsJsonFeed", tag = "briefings", params(FeedQuery),
    responses((status = 200, description = "The feed.", body = JsonFeedBody, content_type = "application/feed+json"))
)]
pub async fn json_feed(
    JsonFeedResponse(response): JsonFeedResponse,
    Query(query): Query<FeedQuery>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, query, AnswerForm::JsonFeed)).await
}

fn page(service: &Service, query: FeedQuery, form: AnswerForm) -> Result<Page, RequestRefusal> {
    let tick = pinned_tick(service, None)?;
    let asked = BriefingQuery {
        as_of: tick,
        since: Timestamp::MIN,
        until: Timestamp::MAX,
        tags: query.tags,
        after: None,
        limit: ENTRIES,
    };
    let briefings = service.store.briefings(&asked).map_err(store_failed)?;
    let feed = BriefingFeed { briefings: &briefings, tick, is_simulated: service.published.simulated };
    let bytes = match form {
        AnswerForm::Atom => feed.atom(ATOM_PATH),
        _ => feed.json_feed(JSON_FEED_PATH),
    };
    Ok(Page::new(form, EncodedBody::new(bytes), tick))
}
