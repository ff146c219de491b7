//! The dashboard's files, embedded at build time.

use gsi_http::{Asset, Assets};
use std::sync::Arc;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/assets.rs"));
}

struct Dashboard;

impl Assets for Dashboard {
    fn get(&self, path: &str) -> Option<Asset> {
        // A few dozen files: looking through them is quicker than hashing.
        let (_, content_type, body) = embedded::FILES.iter().find(|(known, _, _)| *known == path)?;
        Some(Asset { content_type, body: bytes::Bytes::from_static(body) })
    }
}

/// Nothing when the binary was built without the dashboard.
pub fn assets() -> Option<Arc<dyn Assets>> {
    (!embedded::FILES.is_empty()).then(|| Arc::new(Dashboard) as Arc<dyn Assets>)
}
