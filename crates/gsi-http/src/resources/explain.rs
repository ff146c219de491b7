//! The whole tree behind a score, now or at an earlier time.

use super::{current, published_at};
use crate::document::Document;
use crate::pages::Page;
use crate::problem::{Code, Refusal};
use crate::reply::JSON;
use crate::service::Service;
use crate::wire;
use crate::wire::explain::Explanation;
use gsi_model::Timestamp;
use std::sync::Arc;

pub fn page(service: &Service, as_of: Option<Timestamp>) -> Result<Page, Refusal> {
    let (snapshot, status) = match as_of {
        Some(as_of) => {
            let snapshot = published_at(service, as_of)?.snapshot;
            let status = snapshot.status;
            (snapshot, status)
        }
        None => {
            let prepared = current(service)?;
            (prepared.snapshot.clone(), prepared.status_at(service.clock.now()))
        }
    };
    let name = format!("explain {}", snapshot.id);
    if let Some(page) = service.pages.get(&name) {
        return Ok(Page { data_status: Some(status), ..page });
    }
    let body = Explanation::of(&snapshot)
        .ok_or_else(|| Refusal::new(Code::Internal, "The snapshot cannot be shown."))?;
    let page = Page {
        document: Arc::new(Document::new(wire::bytes(&body))),
        content_type: JSON,
        modified: Some(snapshot.tick),
        data_status: Some(status),
        link: None,
    };
    service.pages.put(name, &page);
    Ok(page)
}
