//! One file per resource: from a validated question to a page. These run off the event loop and may ask the store.

pub mod briefings;
pub mod events;
pub mod explain;
pub mod history;
pub mod inputs;
pub mod outside;
pub mod past;
pub mod stream;

use crate::cursor::{FilterHash, ListKind, Position, filter_hash};
use crate::params::Query;
use crate::prepared::Prepared;
use crate::problem::{Code, Refusal};
use crate::service::Service;
use crate::settings::{RETRY_AFTER_NO_SNAPSHOT, RETRY_AFTER_OVERLOAD};
use gsi_model::Timestamp;
use gsi_store::{Published, StoreError};
use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::sync::Arc;

/// Unreserved characters of RFC 3986 stay as they are.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Nothing was ever published.
pub fn no_snapshot() -> Refusal {
    Refusal::new(Code::NoSnapshot, "The first snapshot has not been published yet.")
        .retry_after(RETRY_AFTER_NO_SNAPSHOT)
}

pub fn current(service: &Service) -> Result<Arc<Prepared>, Refusal> {
    service.current().as_ref().cloned().ok_or_else(no_snapshot)
}

/// What the store could not do, without saying how it is built.
pub fn store_failed(error: StoreError) -> Refusal {
    tracing::error!(%error, "the store failed a request");
    match error {
        StoreError::Unavailable(_) => {
            Refusal::new(Code::Overloaded, "The data cannot be reached at the moment.")
                .retry_after(RETRY_AFTER_OVERLOAD)
        }
        _ => Refusal::new(Code::Internal, "The request could not be answered."),
    }
}

/// What was being served at `as_of`.
pub fn published_at(service: &Service, as_of: Timestamp) -> Result<Published, Refusal> {
    if as_of > service.clock.now() {
        return Err(Refusal::no_snapshot_then("as_of lies in the future; nothing has been published then."));
    }
    match service.store.published_at(as_of).map_err(store_failed)? {
        Some(published) => Ok(published),
        None => Err(Refusal::no_snapshot_then("as_of lies before the first snapshot.")),
    }
}

/// A walk through a list: where it is pinned and where this page begins.
pub struct Walk {
    pub kind: ListKind,
    pub filters: FilterHash,
    pub pinned: Timestamp,
    pub position: Option<Position>,
}

impl Walk {
    /// The first page is pinned to what is published now (or was, at `as_of`); the others to what their cursor says.
    pub fn begin(
        service: &Service,
        kind: ListKind,
        filters: &str,
        cursor: Option<&str>,
        as_of: Option<Timestamp>,
    ) -> Result<Self, Refusal> {
        let filters = filter_hash(filters);
        let position = cursor.map(|text| service.signer.read(text, kind, filters)).transpose()?;
        let pinned = match (&position, as_of) {
            (Some(position), _) => position.pinned,
            (None, Some(as_of)) => published_at(service, as_of)?.snapshot.tick,
            (None, None) => current(service)?.snapshot.tick,
        };
        Ok(Walk { kind, filters, pinned, position })
    }

    /// A name for this page in the cache.
    pub fn name(&self, limit: usize, form: &str) -> String {
        let hash = data_encoding::HEXLOWER.encode(&self.filters);
        format!("{:?} {hash} {} {:?} {limit} {form}", self.kind, self.pinned.unix(), self.position)
    }
}

/// The address of the next page: the same question with the cursor in place.
pub fn next_link(path: &str, query: Option<&str>, cursor: &str) -> Option<HeaderValue> {
    let mut text = format!("<{path}?");
    for (name, value) in Query::parse(query).into_pairs() {
        if name != "cursor" {
            text.extend(utf8_percent_encode(&name, ESCAPED));
            text.push('=');
            text.extend(utf8_percent_encode(&value, ESCAPED));
            text.push('&');
        }
    }
    text.push_str("cursor=");
    text.push_str(cursor);
    text.push_str(">; rel=\"next\"");
    HeaderValue::from_str(&text).ok()
}
