//! `gsi backfill`: a feed's past, file by file, newest first.
//!
//! One file is in memory at a time. How far it came is noted after each one, so the same command goes on where an earlier
//! one stopped; doing it twice changes nothing. Where a service ticks, what is fetched becomes known with the next ticks.

use crate::cli::Backfill;
use crate::config::{Config, ConfigError};
use crate::results::result_line;
use crate::running;
use anyhow::bail;
use gsi_feeds::{Connector, Fetcher, FileSource};
use gsi_model::{Clock, Day, Decoded, RefusalCode, SystemClock};
use gsi_store::{Ingest, IngestReport, Store};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// After so many refusals in a row the publisher is in trouble; the rest waits for the next run.
const REFUSALS_IN_A_ROW: u32 = 5;
/// A feed that reads its history in parts is polled this often at most.
const MOST_POLLS: u64 = 200;
/// History whose publication times are reconstructed counts for a little less, as in the service itself.
const RECONSTRUCTED_QUALITY: f64 = 0.8;

#[derive(Default)]
struct Report {
    files: u64,
    already: u64,
    absent: u64,
    refused: BTreeMap<RefusalCode, u64>,
    seen: u64,
    accepted: u64,
    rejected: u64,
    stored: IngestReport,
}

struct Job<'a> {
    store: &'a dyn Store,
    connector: &'a dyn Connector,
    fetcher: &'a Fetcher,
    from: Day,
    to: Day,
    report: Report,
}

pub fn run(config: &Config, arguments: &Backfill) -> anyhow::Result<ExitCode> {
    let day = |text: &str, flag: &str| {
        Day::parse_iso(text).ok_or_else(|| {
            ConfigError::Invalid(format!("{flag} takes a day such as 2026-10-01, not {text:?}"))
        })
    };
    let (from, to) = (day(&arguments.from, "--from")?, day(&arguments.to, "--to")?);
    if from > to || to > SystemClock.now().day() {
        bail!(ConfigError::Invalid("--from comes before --to, and neither lies in the future".into()));
    }
    let connector = super::feeds::find(&arguments.name)?;
    running::require_key(config, &*connector)?;
    let store = running::open_store(config)?;
    let fetcher = running::fetcher(config, None)?;
    let runtime = running::tick_runtime()?;
    let mut job = Job {
        store: &*store,
        connector: &*connector,
        fetcher: &fetcher,
        from,
        to,
        report: Report::default(),
    };
    let gave_up = match connector.history(from, to) {
        Some(pieces) => runtime.block_on(job.pieces(&pieces))?,
        None => runtime.block_on(job.polls())?,
    };
    print(&job.report, arguments);
    if let Some(why) = gave_up {
        bail!("the publisher is in trouble ({why}); the same command goes on from here");
    }
    Ok(ExitCode::SUCCESS)
}

impl Job<'_> {
    /// File by file. Returns why it stopped early, if it did.
    async fn pieces(&mut self, pieces: &[FileSource]) -> anyhow::Result<Option<String>> {
        let bar = bar(pieces.len() as u64)?;
        let note = format!("backfill.{}.{}.{}", self.connector.origin().feed, self.from, self.to);
        let done: usize = self.store.meta(&note)?.and_then(|n| n.parse().ok()).unwrap_or(0);
        self.report.already = done.min(pieces.len()) as u64;
        bar.inc(self.report.already);
        let mut refused = 0;
        for (n, piece) in pieces.iter().enumerate().skip(done) {
            bar.set_message(piece.name.clone());
            match piece.fetch(self.connector, self.fetcher, SystemClock.now()).await {
                Ok(decoded) => {
                    refused = 0;
                    self.take(decoded)?;
                }
                Err(refusal) if refusal.code == RefusalCode::Status404 => self.report.absent += 1,
                Err(refusal) => {
                    *self.report.refused.entry(refusal.code).or_default() += 1;
                    refused += 1;
                    if refused == REFUSALS_IN_A_ROW {
                        return Ok(Some(refusal.to_string()));
                    }
                }
            }
            bar.inc(1);
            // The next run asks again for the first file that was refused, and for all after it.
            if self.report.refused.is_empty() {
                self.store.set_meta(&note, &(n + 1).to_string())?;
            }
        }
        bar.finish_and_clear();
        Ok(None)
    }

    /// For feeds whose ordinary files carry their history: polls until nothing more comes.
    async fn polls(&mut self) -> anyhow::Result<Option<String>> {
        let bar = bar(0)?;
        let mut checkpoint = String::new();
        for _ in 0..MOST_POLLS {
            let poll = self.connector.poll(self.fetcher, SystemClock.now(), &checkpoint).await;
            for refusal in &poll.refusals {
                *self.report.refused.entry(refusal.code).or_default() += 1;
            }
            if poll.decoded.is_empty() {
                bar.finish_and_clear();
                return Ok(poll.refusals.last().map(ToString::to_string));
            }
            for decoded in poll.decoded {
                self.take(decoded)?;
                bar.inc(1);
            }
            if checkpoint == poll.checkpoint {
                break;
            }
            checkpoint = poll.checkpoint;
        }
        bar.finish_and_clear();
        Ok(None)
    }

    fn take(&mut self, decoded: Decoded) -> anyhow::Result<()> {
        let report = &mut self.report;
        report.files += 1;
        report.seen += decoded.seen;
        report.accepted += decoded.accepted;
        report.rejected += decoded.rejected_total();
        let (first, end) = (self.from.start(), self.to.end());
        let mut observations = decoded.observations;
        observations.retain(|o| o.period_end > first && o.period_start < end);
        for o in &mut observations {
            let spec = self.connector.series().iter().find(|s| s.series == o.series);
            let usual = o.period_end.plus(spec.map_or(0, |s| s.publication_lag));
            if usual < o.known_at {
                (o.known_at, o.quality) = (usual, o.quality.min(RECONSTRUCTED_QUALITY));
            }
        }
        let ingest = Ingest { observations, slots: decoded.slots, rows: decoded.rows };
        report.stored += self.store.ingest(&ingest)?;
        Ok(())
    }
}

fn bar(length: u64) -> anyhow::Result<ProgressBar> {
    let template = "fetching {bar:40} {pos}/{len} files, {eta} left, {msg}";
    Ok(ProgressBar::new(length).with_style(ProgressStyle::with_template(template)?))
}

fn print(r: &Report, arguments: &Backfill) {
    if arguments.json {
        let report = json!({
            "feed": arguments.name, "from": arguments.from, "to": arguments.to, "files": r.files,
            "already_done": r.already, "absent": r.absent, "refused": r.refused, "seen": r.seen,
            "accepted": r.accepted, "rejected": r.rejected, "inserted": r.stored.inserted,
            "unchanged": r.stored.unchanged, "waiting": r.stored.waiting,
        });
        result_line!("{report}");
        return;
    }
    result_line!(
        "{}: {} files ({} done before, {} absent), {} rows seen, {} accepted, {} rejected; {} inserted, {} already known, \
         {} wait for the next ticks",
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
