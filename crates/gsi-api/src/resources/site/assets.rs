//! The embedded pages, each compressed when it is first asked for and kept that way.

use crate::representation::encoded_body::EncodedBody;
use crate::settings::Assets;
use bytes::Bytes;
use http::HeaderValue;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Views of the dashboard with an address of their own: it is the same page, which looks at the address.
const VIEWS: [&str; 2] = ["/method", "/validation"];

const HEAD_END: &str = "</head>";
/// Where the page of the reference has room for readers without script.
const NO_SCRIPT_END: &str = "</noscript>";

/// One file as it is handed out.
#[derive(Clone)]
pub struct CachedAsset {
    pub content_type: HeaderValue,
    pub document: Arc<EncodedBody>,
}

pub struct AssetCache {
    assets: Arc<dyn Assets>,
    /// What the page says of itself to whoever reads only its head.
    tags: String,
    /// Only files that exist come in here, so it stays as small as the dashboard is.
    taken: RwLock<HashMap<String, CachedAsset>>,
}

impl AssetCache {
    pub fn new(assets: Arc<dyn Assets>, tags: String) -> Self {
        AssetCache { assets, tags, taken: RwLock::default() }
    }

    /// The file at a path. `reference` is what readers without script are shown of the OpenAPI document.
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

/// The page with a text before the first place that ends in `end`.
fn insert_before(end: &str, text: &str, page: Bytes) -> Bytes {
    match std::str::from_utf8(&page) {
        Ok(whole) if !text.is_empty() => whole.replacen(end, &format!("{text}{end}"), 1).into(),
        _ => page,
    }
}
