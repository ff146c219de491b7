//! `gsi backfill`: a feed's past, file by file, newest first.
//!
//! As many files are in memory as there are cores to decode them. How far it came is noted after each one, so the same
//! command goes on where an earlier one stopped; doing it twice changes nothing. Where a service ticks, what is
//! fetched becomes known with the next ticks.

use crate::cli::Backfill;
use crate::config::{Config, ConfigError};
use crate::fetching;
use crate::results::{notice, result_line};
use crate::running;
use anyhow::bail;
use gsi_feeds::{Connector, Fetcher, FileSource};
use gsi_model::{Clock, Day, Decoded, RefusalCode, SystemClock, Timestamp};
use gsi_store::{Ingest, IngestReport, Store};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// After so many refusals in a row the publisher is in trouble; the rest waits for the next run.
const REFUSALS_IN_A_ROW: u32 = 5;
/// A feed that reads its history in parts is polled this often at most.
const MOST_POLLS: u64 = 200;
/// History whose publication times are reconstructed counts for a little less, as in the service itself.
const RECONSTRUCTED_QUALITY: f64 = 0.8;

#[derive(Default)]
struct BackfillReport {
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
    connector: Arc<dyn Connector>,
    fetcher: Arc<Fetcher>,
    from: Day,
    to: Day,
    report: BackfillReport,
}

pub fn run(config: &Config, arguments: &Backfill) -> anyhow::Result<ExitCode> {
    let today = SystemClock.now().day();
    let (from, to) = (arguments.from, arguments.to.unwrap_or(today.plus(-1)));
    if from > to || to > today {
        bail!(ConfigError::Invalid("--from comes before --to, and neither lies in the future".into()));
    }
    let connector = super::feeds::find(&arguments.name.replace('-', "_"))?;
    running::require_key(config, &*connector)?;
    let store = running::open_store(config)?;
    let fetcher = Arc::new(fetching::fetcher(config)?);
    let begun = Instant::now();
    let mut job = Job::new(&*store, connector, fetcher, from, to);
    let gave_up = runtime()?.block_on(job.fetch())?;
    print(&job, arguments, begun.elapsed().as_secs_f64());
    if let Some(why) = gave_up {
        bail!("the publisher is in trouble ({why}); the same command goes on from here");
    }
    Ok(ExitCode::SUCCESS)
}

/// As far back as an indicator looks.
const BASELINE_DAYS: i32 = 3_653;

/// The past of all these feeds until `to`, for a computation that begins on `from`: as much of it as indicators look back on,
/// where a few files hold that much. A feed that refuses is told of and left out.
pub fn fetch_past(
    store: &dyn Store,
    connectors: &[Arc<dyn Connector>],
    fetcher: &Arc<Fetcher>,
    from: Day,
    to: Day,
) -> anyhow::Result<()> {
    let runtime = runtime()?;
    for connector in connectors {
        // Years of a file a day are asked for only by name.
        let begin = if connector.has_compact_history() { to.plus(-BASELINE_DAYS) } else { from };
        let mut job = Job::new(store, connector.clone(), fetcher.clone(), begin, to);
        let gave_up = runtime.block_on(job.fetch())?;
        let (feed, report) = (connector.origin().feed, &job.report);
        match gave_up {
            Some(why) => notice!("gsi: {feed}: {} rows accepted, then: {why}", report.accepted),
            None => notice!("gsi: {feed}: {} rows accepted", report.accepted),
        }
    }
    Ok(())
}

/// Fetched files are decoded on its workers.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

impl<'a> Job<'a> {
    fn new(
        store: &'a dyn Store,
        connector: Arc<dyn Connector>,
        fetcher: Arc<Fetcher>,
        from: Day,
        to: Day,
    ) -> Job<'a> {
        Job { store, connector, fetcher, from, to, report: BackfillReport::default() }
    }

    /// Returns why it stopped early, if it did.
    async fn fetch(&mut self) -> anyhow::Result<Option<String>> {
        match self.connector.history(self.from, self.to) {
            Some(files) => self.fetch_files(files).await,
            None => self.poll_until_done().await,
        }
    }

    /// File by file, fetched and decoded a few ahead, taken in order.
    async fn fetch_files(&mut self, mut files: Vec<FileSource>) -> anyhow::Result<Option<String>> {
        let bar = bar(files.len() as u64)?;
        let feed = self.connector.origin().feed;
        let note = format!("backfill.{feed}.{}.{}", self.from, self.to);
        let mut done: usize = self.store.meta(&note)?.and_then(|n| n.parse().ok()).unwrap_or(0);
        let marker = self.connector.history_marker();
        if let Some(series) = marker {
            let known = self.days_with(series)?;
            let days = (self.from.0..=self.to.0).rev().map(Day);
            let wanted = files.into_iter().zip(days).filter(|(_, day)| !known.contains(day));
            files = wanted.map(|(file, _)| file).collect();
            self.report.already = bar.length().unwrap_or(0) - files.len() as u64;
            done = 0;
        } else {
            self.report.already = done.min(files.len()) as u64;
        }
        bar.inc(self.report.already);
        let ahead = std::thread::available_parallelism().map_or(1, usize::from);
        let mut waiting = files.into_iter().enumerate().skip(done);
        let mut running: VecDeque<_> = VecDeque::with_capacity(ahead);
        let mut refused = 0;
        loop {
            running.extend(waiting.by_ref().take(ahead - running.len()).map(|(n, file)| {
                let (connector, fetcher) = (self.connector.clone(), self.fetcher.clone());
                let name = file.name.clone();
                let fetched =
                    tokio::spawn(async move { file.fetch(&*connector, &fetcher, SystemClock.now()).await });
                (n, name, fetched)
            }));
            let Some((n, name, fetched)) = running.pop_front() else { break };
            bar.set_message(name);
            match fetched.await? {
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
            if self.report.refused.is_empty() && marker.is_none() {
                self.store.set_meta(&note, &(n + 1).to_string())?;
            }
        }
        bar.finish_and_clear();
        Ok(None)
    }

    fn days_with(&self, series: &str) -> anyhow::Result<BTreeSet<Day>> {
        let mut days = BTreeSet::new();
        self.store.observations(Timestamp::MAX, &mut |o| {
            if o.series == series {
                days.insert(o.period_start.day());
            }
        })?;
        Ok(days)
    }

    /// For feeds whose ordinary files carry their history: polls until nothing more comes.
    async fn poll_until_done(&mut self) -> anyhow::Result<Option<String>> {
        let bar = bar(0)?;
        let mut checkpoint = String::new();
        for _ in 0..MOST_POLLS {
            let poll = self.connector.poll(&self.fetcher, SystemClock.now(), &checkpoint).await;
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

fn print(job: &Job<'_>, arguments: &Backfill, seconds: f64) {
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
