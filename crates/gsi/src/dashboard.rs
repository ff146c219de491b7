//! The dashboard's files, embedded at build time, compressed.

use flate2::read::GzDecoder;
use gsi_api::{Asset, Assets};
use std::io::Read;
use std::sync::Arc;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/assets.rs"));
}

struct Dashboard;

impl Assets for Dashboard {
    fn get(&self, path: &str) -> Option<Asset> {
        // A few dozen files: looking through them is quicker than hashing.
        let (_, content_type, compressed) = embedded::FILES.iter().find(|(known, _, _)| *known == path)?;
        let mut body = Vec::new();
        GzDecoder::new(*compressed).read_to_end(&mut body).ok()?;
        Some(Asset { content_type, body: body.into() })
    }
}

/// Nothing when the binary was built without the dashboard.
pub fn assets() -> Option<Arc<dyn Assets>> {
    (!embedded::FILES.is_empty()).then(|| Arc::new(Dashboard) as Arc<dyn Assets>)
}
