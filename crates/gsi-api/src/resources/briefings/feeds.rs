//! Briefings for feed readers: Atom 1.0 (RFC 4287) and JSON Feed 1.1, the newest first.

use crate::auth::public::{ATOM_PATH, JSON_FEED_PATH};
use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::form::AnswerForm;
use crate::representation::syndication::{JsonFeedBody, SyndicatedEntry, Syndication};
use crate::request::as_of::pinned_tick;
use crate::request::formed::{AtomResponse, JsonFeedResponse};
use crate::request::query::Query;
use crate::request::service::RequestService;
use crate::resources::briefings::query::TagFilter;
use axum::response::Response;
use gsi_model::{Briefing, Timestamp};
use gsi_store::BriefingQuery;

/// Most entries of a feed: about a week of briefings.
const ENTRIES: usize = 50;

/// Briefings as Atom
///
/// The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name.
#[utoipa::path(
    get, path = "/briefings.atom", operation_id = "getBriefingsAtom", tag = "briefings", params(TagFilter),
    responses((status = 200, description = "The feed.", body = String, content_type = "application/atom+xml"))
)]
pub async fn atom(
    AtomResponse(response): AtomResponse,
    Query(tags): Query<TagFilter>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, &tags, AnswerForm::Atom)).await
}

/// Briefings as JSON Feed
///
/// The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name.
#[utoipa::path(
    get, path = "/briefings.json", operation_id = "getBriefingsJsonFeed", tag = "briefings", params(TagFilter),
    responses((status = 200, description = "The feed.", body = JsonFeedBody, content_type = "application/feed+json"))
)]
pub async fn json_feed(
    JsonFeedResponse(response): JsonFeedResponse,
    Query(tags): Query<TagFilter>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, &tags, AnswerForm::JsonFeed)).await
}

fn page(service: &RequestService, tags: &TagFilter, form: AnswerForm) -> Result<Page, RequestRefusal> {
    let tick = pinned_tick(service, None)?;
    let asked = BriefingQuery {
        as_of: tick,
        since: Timestamp::MIN,
        until: Timestamp::MAX,
        tags: tags.sorted(),
        after: None,
        limit: ENTRIES,
    };
    let briefings = service.store.briefings(&asked)?;
    let feed = Syndication {
        topic: "briefings",
        description: "Daily briefings on how stable the world is.",
        entries: briefings.iter().map(entry).collect(),
        tick,
        is_simulated: service.published.simulated,
        address: &service.exposure.public.url,
    };
    Ok(feed.page(form, ATOM_PATH, JSON_FEED_PATH))
}

fn entry(briefing: &Briefing) -> SyndicatedEntry<'_> {
    SyndicatedEntry {
        id: briefing.id.as_str(),
        page: format!("/?view=briefings&briefing={}", briefing.id),
        title: &briefing.headline,
        content: &briefing.summary,
        published_at: briefing.published_at,
        tags: briefing.tags.clone(),
    }
}
