//! The embedded pages, each compressed when it is first asked for and kept that way.

use crate::encoded_body::EncodedBody;
use crate::settings::Assets;
use http::HeaderValue;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// One file as it is handed out.
#[derive(Clone)]
pub struct CachedAsset {
    pub content_type: HeaderValue,
    pub document: Arc<EncodedBody>,
}

pub struct AssetCache {
    assets: Arc<dyn Assets>,
    /// Only files that exist come in here, so it stays as small as the dashboard is.
    taken: RwLock<HashMap<String, CachedAsset>>,
}

impl AssetCache {
    pub fn new(assets: Arc<dyn Assets>) -> Self {
        AssetCache { assets, taken: RwLock::default() }
    }

    pub fn get(&self, path: &str) -> Option<CachedAsset> {
        let taken = self.taken.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = taken.get(path) {
            return Some(known.clone());
        }
        drop(taken);
        let asset = self.assets.get(path)?;
        let shelved = CachedAsset {
            content_type: HeaderValue::from_static(asset.content_type),
            document: Arc::new(EncodedBody::new(asset.body)),
        };
        let mut taken = self.taken.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        Some(taken.entry(path.to_owned()).or_insert(shelved).clone())
    }
}
