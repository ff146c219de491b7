//! Fetches a feed's history into the store, newest file first.
//!
//! At most one file for each core is in memory. The store keeps a note of the progress after each file, so a later run continues
//! there, and a repeated run changes nothing. If a service does the ticks of this store, the rows become known with the next ticks.

use crate::notice;
use gsi_feeds::{Connector, Fetcher, FileSource};
use gsi_model::{Clock, Day, Decoded, RefusalCode, SystemClock, Timestamp};
use gsi_store::{Ingest, IngestReport, Store};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Refusals in a row after which the run stops. The next run asks for the rest.
const REFUSALS_IN_A_ROW: u32 = 5;
/// Maximum polls of a feed that reads its history in parts.
const MOST_POLLS: u64 = 200;
/// Quality of values whose publication times are reconstructed, as in the service itself.
const RECONSTRUCTED_QUALITY: f64 = 0.8;

#[derive(Default)]
pub(crate) struct FeedHistoryReport {
    pub files: u64,
    /// Files that earlier runs have done.
    pub already: u64,
    /// Files that the publisher does not have.
    pub absent: u64,
    pub refused: BTreeMap<RefusalCode, u64>,
    pub seen: u64,
    pub accepted: u64,
    pub rejected: u64,
    pub stored: IngestReport,
}

pub(crate) struct FeedHistoryJob<'a> {
    store: &'a dyn Store,
    connector: Arc<dyn Connector>,
    fetcher: Arc<Fetcher>,
    pub from: Day,
    pub to: Day,
    pub report: FeedHistoryReport,
}

/// Days of history that indicators look back on.
const BASELINE_DAYS: i32 = 3_653;

/// Fetches the history of these feeds up to `to`, for a computation that begins on `from`. Feeds that keep years in a few files
/// bring as many days as indicators look back on. Reports a feed that refuses, and continues with the others.
pub fn fetch_feed_histories(
    store: &dyn Store,
    connectors: &[Arc<dyn Connector>],
    fetcher: &Arc<Fetcher>,
    from: Day,
    to: Day,
) -> anyhow::Result<()> {
    let runtime = decoding_runtime()?;
    for connector in connectors {
        // A feed with one file a day has thousands of them, which `gsi backfill` fetches.
        let begin = if connector.has_compact_history() { to.plus(-BASELINE_DAYS) } else { from };
        let mut job = FeedHistoryJob::new(store, connector.clone(), fetcher.clone(), begin, to);
        let gave_up = runtime.block_on(job.fetch())?;
        let (feed, report) = (connector.origin().feed, &job.report);
        match gave_up {
            Some(why) => notice!("{feed}: {} rows accepted, then: {why}", report.accepted),
            None => notice!("{feed}: {} rows accepted", report.accepted),
        }
    }
    Ok(())
}

/// Returns a runtime whose workers decode the fetched files.
pub(crate) fn decoding_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

impl<'a> FeedHistoryJob<'a> {
    pub fn new(
        store: &'a dyn Store,
        connector: Arc<dyn Connector>,
        fetcher: Arc<Fetcher>,
        from: Day,
        to: Day,
    ) -> Self {
        FeedHistoryJob { store, connector, fetcher, from, to, report: FeedHistoryReport::default() }
    }

    /// Returns the reason if it stopped early.
    pub async fn fetch(&mut self) -> anyhow::Result<Option<String>> {
        match self.connector.history(self.from, self.to) {
            Some(files) => self.fetch_files(files).await,
            None => self.poll_until_done().await,
        }
    }

    /// Fetches and decodes a few files ahead, and stores them in order.
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
            // The next run begins with the first file that was refused.
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

    /// Polls a feed whose ordinary files hold its history, until a poll brings nothing.
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
