//! A pipeline over a store, its feeds and a method.

use gsi_feeds::{Connector, Fetcher};
use gsi_index::Method;
use gsi_model::{Clock, ReconstructedLine};
use gsi_pipeline::{Pipeline, PipelineParts, Publication};
use gsi_store::Store;
use std::sync::Arc;

/// What a pipeline and a service work with.
pub struct Plan {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub connectors: Vec<Arc<dyn Connector>>,
    pub method: Arc<Method>,
    pub simulated: bool,
    /// Whether other processes may do the ticks.
    pub follows: bool,
}

/// Opens the pipeline. `line` is the reconstructed past that scores are compared with; a world without a real past has none.
pub fn open_pipeline(
    plan: &Plan,
    line: Option<Arc<ReconstructedLine>>,
    fetcher: Arc<Fetcher>,
    publish: Box<dyn Fn(&Publication<'_>) + Send>,
) -> anyhow::Result<Pipeline> {
    Ok(Pipeline::open(PipelineParts {
        store: plan.store.clone(),
        connectors: plan.connectors.clone(),
        fetcher,
        method: plan.method.clone(),
        clock: plan.clock.clone(),
        simulated: plan.simulated,
        line,
        publish,
    })?)
}

/// Returns a runtime for ticks. Its workers poll the feeds while the tick thread computes and writes, which may block.
pub fn tick_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("fetch").enable_all().build()
}
