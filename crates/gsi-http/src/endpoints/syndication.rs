//! Briefings and alerts for feed readers: Atom 1.0 (RFC 4287) and JSON Feed 1.1, the newest first.

use super::list::sorted;
use super::{pinned_tick, store_failed};
use axum::extract::FromRequestParts;
use axum::response::Response;
use gsi_model::{Alert, AlertRuleKind, Briefing, Timestamp};
use gsi_serve::context::ResponseContext;
use gsi_serve::encoded_body::EncodedBody;
use gsi_serve::form::AnswerForm;
use gsi_serve::pages::Page;
use gsi_serve::problem::RequestRefusal;
use gsi_serve::public::{ATOM_PATH, JSON_FEED_PATH};
use gsi_serve::query::{NoParameters, Query, QueryParameters, QueryReader, document_parameters};
use gsi_serve::service::Service;
use gsi_store::{AlertQuery, BriefingQuery};
use gsi_wire::syndication::{JsonFeedBody, SyndicatedEntry, Syndication};
use http::request::Parts;
use std::sync::Arc;

const ALERTS_ATOM_PATH: &str = "/alerts.atom";
const ALERTS_JSON_FEED_PATH: &str = "/alerts.json";
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

/// Alerts as Atom
///
/// The newest 50 for a feed reader, briefings aside: those have a feed of their own. The key may also be sent as the password of HTTP
/// Basic, with any user name.
#[utoipa::path(
    get, path = "/alerts.atom", operation_id = "getAlertsAtom", tag = "alerts",
    responses((status = 200, description = "The feed.", body = String, content_type = "application/atom+xml"))
)]
pub async fn alerts_atom(
    AtomResponse(response): AtomResponse,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| alerts_page(service, AnswerForm::Atom)).await
}

/// Alerts as JSON Feed
///
/// The newest 50 for a feed reader, briefings aside: those have a feed of their own. The key may also be sent as the password of HTTP
/// Basic, with any user name.
#[utoipa::path(
    get, path = "/alerts.json", operation_id = "getAlertsJsonFeed", tag = "alerts",
    responses((status = 200, description = "The feed.", body = JsonFeedBody, content_type = "application/feed+json"))
)]
pub async fn alerts_json_feed(
    JsonFeedResponse(response): JsonFeedResponse,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| alerts_page(service, AnswerForm::JsonFeed)).await
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
    let feed = Syndication {
        topic: "briefings",
        description: "Daily briefings on how stable the world is.",
        entries: briefings.iter().map(briefing_entry).collect(),
        tick,
        is_simulated: service.published.simulated,
        address: &service.exposure.public.url,
    };
    Ok(written(&feed, form, ATOM_PATH, JSON_FEED_PATH))
}

fn alerts_page(service: &Service, form: AnswerForm) -> Result<Page, RequestRefusal> {
    let tick = pinned_tick(service, None)?;
    let mut alerts = Vec::new();
    for rule in AlertRuleKind::PUBLIC.into_iter().filter(|rule| *rule != AlertRuleKind::Briefing) {
        let asked = AlertQuery { rule: Some(rule), limit: ENTRIES, ..AlertQuery::any(tick) };
        alerts.extend(service.store.alerts(&asked).map_err(store_failed)?);
    }
    alerts.sort_by(|a, b| b.began_at.cmp(&a.began_at).then_with(|| a.id.cmp(&b.id)));
    alerts.truncate(ENTRIES);
    let feed = Syndication {
        topic: "alerts",
        description: "What went on alert.",
        entries: alerts.iter().map(alert_entry).collect(),
        tick,
        is_simulated: service.published.simulated,
        address: &service.exposure.public.url,
    };
    Ok(written(&feed, form, ALERTS_ATOM_PATH, ALERTS_JSON_FEED_PATH))
}

fn written(feed: &Syndication<'_>, form: AnswerForm, atom: &'static str, json: &'static str) -> Page {
    let bytes = match form {
        AnswerForm::Atom => feed.atom(atom),
        _ => feed.json_feed(json),
    };
    Page::new(form, EncodedBody::new(bytes), feed.tick)
}

fn briefing_entry(briefing: &Briefing) -> SyndicatedEntry<'_> {
    SyndicatedEntry {
        id: briefing.id.as_str(),
        page: format!("/?view=briefings&briefing={}", briefing.id),
        title: &briefing.headline,
        content: &briefing.summary,
        published_at: briefing.published_at,
        tags: briefing.tags.clone(),
    }
}

fn alert_entry(alert: &Alert) -> SyndicatedEntry<'_> {
    SyndicatedEntry {
        id: alert.id.as_str(),
        page: format!("/?view=alerts&alert={}", alert.id),
        title: &alert.headline,
        content: &alert.headline,
        published_at: alert.began_at,
        tags: vec![alert.rule.to_string(), alert.subject.clone()],
    }
}
