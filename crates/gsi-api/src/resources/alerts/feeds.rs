//! Alerts for feed readers: Atom 1.0 (RFC 4287) and JSON Feed 1.1, the newest first.

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::form::AnswerForm;
use crate::representation::syndication::{JsonFeedBody, SyndicatedEntry, Syndication};
use crate::request::as_of::pinned_tick;
use crate::request::formed::{AtomResponse, JsonFeedResponse};
use crate::request::query::{NoParameters, Query};
use crate::request::service::RequestService;
use axum::response::Response;
use gsi_model::{Alert, AlertRuleKind};
use gsi_store::AlertQuery;

const ATOM_PATH: &str = "/alerts.atom";
const JSON_FEED_PATH: &str = "/alerts.json";
/// Most entries of a feed: about a week of alerts.
const ENTRIES: usize = 50;

/// Alerts as Atom
///
/// The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be sent as the password of
/// HTTP Basic, with any user name.
#[utoipa::path(
    get, path = "/alerts.atom", operation_id = "getAlertsAtom", tag = "alerts",
    responses((status = 200, description = "The feed.", body = String, content_type = "application/atom+xml"))
)]
pub async fn atom(
    AtomResponse(response): AtomResponse,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, AnswerForm::Atom)).await
}

/// Alerts as JSON Feed
///
/// The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be sent as the password of
/// HTTP Basic, with any user name.
#[utoipa::path(
    get, path = "/alerts.json", operation_id = "getAlertsJsonFeed", tag = "alerts",
    responses((status = 200, description = "The feed.", body = JsonFeedBody, content_type = "application/feed+json"))
)]
pub async fn json_feed(
    JsonFeedResponse(response): JsonFeedResponse,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, AnswerForm::JsonFeed)).await
}

fn page(service: &RequestService, form: AnswerForm) -> Result<Page, RequestRefusal> {
    let tick = pinned_tick(service, None)?;
    let mut alerts = Vec::new();
    for rule in AlertRuleKind::PUBLIC.into_iter().filter(|rule| *rule != AlertRuleKind::Briefing) {
        let asked = AlertQuery { rule: Some(rule), limit: ENTRIES, ..AlertQuery::any(tick) };
        alerts.extend(service.store.alerts(&asked)?);
    }
    alerts.sort_by(|a, b| b.began_at.cmp(&a.began_at).then_with(|| a.id.cmp(&b.id)));
    alerts.truncate(ENTRIES);
    let feed = Syndication {
        topic: "alerts",
        description: "What went on alert.",
        entries: alerts.iter().map(entry).collect(),
        tick,
        is_simulated: service.published.simulated,
        address: &service.exposure.public.url,
    };
    Ok(feed.page(form, ATOM_PATH, JSON_FEED_PATH))
}

fn entry(alert: &Alert) -> SyndicatedEntry<'_> {
    SyndicatedEntry {
        id: alert.id.as_str(),
        page: format!("/?view=alerts&alert={}", alert.id),
        title: &alert.headline,
        content: &alert.headline,
        published_at: alert.began_at,
        tags: vec![alert.rule.to_string(), alert.subject.clone()],
    }
}
