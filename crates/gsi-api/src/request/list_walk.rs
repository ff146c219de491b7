//! What the paged lists share: a walk that is pinned to a tick, its cursor, and the pages already made.

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::request::as_of::pinned_tick;
use crate::request::cursor::{FilterHash, ListKind, Position, filter_hash};
use crate::request::query::QueryReader;
use crate::state::service::Service;
use bytes::Bytes;
use gsi_model::Timestamp;
use gsi_store::PageAfter;
use http::{HeaderValue, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Unreserved characters of RFC 3986 stay as they are.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A walk through a list: where it is pinned and where this page begins.
pub struct ListWalk<'a> {
    service: &'a Service,
    kind: ListKind,
    filters: FilterHash,
    pub pinned: Timestamp,
    position: Option<Position>,
}

impl<'a> ListWalk<'a> {
    /// The first page is pinned to what is published now (or was, at `as_of`); the others to what their cursor says.
    pub fn begin(
        service: &'a Service,
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

    /// The page as it was made for somebody before, or as `make` makes it now.
    pub fn page(
        &self,
        limit: usize,
        form: AnswerForm,
        make: impl FnOnce() -> Result<(Bytes, Option<HeaderValue>), RequestRefusal>,
    ) -> Result<Page, RequestRefusal> {
        let hash = data_encoding::HEXLOWER.encode(&self.filters);
        let name =
            format!("{:?} {hash} {} {:?} {limit} {form:?}", self.kind, self.pinned.unix(), self.position);
        if let Some(page) = self.service.published.pages.get(&name) {
            return Ok(page);
        }
        let (body, link) = make()?;
        let page = Page { link, ..Page::new(form, EncodedBody::new(body), self.pinned) };
        self.service.published.pages.put(name, &page);
        Ok(page)
    }

    /// Cuts what was found, one more than asked for, to the page, and says where the next one begins.
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

/// The address of the next page: the same question with the cursor in place.
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

/// Filters in an order that does not depend on how they were asked for, without repetitions.
pub fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    values.dedup();
    values
}
