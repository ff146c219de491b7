//! `gsi serve`: the service on the live feeds.

use crate::config::Config;
use crate::running::{self, Plan};
use gsi_model::{Clock, SystemClock};
use std::process::ExitCode;
use std::sync::Arc;

pub fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let store = running::open_store(config)?;
    running::claim_world(&*store, "live data")?;
    let connectors = running::active_connectors(config)?;
    let method = running::load_method(config, &connectors)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let plan = Plan { store, clock: clock.clone(), connectors, method, simulated: false };
    let listener = running::bind(config)?;
    let service = running::open_service(config, &plan)?;
    eprintln!("gsi: answering on http://{}", listener.local_addr()?);
    if plan.store.keys()?.is_empty() && config.operator_key()?.is_none() {
        eprintln!("gsi: there is no key yet; make one with `gsi key create --name NAME`");
    }
    let rewriter = config.model.open(&service)?;
    let fetcher = running::fetcher(config, None)?;
    let publish = running::publisher(service.clone());
    running::run_until_stopped(config, service, listener, move |stop| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut pipeline = running::open_pipeline(&plan, fetcher, publish)?;
        pipeline.set_rewriter(rewriter);
        runtime.block_on(gsi_pipeline::run(&mut pipeline, clock, stop.wait()))?;
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}
