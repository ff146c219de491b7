//! The embedded files, each compressed at its first request and then kept.

use crate::representation::encoded_body::EncodedBody;
use crate::settings::Assets;
use bytes::Bytes;
use http::HeaderValue;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Views of the dashboard with their own path. The server answers with the same page, which reads the path.
const VIEWS: [&str; 2] = ["/method", "/validation"];

const HEAD_END: &str = "</head>";
/// The end of the part of the reference page that browsers without scripts show.
const NO_SCRIPT_END: &str = "</noscript>";

/// A file that is served.
#[derive(Clone)]
pub struct CachedAsset {
    pub content_type: HeaderValue,
    pub document: Arc<EncodedBody>,
}

pub struct AssetCache {
    assets: Arc<dyn Assets>,
    /// Tags for the head of the dashboard: what is public, and previews of links.
    tags: String,
    /// Only files that exist are kept, so this is bounded by the size of the dashboard.
    taken: RwLock<HashMap<String, CachedAsset>>,
}

impl AssetCache {
    pub fn new(assets: Arc<dyn Assets>, tags: String) -> Self {
        AssetCache { assets, tags, taken: RwLock::default() }
    }

    /// The file at a path. `reference` writes the OpenAPI document for browsers without scripts.
    pub fn get(&self, path: &str, reference: fn() -> &'static str) -> Option<CachedAsset> {
        let path = if VIEWS.contains(&path) { "/" } else { path };
        let taken = self.taken.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = taken.get(path) {
            return Some(known.clone());
        }
        drop(taken);
        let asset = self.assets.get(path)?;
        let shelved = CachedAsset {
            content_type: HeaderValue::from_static(asset.content_type),
            document: Arc::new(EncodedBody::new(match path {
                "/" => insert_before(HEAD_END, &self.tags, asset.body),
                "/docs" => insert_before(NO_SCRIPT_END, reference(), asset.body),
                _ => asset.body,
            })),
        };
        let mut taken = self.taken.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        Some(taken.entry(path.to_owned()).or_insert(shelved).clone())
    }
}

/// Inserts a text before the first `end` of the page.
fn insert_before(end: &str, text: &str, page: Bytes) -> Bytes {
    match std::str::from_utf8(&page) {
        Ok(whole) if !text.is_empty() => whole.replacen(end, &format!("{text}{end}"), 1).into(),
        _ => page,
    }
}
