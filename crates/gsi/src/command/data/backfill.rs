//! `gsi backfill`: fetches a feed's history into the store.

use crate::cli::Backfill;
use crate::config::{Config, ConfigError};
use crate::result_line;
use crate::setup::{self, FeedHistoryJob};
use anyhow::bail;
use gsi_model::{Clock, SystemClock};
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

pub fn run(config: &Config, arguments: &Backfill) -> anyhow::Result<ExitCode> {
    let today = SystemClock.now().day();
    let (from, to) = (arguments.from, arguments.to.unwrap_or(today.plus(-1)));
    if from > to || to > today {
        bail!(ConfigError::Invalid("--from must not be after --to, and neither may be in the future".into()));
    }
    let connector = setup::find_connector(&arguments.name.replace('-', "_"))?;
    setup::require_key(config, &*connector)?;
    let store = setup::open_store(config)?;
    let fetcher = Arc::new(setup::fetcher(config)?);
    let begun = Instant::now();
    let mut job = FeedHistoryJob::new(&*store, connector, fetcher, from, to);
    let gave_up = setup::decoding_runtime()?.block_on(job.fetch())?;
    print(&job, arguments, begun.elapsed().as_secs_f64());
    if let Some(why) = gave_up {
        bail!("the publisher is in trouble ({why}); the same command continues from here");
    }
    Ok(ExitCode::SUCCESS)
}

fn print(job: &FeedHistoryJob<'_>, arguments: &Backfill, seconds: f64) {
    let r = &job.report;
    let rate = r.seen as f64 / seconds.max(1e-9);
    if arguments.json {
        let report = json!({
            "feed": arguments.name, "from": job.from.to_string(), "to": job.to.to_string(), "files": r.files,
            "already_done": r.already, "absent": r.absent, "refused": r.refused, "seen": r.seen,
            "accepted": r.accepted, "rejected": r.rejected, "inserted": r.stored.inserted,
            "unchanged": r.stored.unchanged, "waiting": r.stored.waiting,
            "rows_per_second": rate.round(),
        });
        result_line!("{report}");
        return;
    }
    result_line!(
        "{}: {} files ({} done before, {} absent), {} rows seen, {} accepted, {} rejected; {} inserted, {} already known, \
         {} wait for the next ticks; {rate:.0} rows a second",
        arguments.name,
        r.files,
        r.already,
        r.absent,
        r.seen,
        r.accepted,
        r.rejected,
        r.stored.inserted,
        r.stored.unchanged,
        r.stored.waiting
    );
    for (code, n) in &r.refused {
        result_line!("    refused {n}: {code}");
    }
}
