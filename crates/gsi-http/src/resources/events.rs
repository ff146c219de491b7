//! The list of conflict events, plain or as GeoJSON, and one event in full.

use super::{Walk, current, next_link, published_at, store_failed};
use crate::cursor::{ListKind, Position};
use crate::document::Document;
use crate::pages::Page;
use crate::params::Query;
use crate::problem::Refusal;
use crate::reply::{GEOJSON, JSON};
use crate::service::Service;
use crate::wire;
use crate::wire::events::{ConflictEvent, EventDetail, EventFeatures, EventPage};
use gsi_model::{DAY, EventId, Timestamp};
use gsi_store::{EventQuery, PageAfter};
use std::sync::Arc;

/// Without `since`: this long before the pinned tick, or before `until` when that is earlier.
pub const DEFAULT_WINDOW: i64 = 7 * DAY;
pub const FORMATS: [&str; 2] = ["json", "geojson"];

const PARAMETERS: [&str; 12] = [
    "limit",
    "cursor",
    "since",
    "until",
    "category",
    "country",
    "actor",
    "min_escalation",
    "bbox",
    "status",
    "as_of",
    "format",
];

/// Whether the question is for GeoJSON; bad values are reported later with the others.
pub fn wants_geojson(query: Option<&str>) -> bool {
    Query::parse(query).word("format", FORMATS) == "geojson"
}

pub fn list(service: &Service, path: &str, raw_query: Option<&str>) -> Result<Page, Refusal> {
    let mut query = Query::parse(raw_query);
    let limit = query.limit();
    let cursor = query.cursor();
    let (since, until) = query.window(("since", "until"));
    let mut categories = query.categories();
    let mut countries = query.countries();
    let mut statuses = query.statuses();
    let (actor, min_escalation, bbox) = (query.actor(), query.min_escalation(), query.bbox());
    let as_of = query.time("as_of");
    let format = query.word("format", FORMATS);
    query.finish(&PARAMETERS)?;
    categories.sort();
    categories.dedup();
    countries.sort();
    countries.dedup();
    statuses.sort();
    statuses.dedup();

    let filters = format!(
        "{categories:?} {countries:?} {statuses:?} {actor:?} {min_escalation:?} {bbox:?} {since:?} {until:?} {as_of:?}"
    );
    let walk = Walk::begin(service, ListKind::Events, &filters, cursor.as_deref(), as_of)?;
    let name = walk.name(limit, format);
    if let Some(page) = service.pages.get(&name) {
        return Ok(page);
    }
    let end = until.map_or(walk.pinned, |u| u.min(walk.pinned));
    let mut found = service
        .store
        .events(&EventQuery {
            as_of: walk.pinned,
            since: since.unwrap_or(end.minus(DEFAULT_WINDOW)),
            until: until.unwrap_or(Timestamp::MAX),
            categories,
            countries,
            statuses,
            actor,
            min_escalation,
            bbox,
            after: walk.position.as_ref().map(|p| p.after.clone()),
            limit: limit + 1,
        })
        .map_err(store_failed)?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(|last| {
        let after = PageAfter { at: last.occurred_at, id: last.id.to_string() };
        service.signer.write(walk.kind, walk.filters, &Position { pinned: walk.pinned, after })
    });
    let link = next_cursor.as_deref().and_then(|cursor| next_link(path, raw_query, cursor));
    let body = EventPage { events: found.iter().filter_map(ConflictEvent::of).collect(), next_cursor };
    let (content_type, bytes) = match format {
        "geojson" => (GEOJSON, wire::bytes(&EventFeatures::of(body))),
        _ => (JSON, wire::bytes(&body)),
    };
    let page = Page {
        document: Arc::new(Document::new(bytes)),
        content_type,
        modified: Some(walk.pinned),
        data_status: None,
        link,
    };
    service.pages.put(name, &page);
    Ok(page)
}

pub fn one(service: &Service, id: &str, as_of: Option<Timestamp>) -> Result<Page, Refusal> {
    let id = EventId::parse(id).map_err(|_| no_such_event())?;
    let pinned = match as_of {
        Some(as_of) => published_at(service, as_of)?.snapshot.tick,
        None => current(service)?.snapshot.tick,
    };
    let record = service.store.event(&id, pinned).map_err(store_failed)?.ok_or_else(no_such_event)?;
    let body = EventDetail::of(&record).ok_or_else(no_such_event)?;
    Ok(Page {
        document: Arc::new(Document::new(wire::bytes(&body))),
        content_type: JSON,
        modified: Some(pinned),
        data_status: None,
        link: None,
    })
}

fn no_such_event() -> Refusal {
    Refusal::not_found("No event has this identifier.")
}
