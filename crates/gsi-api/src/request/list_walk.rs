//! The common part of paged lists: a walk that is pinned to a tick, its cursor, and the cached pages.

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::request::as_of::pinned_tick;
use crate::request::cursor::{FilterHash, ListKind, Position, filter_hash};
use crate::request::query::QueryReader;
use crate::request::service::RequestService;
use bytes::Bytes;
use gsi_model::Timestamp;
use gsi_store::PageAfter;
use http::{HeaderValue, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Unreserved characters of RFC 3986 are not escaped.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A walk through a list: the tick it is pinned to, and the position at which this page begins.
pub struct ListWalk<'a> {
    service: &'a RequestService,
    kind: ListKind,
    filters: FilterHash,
    pub pinned: Timestamp,
    position: Option<Position>,
}

impl<'a> ListWalk<'a> {
    /// Pins the first page to the current publication, or to the one at `as_of`. A later page uses its cursor's tick.
    pub fn begin(
        service: &'a RequestService,
        kind: ListKind,
        filters: &str,
        cursor: Option<&str>,
        as_of: Option<Timestamp>,
    ) -> Result<Self, RequestRefusal> {
        let filters = filter_hash(filters);
        let signer = service.published.signer.load();
        let now = service.clock.now();
        let position = cursor.map(|text| signer.read(text, kind, filters, now)).transpose()?;
        let pinned = match &position {
            Some(position) => position.pinned,
            None => pinned_tick(service, as_of)?,
        };
        Ok(ListWalk { service, kind, filters, pinned, position })
    }

    pub fn after(&self) -> Option<PageAfter> {
        self.position.as_ref().map(|p| p.after.clone())
    }

    /// Returns the page from the cache, or makes it with `make` and caches it.
    pub fn page(
        &self,
        uri: &Uri,
        limit: usize,
        form: AnswerForm,
        make: impl FnOnce() -> Result<(Bytes, Option<HeaderValue>), RequestRefusal>,
    ) -> Result<Page, RequestRefusal> {
        let hash = data_encoding::HEXLOWER.encode(&self.filters);
        // The link to the next page repeats the query, so only requests with the same query share a page.
        let query = uri.query().unwrap_or_default();
        let name = format!(
            "{:?} {hash} {} {:?} {limit} {form:?} {query}",
            self.kind,
            self.pinned.unix(),
            self.position
        );
        if let Some(page) = self.service.published.pages.get(&name) {
            return Ok(page);
        }
        let (body, link) = make()?;
        let page = Page { link, ..Page::new(form, EncodedBody::new(body), self.pinned) };
        self.service.published.pages.put(name, &page);
        Ok(page)
    }

    /// Cuts the entries, one more than `limit`, to a page. Returns the cursor of the next page.
    pub fn cut<T>(
        &self,
        found: &mut Vec<T>,
        limit: usize,
        after: impl FnOnce(&T) -> PageAfter,
    ) -> Option<String> {
        let more = found.len() > limit;
        found.truncate(limit);
        let after = after(found.last().filter(|_| more)?);
        let position = Position { pinned: self.pinned, after };
        Some(self.service.published.signer.load().write(self.kind, self.filters, &position))
    }
}

/// The `Link` header of the next page: the same query with the new cursor.
pub fn next_link(uri: &Uri, cursor: Option<&str>) -> Option<HeaderValue> {
    let cursor = cursor?;
    let mut text = format!("<{}?", uri.path());
    for (name, value) in QueryReader::parse(uri.query()).into_pairs() {
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

/// Sorts the values of a filter and drops repetitions, so that equal filters have equal digests.
pub fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    values.dedup();
    values
}
