//! The packed history at work in a running service: the reconstructed line that is shown beside what was published.

use gsi_http::Service;
use gsi_index::{HistoryFile, Method, Reconstructor};
use gsi_model::Reconstruction;
use std::sync::Arc;

/// What the method in this program would have published on every day of the packed history.
pub fn reconstruct() -> anyhow::Result<Reconstruction> {
    let file = HistoryFile::packed()?;
    Ok(Reconstructor::new(Method::default_text(), &file)?.reconstruct(&file))
}

/// Computes the reconstructed line on a thread of its own and shows it; it takes a few seconds, and nobody waits for it.
pub fn show(service: Arc<Service>) -> std::io::Result<()> {
    let work = move || match reconstruct() {
        Ok(past) => {
            tracing::info!(days = past.days.len(), method = past.method_version, "the past is reconstructed");
            service.set_reconstruction(past);
        }
        Err(error) => tracing::error!(%error, "the past cannot be reconstructed"),
    };
    std::thread::Builder::new().name("past".into()).spawn(work).map(drop)
}
