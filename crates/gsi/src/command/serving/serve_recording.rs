//! `gsi serve --replay`: the service on recorded payloads, at the times when they arrived, without a network.

use crate::config::Config;
use crate::notice;
use crate::service;
use crate::setup::{self, Plan};
use anyhow::Context;
use gsi_feeds::{Fetcher, FetcherSettings};
use gsi_model::{ScaledClock, TICK};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub fn run(config: &Config, folder: &Path) -> anyhow::Result<ExitCode> {
    let settings = FetcherSettings { replay: Some(folder.to_owned()), ..FetcherSettings::default() };
    let fetcher = Fetcher::new(settings)?;
    let (first, last) =
        fetcher.recorded_span().with_context(|| format!("nothing is recorded in {}", folder.display()))?;
    let (first, last) = (first.floor_tick(), last.floor_tick());
    let store = setup::open_store_to_serve(config)?;
    setup::claim_world(&*store, "a replay of recorded payloads")?;
    let connectors = setup::active_connectors(config)?;
    let method = setup::load_method(config, &connectors)?;
    let clock = Arc::new(ScaledClock::held_at(last));
    let plan = Plan { store, clock: clock.clone(), connectors, method, simulated: false, follows: false };
    let listener = service::bind(config)?;
    let service = service::open_service(config, &plan)?;
    let address = listener.local_addr()?;
    let publish = service::publisher(service.clone());
    service::run_until_stopped(config, service, listener, move |stop| {
        let runtime = setup::tick_runtime()?;
        let mut pipeline = setup::open_pipeline(&plan, None, Arc::new(fetcher), publish)?;
        let mut tick = pipeline.frontier().map_or(first, |done| done.plus(TICK));
        let bar = ProgressBar::new((last.since(tick).max(-TICK) / TICK + 1) as u64)
            .with_style(ProgressStyle::with_template("replaying {bar:40} {pos}/{len} ticks, {msg}")?);
        while tick <= last && !stop.is_requested() {
            clock.hold_at(tick);
            runtime.block_on(pipeline.tick(tick))?;
            bar.set_message(tick.to_string());
            bar.inc(1);
            tick = tick.plus(TICK);
        }
        bar.finish_and_clear();
        notice!("gsi: replayed {first} to {last}; answering on http://{address}");
        runtime.block_on(stop.wait());
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}
