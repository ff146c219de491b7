//! `gsi replay`: computes published ticks again from the store and compares them with the stored ones.

use crate::cli;
use crate::cli::check_span;
use crate::config::Config;
use crate::setup;
use crate::{notice, result_line};
use gsi_model::Timestamp;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::process::ExitCode;
use std::time::Instant;

/// The comparison found a difference.
const DIFFERENT: u8 = 3;
/// The inputs of the ticks were pruned.
const PRUNED: u8 = 4;

pub fn run(config: &Config, arguments: &cli::Replay) -> anyhow::Result<ExitCode> {
    check_span(arguments.from, arguments.to)?;
    let store = setup::existing_store(config)?;
    let method = setup::load_method(config, &setup::active_connectors(config)?)?;
    let mut from = arguments.from.unwrap_or(Timestamp::MIN);
    let to = arguments.to.unwrap_or(Timestamp::MAX.minus(gsi_model::DAY));
    let published: Vec<Timestamp> = store.history(None, from, to.plus(1))?.iter().map(|p| p.tick).collect();
    if published.is_empty() {
        anyhow::bail!("no snapshot was published in that time");
    }
    let mut total = published.len();
    if let Some((gone, why)) = gsi_store::unreplayable(&*store, &published)? {
        notice!("gsi: {gone} of {total} ticks cannot be computed again: {why}; they are unchanged");
        match published.get(gone) {
            // Without --from, begin with the first possible tick.
            Some(first) if arguments.from.is_none() => from = *first,
            Some(first) => {
                notice!("gsi: the first possible tick is {first}");
                return Ok(ExitCode::from(PRUNED));
            }
            None => return Ok(ExitCode::from(PRUNED)),
        }
        total -= gone;
    }
    let bar = ProgressBar::new(total as u64)
        .with_style(ProgressStyle::with_template("replaying {bar:40} {pos}/{len} ticks, {eta} left")?);
    let begun = Instant::now();
    let verify = arguments.verify;
    let replayed = gsi_pipeline::replay(&*store, method, from, to, verify, &mut |tick, snapshot| {
        bar.inc(1);
        if !verify {
            let line =
                snapshot.map(|s| json!({"tick": tick, "id": s.id, "score": s.score, "band": s.band.key()}));
            result_line!("{}", line.unwrap_or_else(|| json!({"tick": tick})));
        }
    })?;
    bar.finish_and_clear();
    let seconds = begun.elapsed().as_secs_f64();
    let rate = (replayed.ticks + replayed.on_the_way) as f64 / seconds.max(1e-9);
    notice!(
        "gsi: {} ticks in {seconds:.1} s, {rate:.0} ticks a second",
        replayed.ticks + replayed.on_the_way
    );
    if let Some(version) = &replayed.other_method {
        notice!(
            "gsi: {} ticks were computed by method {version}, which this program does not have; they are unchanged",
            replayed.by_other_method
        );
    }
    match replayed.difference {
        Some(difference) => {
            notice!("gsi: the replay differs from what is stored");
            result_line!("{difference}");
            Ok(ExitCode::from(DIFFERENT))
        }
        None if verify => {
            result_line!(
                "{} ticks are the same byte for byte: {} event versions, {} derived values, {} summaries, {} briefings",
                replayed.ticks,
                replayed.events,
                replayed.derived,
                replayed.summaries,
                replayed.briefings
            );
            Ok(ExitCode::SUCCESS)
        }
        None => Ok(ExitCode::SUCCESS),
    }
}
