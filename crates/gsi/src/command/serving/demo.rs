//! `gsi demo`: the whole service on a simulated world.
//!
//! The publishers run in this process on loopback and use the formats of the real feeds. The pipeline fetches from them as it does
//! from the network. The first start simulates history tick by tick on a held clock, which runs afterwards.

use crate::cli;
use crate::command::management::key::change_note;
use crate::config::{Config, ConfigError};
use crate::hooks::Deliveries;
use crate::notice;
use crate::service::{self, Stop, past};
use crate::setup::{self, Plan};
use anyhow::{Context, bail};
use gsi_api::keys::{self, Grant, ParsedKey};
use gsi_model::{Clock, DAY, HOUR, ScaledClock, Scope, SystemClock, TICK, Timestamp};
use gsi_pipeline::{Patience, Pipeline};
use gsi_sim::{Scenario, SimServer, World, WorldSettings};
use gsi_store::Store;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Minimum interval between polls of daily and weekly files while history is simulated.
const SLOW_POLL_SECONDS: i64 = 12 * HOUR;
/// The newest part of the history has a tick every quarter of an hour, as in service: one day, and the hours that its first changes
/// are compared with. Older parts have a tick every hour, every three hours and every six hours, so that the first start is quick.
const QUARTERLY_TICKS_SECONDS: i64 = DAY + 6 * HOUR;
const HOURLY_TICKS_SECONDS: i64 = 4 * DAY;
const THREE_HOURLY_TICKS_SECONDS: i64 = 10 * DAY;
/// After more history than this the process starts again, to use less memory.
const LONG_HISTORY_SECONDS: i64 = DAY;

pub fn run(config: &Config, demo: &cli::Demo) -> anyhow::Result<ExitCode> {
    if demo.at.zip(demo.until).is_some_and(|(at, until)| until < at) {
        bail!(ConfigError::Invalid("--until is before --at".into()));
    }
    let store = setup::open_store_to_serve(config)?;
    let live = demo.at.unwrap_or_else(|| SystemClock.now());
    if demo.with_history && !past::is_requested(&*store)? {
        if store.meta("world")?.is_some() {
            bail!("this store already has a past; --with-history is only for the first start in a folder");
        }
        past::request_history(&*store)?;
    }
    let start = claim(&*store, config, live)?;
    let world = World::new(WorldSettings {
        rows_per_slot: config.demo.rows_per_slot,
        scenario: Scenario::find(&config.demo.scenario)?,
        live: start.plus(i64::from(config.demo.days) * DAY),
        ..WorldSettings::new(config.demo.seed, start)
    });
    let clock = Arc::new(ScaledClock::held_at(start));
    let sim = SimServer::start(Arc::new(world), clock.clone())?;
    let connectors = setup::active_connectors(config)?;
    let method = setup::load_method(config, &connectors)?;
    let plan = Plan { store, clock: clock.clone(), connectors, method, simulated: true, follows: false };
    let key = demo_key(&*plan.store, &config.data)?;
    // A scaled demo may have run ahead of the wall clock. It continues from its last tick.
    let frontier = plan.store.frontier()?.map(|f| f.tick);
    let now = frontier.map_or(live, |f| f.max(live));
    clock.hold_at(now);
    let listener = service::bind(config)?;
    let address = listener.local_addr()?;
    let service = service::open_service(config, &plan)?;
    let rewriter = service::open_model(&config.model, &service)?;
    let fetcher = Arc::new(setup::simulated_fetcher(&sim.base_url())?);
    service.register_metrics(|registry| fetcher.register_metrics(registry));
    let hook_client = service::open_hook_client(config, &service)?;
    let (publish, shown) = (service::publisher(service.clone()), service.clone());
    let (scale, data) = (config.demo.time_scale, config.data.clone());
    let until = demo.until;
    service::run_until_stopped(config, service, listener, move |stop| {
        let runtime = setup::tick_runtime()?;
        let with_history = past::is_requested(&*plan.store)?;
        if with_history {
            // Computed concurrently with the steps below, which wait for it.
            past::show(&data, shown.clone())?;
        }
        past::import_history(&*plan.store)?;
        // A simulated world is compared only with itself, unless it has the real past.
        let line = if past::is_imported(&*plan.store)? { past::line(&data)? } else { None };
        let mut pipeline = setup::open_pipeline(&plan, line, fetcher, publish)?;
        let last = now.floor_tick();
        if runtime.block_on(fast_forward(&mut pipeline, &clock, start, last, &stop))? && !stop.is_requested()
        {
            restart();
        }
        if stop.is_requested() {
            return Ok(());
        }
        if !with_history {
            past::show(&data, shown)?;
        }
        // The language model rewrites only live ticks.
        pipeline.set_rewriter(rewriter);
        clock.run_from(now.max(last), scale);
        let _deliveries = Deliveries::start(plan.store.clone(), hook_client)?;
        greet(&key, &address.to_string());
        let stop_at_end = end_of(clock.clone(), plan.store.clone(), until);
        runtime.block_on(async {
            let stopped = async {
                tokio::select! {
                    () = stop.wait() => {}
                    () = stop_at_end => {}
                }
            };
            gsi_pipeline::run(&mut pipeline, clock.clone(), stopped, |_| ()).await
        })?;
        sim.stop();
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Does every tick from the store's frontier (or the world's start) to `last`, on a held clock. Returns whether the history was so long
/// that the process should restart. Then the last tick is left to the restarted process.
async fn fast_forward(
    pipeline: &mut Pipeline,
    clock: &ScaledClock,
    start: Timestamp,
    last: Timestamp,
    stop: &Stop,
) -> anyhow::Result<bool> {
    let mut tick = pipeline.frontier().map_or(start, |f| after(f, last));
    let long = last.since(tick) > LONG_HISTORY_SECONDS;
    pipeline.set_patience(Patience { seconds: SLOW_POLL_SECONDS, until: last });
    let ticks = std::iter::successors(Some(tick), |t| Some(after(*t, last))).take_while(|t| *t <= last);
    let bar = ProgressBar::new(ticks.count() as u64);
    bar.set_style(ProgressStyle::with_template(
        "simulating history {bar:40} {pos}/{len} ticks, {eta} left, {msg}",
    )?);
    while tick < last && !stop.is_requested() {
        clock.hold_at(tick);
        let next = after(tick, last);
        pipeline.tick_of_history(tick, next, || clock.hold_at(next)).await?;
        if tick.second_of_day() == 0 {
            bar.set_message(tick.day().to_string());
        }
        bar.inc(1);
        tick = next;
    }
    pipeline.finish_history().await?;
    bar.finish_and_clear();
    if tick == last && !long && !stop.is_requested() {
        clock.hold_at(tick);
        pipeline.tick(tick).await?;
    }
    Ok(long)
}

/// Returns the tick that follows. Longer steps end at whole hours, so that every midnight has a tick.
fn after(tick: Timestamp, last: Timestamp) -> Timestamp {
    let step = match last.since(tick) {
        left if left > THREE_HOURLY_TICKS_SECONDS => 6 * HOUR,
        left if left > HOURLY_TICKS_SECONDS => 3 * HOUR,
        left if left > QUARTERLY_TICKS_SECONDS => HOUR,
        _ => TICK,
    };
    Timestamp::from_unix((tick.unix().div_euclid(step) + 1) * step)
}

/// Settings of the C library: return large free blocks to the system, and use one arena.
const FRUGAL_MEMORY: [(&str, &str); 2] = [("MALLOC_MMAP_THRESHOLD_", "32768"), ("MALLOC_ARENA_MAX", "1")];

/// Replaces this process by a new one of the same program. Weeks of simulated history leave a heap several times as large as the service
/// needs, and the new process reads everything from the store.
fn restart() {
    use std::os::unix::process::CommandExt;
    let Ok(program) = std::env::current_exe() else { return };
    let mut again = std::process::Command::new(program);
    again.args(std::env::args_os().skip(1));
    // Settings of the user's environment take precedence.
    again.envs(FRUGAL_MEMORY.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()));
    let error = again.exec();
    tracing::warn!(%error, "cannot restart; the process uses more memory than it needs");
}

/// Resolves when the simulated clock has passed `until` and the last tick due by then is done. Without `until` it never resolves.
async fn end_of(clock: Arc<ScaledClock>, store: Arc<dyn Store>, until: Option<Timestamp>) {
    let Some(until) = until else { return std::future::pending().await };
    let is_done = || matches!(store.frontier(), Ok(Some(done)) if done.tick >= until.floor_tick());
    while clock.now() < until || !is_done() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Returns the start of this folder's world. A folder belongs to one world with one seed and one scenario.
fn claim(store: &dyn Store, config: &Config, live: Timestamp) -> anyhow::Result<Timestamp> {
    let d = &config.demo;
    setup::claim_world(
        store,
        &format!("the simulated world with seed {} and scenario {}", d.seed, d.scenario),
    )?;
    match store.meta(setup::SIMULATION_START)? {
        Some(text) => text.parse().context("the stored start of the simulation"),
        None => {
            let start = live.floor_tick().minus(i64::from(d.days) * DAY);
            store.set_meta(setup::SIMULATION_START, &start.to_string())?;
            Ok(start)
        }
    }
}

/// Returns the demo's key, which has no limit. It is kept in the data folder, so that every start prints the same one.
fn demo_key(store: &dyn Store, data: &Path) -> anyhow::Result<String> {
    let path = data.join("demo.key");
    if let Ok(text) = std::fs::read_to_string(&path) {
        let text = text.trim();
        let known = ParsedKey::parse(text).is_ok_and(|parsed| {
            store.keys().is_ok_and(|keys| keys.iter().any(|k| k.id == parsed.id && k.revoked_at.is_none()))
        });
        if known {
            return Ok(text.to_owned());
        }
    }
    let grant = Grant { name: "demo".into(), scopes: vec![Scope::All], rate: None, expires_at: None };
    let made = keys::create(grant, SystemClock.now())?;
    store.put_key(&made.record, &change_note("gsi demo", SystemClock.now()))?;
    write_private(&path, &made.text)?;
    Ok(made.text)
}

fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file =
        std::fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    writeln!(file, "{text}")?;
    Ok(())
}

fn greet(key: &str, address: &str) {
    notice!("");
    notice!("The demo is ready. All data is SIMULATED.");
    notice!("");
    notice!("  key        {key}");
    notice!("  try        curl -H 'Authorization: Bearer {key}' http://{address}/v1/global-stability");
    notice!("  dashboard  http://{address}/#key={key}");
    notice!("");
}
