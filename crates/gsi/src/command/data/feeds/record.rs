//! `gsi feeds record`: stores every payload unchanged, with its time.

use crate::config::Config;
use crate::notice;
use crate::setup;
use gsi_feeds::{DiskSpace, Fetcher, FetcherSettings};
use gsi_model::{Clock, FeedState, SystemClock};
use gsi_pipeline::{FEED_DEADLINE, FeedPoller, record_poll};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// A recording is never pruned.
const KEEP_DAYS: u32 = 100 * 366;

pub fn run(config: &Config, folder: &Path, looks: Option<u32>) -> anyhow::Result<ExitCode> {
    let settings = FetcherSettings {
        archive: Some(folder.to_owned()),
        archive_days: KEEP_DAYS,
        archive_max_bytes: u64::MAX,
        ..setup::fetcher_settings(config)?
    };
    let mut poller = FeedPoller::new(setup::active_connectors(config)?, Arc::new(Fetcher::new(settings)?));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut states: BTreeMap<String, FeedState> = BTreeMap::new();
        let mut done = 0;
        loop {
            anyhow::ensure!(
                !DiskSpace::of(folder).is_ok_and(|space| space.is_low()),
                "the disk of {} is nearly full, so nothing more is recorded",
                folder.display()
            );
            let tick = SystemClock.now().floor_tick();
            for (feed, poll) in poller.gather(tick, &states, FEED_DEADLINE).await {
                let state = states
                    .entry(feed.clone())
                    .or_insert_with(|| FeedState { feed: feed.clone(), ..FeedState::default() });
                let before = state.accepted;
                record_poll(state, &poll, tick, !poll.decoded.is_empty());
                let refused = poll.refusals.last().map_or(String::new(), |r| format!(", refused: {r}"));
                notice!("{tick} {feed}: {} new rows{refused}", state.accepted - before);
            }
            done += 1;
            if looks.is_some_and(|n| done >= n) {
                return anyhow::Ok(());
            }
            tokio::select! {
                () = tokio::time::sleep(SystemClock.until(tick.next_tick())) => {}
                _ = tokio::signal::ctrl_c() => return anyhow::Ok(()),
            }
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
