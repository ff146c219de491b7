//! A cache of pages and past answers. A list at a tick never changes, so a page is served again while there is room for it.

use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::settings::{PAGE_CACHE_BYTES, PAGE_CACHE_ENTRIES};
use gsi_model::{DataStatus, Timestamp};
use http::HeaderValue;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// An answer that was built for a request.
#[derive(Clone, Debug)]
pub struct Page {
    pub document: Arc<EncodedBody>,
    pub content_type: HeaderValue,
    /// The tick the answer refers to.
    pub modified: Option<Timestamp>,
    pub data_status: Option<DataStatus>,
    pub link: Option<HeaderValue>,
}

/// The parts of a response.
pub struct PageParts<'a> {
    pub document: &'a EncodedBody,
    pub content_type: HeaderValue,
    pub modified: Option<Timestamp>,
    pub status: Option<DataStatus>,
    pub link: Option<HeaderValue>,
}

impl Page {
    /// An answer in JSON that refers to a tick.
    pub fn json(document: EncodedBody, tick: Timestamp) -> Page {
        Page::new(AnswerForm::Json, document, tick)
    }

    /// An answer that refers to a tick.
    pub fn new(form: AnswerForm, document: EncodedBody, tick: Timestamp) -> Page {
        Page {
            document: Arc::new(document),
            content_type: form.content_type(),
            modified: Some(tick),
            data_status: None,
            link: None,
        }
    }

    pub fn parts(&self) -> PageParts<'_> {
        PageParts {
            document: &self.document,
            content_type: self.content_type.clone(),
            modified: self.modified,
            status: self.data_status,
            link: self.link.clone(),
        }
    }
}

/// The cache's name for an answer about a publication; `target` is its path and query.
pub(crate) fn name_of_first(serial: u64, form: AnswerForm, target: &str) -> String {
    format!("{serial} {form:?} {target}")
}

#[derive(Default)]
pub struct PageCache {
    kept: Mutex<CachedPages>,
}

#[derive(Default)]
struct CachedPages {
    pages: HashMap<String, Page>,
    weight: usize,
}

impl PageCache {
    pub fn get(&self, name: &str) -> Option<Page> {
        self.lock().pages.get(name).cloned()
    }

    pub fn put(&self, name: String, page: &Page) {
        let weight = page.document.weight() + name.len();
        let mut kept = self.lock();
        if kept.pages.len() >= PAGE_CACHE_ENTRIES || kept.weight + weight > PAGE_CACHE_BYTES {
            // The next tick makes most pages useless anyway, and starting over needs no bookkeeping.
            *kept = CachedPages::default();
        }
        if weight <= PAGE_CACHE_BYTES && kept.pages.insert(name, page.clone()).is_none() {
            kept.weight += weight;
        }
    }

    pub fn clear(&self) {
        *self.lock() = CachedPages::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CachedPages> {
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
