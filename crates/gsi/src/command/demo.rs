//! `gsi demo`: the whole service on a simulated world.
//!
//! The publishers run in this process on loopback and speak the real feeds' formats; the pipeline fetches from them as
//! it would from the network. History is fast-forwarded tick by tick on a held clock, which is then let go.

use crate::cli;
use crate::config::{Config, ConfigError};
use crate::fetching;
use crate::hooks::Deliveries;
use crate::past;
use crate::results::notice;
use crate::running::{self, Plan, Stop};
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

/// While history is fast-forwarded, daily and weekly files are polled no more often than this.
const SLOW_POLL_SECONDS: i64 = 12 * HOUR;
/// So much of history is done with a tick every quarter of an hour, as in service: a day, and what the first changes of a day
/// are told against. What is older gets one an hour, then one in three hours and one in six, from the same files: nobody
/// zooms in that far, and the demo should not keep its user waiting.
const QUARTERLY_TICKS_SECONDS: i64 = DAY + 6 * HOUR;
const HOURLY_TICKS_SECONDS: i64 = 4 * DAY;
const THREE_HOURLY_TICKS_SECONDS: i64 = 10 * DAY;
/// More history than this is worth a fresh start of the process after it.
const LONG_HISTORY_SECONDS: i64 = DAY;

pub fn run(config: &Config, demo: &cli::Demo) -> anyhow::Result<ExitCode> {
    if demo.at.zip(demo.until).is_some_and(|(at, until)| until < at) {
        bail!(ConfigError::Invalid("--until lies before --at".into()));
    }
    let store = running::open_store_to_serve(config)?;
    let live = demo.at.unwrap_or_else(|| SystemClock.now());
    if demo.with_history && !past::is_asked_for(&*store)? {
        if store.meta("world")?.is_some() {
            bail!("this store has a past already; --with-history is for the first start in a folder");
        }
        past::want_history(&*store)?;
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
    let connectors = running::active_connectors(config)?;
    let method = running::load_method(config, &connectors)?;
    let plan = Plan { store, clock: clock.clone(), connectors, method, simulated: true, follows: false };
    let key = demo_key(&*plan.store, &config.data)?;
    // A store that has run ahead of the wall clock (a scaled demo) goes on from where it is.
    let frontier = plan.store.frontier()?.map(|f| f.tick);
    let now = frontier.map_or(live, |f| f.max(live));
    clock.hold_at(now);
    let listener = running::bind(config)?;
    let address = listener.local_addr()?;
    let service = running::open_service(config, &plan)?;
    let rewriter = config.model.open(&service)?;
    let fetcher = Arc::new(fetching::simulated_fetcher(&sim.base_url())?);
    fetching::count_fetches(&service, &fetcher);
    let courier = running::courier(config, &service)?;
    let (publish, shown) = (running::publisher(service.clone()), service.clone());
    let (scale, data) = (config.demo.time_scale, config.data.clone());
    let until = demo.until;
    running::run_until_stopped(config, service, listener, move |stop| {
        let runtime = running::tick_runtime()?;
        let with_history = past::is_asked_for(&*plan.store)?;
        if with_history {
            // Computed beside what follows, which waits for it.
            past::show(&data, shown.clone())?;
        }
        past::take_in_history(&*plan.store)?;
        // A simulated world is compared with itself alone, unless it was given the real past.
        let line = if past::is_taken(&*plan.store)? { past::line(&data)? } else { None };
        let mut pipeline = running::open_pipeline(&plan, line, fetcher, publish)?;
        let last = now.floor_tick();
        if runtime.block_on(fast_forward(&mut pipeline, &clock, start, last, &stop))? && !stop.asked() {
            start_afresh();
        }
        if stop.asked() {
            return Ok(());
        }
        if !with_history {
            past::show(&data, shown)?;
        }
        // The past is not worth a model's time; the first live tick is.
        pipeline.set_rewriter(rewriter);
        clock.run_from(now.max(last), scale);
        let _deliveries = Deliveries::start(plan.store.clone(), courier)?;
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

/// Does every tick from the store's frontier (or the world's start) to `last`, on a held clock. The last one is left
/// out when there were so many that the process should start afresh, which is what it answers.
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
    while tick < last && !stop.asked() {
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
    if tick == last && !long && !stop.asked() {
        clock.hold_at(tick);
        pipeline.tick(tick).await?;
    }
    Ok(long)
}

/// The tick to do after this one, at whole hours where history is done in longer steps: every midnight has its tick.
fn after(tick: Timestamp, last: Timestamp) -> Timestamp {
    let step = match last.since(tick) {
        left if left > THREE_HOURLY_TICKS_SECONDS => 6 * HOUR,
        left if left > HOURLY_TICKS_SECONDS => 3 * HOUR,
        left if left > QUARTERLY_TICKS_SECONDS => HOUR,
        _ => TICK,
    };
    Timestamp::from_unix((tick.unix().div_euclid(step) + 1) * step)
}

/// What the C library is told about memory: hand large pieces back as soon as they are free, and share what is kept.
const FRUGAL: [(&str, &str); 2] = [("MALLOC_MMAP_THRESHOLD_", "32768"), ("MALLOC_ARENA_MAX", "1")];

/// Replaces this process by itself. Weeks of history leave a heap several times the size of what the service needs;
/// the store has it all, and opens in a moment.
fn start_afresh() {
    use std::os::unix::process::CommandExt;
    let Ok(program) = std::env::current_exe() else { return };
    let mut again = std::process::Command::new(program);
    again.args(std::env::args_os().skip(1));
    // Whoever runs it may know better.
    again.envs(FRUGAL.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()));
    let error = again.exec();
    tracing::warn!(%error, "could not start afresh; going on with more memory than needed");
}

/// Resolves when the simulated clock has passed `until` and the tick that was due by then is done, however slow the machine
/// is; never without one.
async fn end_of(clock: Arc<ScaledClock>, store: Arc<dyn Store>, until: Option<Timestamp>) {
    let Some(until) = until else { return std::future::pending().await };
    let is_done = || matches!(store.frontier(), Ok(Some(done)) if done.tick >= until.floor_tick());
    while clock.now() < until || !is_done() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// The start of this folder's world; a folder is one world with one seed and scenario for good.
fn claim(store: &dyn Store, config: &Config, live: Timestamp) -> anyhow::Result<Timestamp> {
    let d = &config.demo;
    running::claim_world(
        store,
        &format!("the simulated world with seed {} and scenario {}", d.seed, d.scenario),
    )?;
    match store.meta(running::SIMULATION_START)? {
        Some(text) => text.parse().context("the stored start of the simulation"),
        None => {
            let start = live.floor_tick().minus(i64::from(d.days) * DAY);
            store.set_meta(running::SIMULATION_START, &start.to_string())?;
            Ok(start)
        }
    }
}

/// The demo's own key, without a limit, kept beside the simulated data so that every start prints the same one.
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
    store.put_key(&made.record, &super::key::note("gsi demo", SystemClock.now()))?;
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
    notice!("The demo is ready. All data are SIMULATED.");
    notice!("");
    notice!("  key        {key}");
    notice!("  try        curl -H 'Authorization: Bearer {key}' http://{address}/v1/global-stability");
    notice!("  dashboard  http://{address}/#key={key}");
    notice!("");
}
