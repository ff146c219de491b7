//! The list of briefings, and one briefing with its facts.

use super::{Walk, current, next_link, published_at, store_failed};
use crate::cursor::{ListKind, Position};
use crate::document::Document;
use crate::pages::Page;
use crate::params::Query;
use crate::problem::Refusal;
use crate::reply::JSON;
use crate::service::Service;
use crate::wire;
use crate::wire::briefings::{BriefingBody, BriefingDetail, BriefingPage};
use gsi_model::{BriefingId, Timestamp};
use gsi_store::{BriefingQuery, PageAfter};
use std::sync::Arc;

const PARAMETERS: [&str; 6] = ["limit", "cursor", "since", "until", "tag", "as_of"];

pub fn list(service: &Service, path: &str, raw_query: Option<&str>) -> Result<Page, Refusal> {
    let mut query = Query::parse(raw_query);
    let limit = query.limit();
    let cursor = query.cursor();
    let (since, until) = query.window(("since", "until"));
    let mut tags = query.tags();
    let as_of = query.time("as_of");
    query.finish(&PARAMETERS)?;
    tags.sort();
    tags.dedup();

    let filters = format!("{tags:?} {since:?} {until:?} {as_of:?}");
    let walk = Walk::begin(service, ListKind::Briefings, &filters, cursor.as_deref(), as_of)?;
    let name = walk.name(limit, "json");
    if let Some(page) = service.pages.get(&name) {
        return Ok(page);
    }
    let mut found = service
        .store
        .briefings(&BriefingQuery {
            as_of: walk.pinned,
            since: since.unwrap_or(Timestamp::MIN),
            until: until.unwrap_or(Timestamp::MAX),
            tags,
            after: walk.position.as_ref().map(|p| p.after.clone()),
            limit: limit + 1,
        })
        .map_err(store_failed)?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(|last| {
        let after = PageAfter { at: last.published_at, id: last.id.to_string() };
        service.signer.write(walk.kind, walk.filters, &Position { pinned: walk.pinned, after })
    });
    let link = next_cursor.as_deref().and_then(|cursor| next_link(path, raw_query, cursor));
    let body = BriefingPage { briefings: found.iter().map(BriefingBody::of).collect(), next_cursor };
    let page = Page {
        document: Arc::new(Document::new(wire::bytes(&body))),
        content_type: JSON,
        modified: Some(walk.pinned),
        data_status: None,
        link,
    };
    service.pages.put(name, &page);
    Ok(page)
}

pub fn one(service: &Service, id: &str, as_of: Option<Timestamp>) -> Result<Page, Refusal> {
    let none = || Refusal::not_found("No briefing has this identifier.");
    let id = BriefingId::parse(id).map_err(|_| none())?;
    let pinned = match as_of {
        Some(as_of) => published_at(service, as_of)?.snapshot.tick,
        None => current(service)?.snapshot.tick,
    };
    let briefing = service.store.briefing(&id, pinned).map_err(store_failed)?.ok_or_else(none)?;
    let correction = service.store.correction(&id, pinned).map_err(store_failed)?;
    let body = BriefingDetail::of(&briefing, correction.as_ref());
    Ok(Page {
        document: Arc::new(Document::new(wire::bytes(&body))),
        content_type: JSON,
        modified: Some(pinned),
        data_status: None,
        link: None,
    })
}
