//! `gsi-lab reprocess`: computes past ticks on a held clock from recorded, fetched or imported data, into a separate store whose world is
//! a reconstruction.
//!
//! With a folder of recorded payloads, every publisher answers as it did then. With an archive of the publishers' files (a folder or an
//! address), values are read first and dated by their publishers' usual lag, and news files arrive at their own ticks. Imported data is
//! used in both cases. An interrupted run continues from its last tick.

mod stored;

use crate::cli;
use anyhow::{Context, bail};
use gsi::setup::{self, Plan, fetch_feed_histories};
use gsi::{Config, ConfigError, result_line};
use gsi_feeds::{Connector, Fetcher, FetcherSettings};
use gsi_model::{DAY, HOUR, ScaledClock, TICK, Timestamp};
use gsi_pipeline::Patience;
use gsi_store::Store;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stored::{ArchivedNews, StoredFeed};

/// Interval between polls of slow feeds, the same as for the demo's history.
const SLOW_POLL_SECONDS: i64 = 12 * HOUR;

/// The source of the inputs.
enum ReprocessInputs {
    /// Payloads from `gsi feeds record` or a service's archive.
    Recording(PathBuf),
    /// The publishers' files below this folder, as `HOST/PATH`.
    Folder(PathBuf),
    /// The publishers' files below this address.
    Mirror(url::Url),
    /// The values in the store, without news.
    Store,
}

pub fn run(config: &Config, arguments: &cli::Reprocess) -> anyhow::Result<ExitCode> {
    let (from, to) = (arguments.from.floor_tick(), arguments.to.floor_tick());
    if (from, to) != (arguments.from, arguments.to) || from > to {
        bail!(ConfigError::Invalid(
            "--from and --to must be quarter hours, and --from must not be after --to".into()
        ));
    }
    let inputs = ReprocessInputs::of(arguments.mirror.as_deref())?;
    let store = setup::open_store(config)?;
    setup::claim_world(&*store, setup::RECONSTRUCTED)?;
    let connectors = setup::active_connectors(config)?;
    let method = setup::load_method(config, &connectors)?;
    let fetcher = Arc::new(Fetcher::new(inputs.settings(config)?)?);
    let connectors = match inputs {
        ReprocessInputs::Recording(folder) => {
            check_recorded_span(&fetcher, from, to).with_context(|| folder.display().to_string())?;
            connectors
        }
        ReprocessInputs::Folder(_) | ReprocessInputs::Mirror(_) => {
            let warm_up = i64::from(arguments.warm_up_days) * DAY;
            let (news, others): (Vec<_>, Vec<_>) = connectors.into_iter().partition(|c| c.is_coded_news());
            if store.frontier()?.is_none() {
                fetch_feed_histories(&*store, &others, &fetcher, from.minus(warm_up).day(), to.day())?;
            }
            let mut past = StoredFeed::all(&*store, others, to)?;
            past.extend(
                news.into_iter().map(|feed| Arc::new(ArchivedNews { feed, warm_up }) as Arc<dyn Connector>),
            );
            past
        }
        ReprocessInputs::Store => StoredFeed::all(&*store, connectors, to)?,
    };
    let clock = Arc::new(ScaledClock::held_at(from));
    let plan = Plan { store, clock: clock.clone(), connectors, method, simulated: false, follows: false };
    let step = i64::from(arguments.every_minutes) * 60;
    if step <= 0 || step % TICK != 0 {
        bail!(ConfigError::Invalid("--every-minutes must be a multiple of 15".into()));
    }
    let done = ticks(&plan, fetcher, &clock, from, to, step)?;
    print(&*plan.store, arguments, done)?;
    Ok(ExitCode::SUCCESS)
}

impl ReprocessInputs {
    fn of(mirror: Option<&str>) -> anyhow::Result<ReprocessInputs> {
        let Some(text) = mirror else { return Ok(ReprocessInputs::Store) };
        if text.starts_with("http://") || text.starts_with("https://") {
            let base = url::Url::parse(text)
                .map_err(|e| ConfigError::Invalid(format!("--mirror {text:?} is not an address: {e}")))?;
            return Ok(ReprocessInputs::Mirror(base));
        }
        let folder = PathBuf::from(text);
        if !folder.is_dir() {
            bail!(ConfigError::Invalid(format!("--mirror {text:?} is neither a folder nor an address")));
        }
        // Only a recording has an index of arrival times.
        Ok(if folder.join("index").is_dir() {
            ReprocessInputs::Recording(folder)
        } else {
            ReprocessInputs::Folder(folder)
        })
    }

    fn settings(&self, config: &Config) -> anyhow::Result<FetcherSettings> {
        let none = FetcherSettings { archive: None, ..setup::fetcher_settings(config)? };
        Ok(match self {
            ReprocessInputs::Recording(folder) => FetcherSettings { replay: Some(folder.clone()), ..none },
            ReprocessInputs::Folder(folder) => FetcherSettings { folder: Some(folder.clone()), ..none },
            ReprocessInputs::Mirror(base) => FetcherSettings {
                rewrite_base: Some(base.clone()),
                allow_private: true,
                spacing: Duration::ZERO,
                ..none
            },
            ReprocessInputs::Store => none,
        })
    }
}

fn check_recorded_span(fetcher: &Fetcher, from: Timestamp, to: Timestamp) -> anyhow::Result<()> {
    let (first, last) = fetcher.recorded_span().context("there is no recording")?;
    // The later of two ticks sees what was recorded between them.
    if to < first || from.minus(TICK) > last {
        bail!("the recording begins at {first} and ends at {last}");
    }
    Ok(())
}

struct Done {
    ticks: u64,
    before: u64,
    seconds: f64,
}

fn ticks(
    plan: &Plan,
    fetcher: Arc<Fetcher>,
    clock: &ScaledClock,
    from: Timestamp,
    to: Timestamp,
    step: i64,
) -> anyhow::Result<Done> {
    let runtime = setup::tick_runtime()?;
    let mut pipeline = setup::open_pipeline(plan, None, fetcher, Box::new(|_| {}))?;
    let mut tick = match pipeline.frontier() {
        Some(done) if done < from => {
            bail!(
                "this reconstruction ends at {done}, before {from}; continue from there or choose another store"
            )
        }
        Some(done) => done.plus(step),
        None => from,
    };
    let total = (to.since(from) / step + 1) as u64;
    let before = (tick.since(from) / step) as u64;
    let bar = ProgressBar::new(total).with_style(ProgressStyle::with_template(
        "computing {bar:40} {pos}/{len} ticks, {per_sec}, {eta} left, {msg}",
    )?);
    bar.set_position(before);
    pipeline.set_patience(Patience { seconds: SLOW_POLL_SECONDS, until: to });
    let begun = Instant::now();
    let mut ticks = 0;
    while tick <= to {
        clock.hold_at(tick);
        let next = tick.plus(step);
        if next > to {
            runtime.block_on(async {
                pipeline.finish_history().await?;
                pipeline.tick(tick).await
            })?;
        } else {
            runtime.block_on(pipeline.tick_of_history(tick, next, || clock.hold_at(next)))?;
        }
        if tick.second_of_day() == 0 {
            bar.set_message(tick.day().to_string());
        }
        bar.inc(1);
        ticks += 1;
        tick = next;
    }
    bar.finish_and_clear();
    Ok(Done { ticks, before, seconds: begun.elapsed().as_secs_f64() })
}

fn print(store: &dyn Store, arguments: &cli::Reprocess, done: Done) -> anyhow::Result<()> {
    let published = store.history(None, arguments.from, arguments.to.plus(1))?.len();
    let rate = done.ticks as f64 / done.seconds.max(1e-9);
    if arguments.json {
        result_line!(
            "{}",
            json!({
                "from": arguments.from, "to": arguments.to, "ticks": done.ticks, "already_done": done.before,
                "published": published, "ticks_per_second": (rate * 10.0).round() / 10.0,
            })
        );
    } else {
        result_line!(
            "{} ticks computed ({} done before), {published} snapshots published, {rate:.0} ticks a second",
            done.ticks,
            done.before
        );
    }
    Ok(())
}
