//! The single resources as they were published at an earlier time.

use super::{published_at, store_failed};
use crate::document::Document;
use crate::pages::Page;
use crate::params::Query;
use crate::prepared::Single;
use crate::problem::{Code, Refusal};
use crate::reply::JSON;
use crate::service::Service;
use crate::wire;
use crate::wire::scores::{Overview, PillarDrilldown, SummaryBody};
use gsi_model::Timestamp;
use gsi_store::method_name;
use std::sync::Arc;

/// The `as_of` of a question that may carry nothing else; `None` asks for the present.
pub fn read_as_of(query: Option<&str>) -> Result<Option<Timestamp>, Refusal> {
    let mut query = Query::parse(query);
    let as_of = query.time("as_of");
    query.finish(&["as_of"])?;
    Ok(as_of)
}

pub fn page(service: &Service, single: Single, as_of: Timestamp) -> Result<Page, Refusal> {
    let published = published_at(service, as_of)?;
    let snapshot = &published.snapshot;
    let name = format!("{single:?} {}", snapshot.tick.unix());
    if let Some(page) = service.pages.get(&name) {
        return Ok(page);
    }
    let body = match single {
        Single::Overview => Overview::of(snapshot).map(|b| wire::bytes(&b)),
        Single::Pillar(pillar) => PillarDrilldown::of(snapshot, pillar).map(|b| wire::bytes(&b)),
        Single::Summary => Some(wire::bytes(&SummaryBody::of(&published.summary))),
    };
    let body = body.ok_or_else(|| Refusal::new(Code::Internal, "The snapshot cannot be shown."))?;
    let page = Page {
        document: Arc::new(Document::new(body)),
        content_type: JSON,
        modified: Some(snapshot.tick),
        data_status: Some(snapshot.status),
        link: None,
    };
    service.pages.put(name, &page);
    Ok(page)
}

/// The method that was in force at an earlier time.
pub fn method(service: &Service, as_of: Timestamp) -> Result<Page, Refusal> {
    let snapshot = published_at(service, as_of)?.snapshot;
    let document = method_by_digest(service, &snapshot.method_digest)?;
    Ok(Page { document, content_type: JSON, modified: Some(snapshot.tick), data_status: None, link: None })
}

/// The document of a method; those that made snapshots are kept with them.
pub fn method_by_digest(service: &Service, digest: &str) -> Result<Arc<Document>, Refusal> {
    if service.method_digest == digest {
        return Ok(service.method.clone());
    }
    let kept = service.store.meta(&method_name(digest)).map_err(store_failed)?;
    let text = kept.ok_or_else(|| Refusal::not_found("The method of that time was not kept."))?;
    Ok(Arc::new(Document::new(text.into())))
}
