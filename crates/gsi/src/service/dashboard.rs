//! The dashboard's files, which the build compresses and embeds.

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
        // There are a few dozen files, so a search is faster than hashing.
        let (_, content_type, compressed) = embedded::FILES.iter().find(|(known, _, _)| *known == path)?;
        let mut body = Vec::new();
        GzDecoder::new(*compressed).read_to_end(&mut body).ok()?;
        Some(Asset { content_type, body: body.into() })
    }
}

/// Returns the dashboard. `None` when the binary was built without it.
pub fn assets() -> Option<Arc<dyn Assets>> {
    (!embedded::FILES.is_empty()).then(|| Arc::new(Dashboard) as Arc<dyn Assets>)
}
