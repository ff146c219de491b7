//! `gsi store prune`: removes rows and payloads that are older than the configuration allows, and counts every kind.

use crate::config::Config;
use crate::result_line;
use crate::setup;
use anyhow::{Context, bail};
use gsi_feeds::ArchivePruned;
use gsi_model::{Clock, SystemClock, Timestamp};
use gsi_store::{LedStore, PrunedPart};
use indicatif::ProgressBar;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// While a service runs, rows are removed between its ticks. Only compacting needs exclusive use of the store.
pub fn run(config: &Config, dry_run: bool, compact: bool, as_json: bool) -> anyhow::Result<()> {
    let store = setup::existing_led_store(config)?;
    let keep = config.retention.days();
    let bar = ProgressBar::new_spinner();
    let parts = gsi_store::prune(&*store, &keep, dry_run, &mut |kind, removed| {
        bar.set_message(format!("removing {kind}: {removed}"));
        bar.tick();
    })?;
    bar.finish_and_clear();
    let archive = prune_archive(config, &*store, dry_run)?;
    let log = request_log(config);
    let whole = if compact { Some(compacted(&store)?) } else { None };
    match as_json {
        true => print_json(&parts, archive, log, whole, dry_run),
        false => print_table(&parts, archive, log, whole, dry_run),
    }
    Ok(())
}

fn compacted(store: &Arc<dyn LedStore>) -> anyhow::Result<(u64, u64)> {
    if store.lead()?.is_none() {
        bail!("a service uses this store; stop it and every replica before compacting");
    }
    let done = store.compact();
    store.resign();
    done.context("the store cannot be compacted")
}

/// Payloads have the time of the store's world, which may be simulated.
fn prune_archive(config: &Config, store: &dyn LedStore, dry_run: bool) -> anyhow::Result<ArchivePruned> {
    let today = store.frontier()?.map_or(SystemClock.now(), |f| f.tick).day();
    let folder = config.data.join("archive");
    gsi_feeds::prune_archive(&folder, config.feeds.archive_days, today, dry_run)
        .with_context(|| format!("cannot prune {}", folder.display()))
}

/// Returns the number of files and bytes of the request log, which rotates by itself.
fn request_log(config: &Config) -> (u64, u64) {
    let path = Path::new(&config.log.requests);
    let (Some(name), Ok(files)) = (path.file_name(), path.parent().unwrap_or(Path::new(".")).read_dir())
    else {
        return (0, 0);
    };
    let name = name.to_string_lossy();
    let is_part = |file: &str| {
        file.strip_prefix(&*name).is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix('.').is_some_and(|n| n.parse::<u32>().is_ok())
        })
    };
    files
        .flatten()
        .filter(|file| file.file_name().to_str().is_some_and(is_part))
        .filter_map(|file| file.metadata().ok().filter(std::fs::Metadata::is_file))
        .fold((0, 0), |(count, bytes), file| (count + 1, bytes + file.len()))
}

fn print_json(
    parts: &[PrunedPart],
    archive: ArchivePruned,
    log: (u64, u64),
    whole: Option<(u64, u64)>,
    dry_run: bool,
) {
    let kinds: serde_json::Map<_, _> = parts
        .iter()
        .map(|p| {
            let counts = json!({
                "kept_since": p.before, "removed": p.removed,
                "rows_before": p.size_before.rows, "rows_after": p.size_after.rows,
                "bytes_before": p.size_before.bytes, "bytes_after": p.size_after.bytes,
            });
            (p.kind.key().to_owned(), counts)
        })
        .collect();
    result_line!(
        "{}",
        json!({
            "dry_run": dry_run,
            "kinds": kinds,
            "archive": {
                "files_before": archive.files, "files_after": archive.files - archive.removed_files,
                "bytes_before": archive.bytes, "bytes_after": archive.bytes - archive.removed_bytes,
            },
            "request_log": { "files": log.0, "bytes": log.1 },
            "store_bytes": whole.map(|(before, after)| json!({ "before": before, "after": after })),
        })
    );
}

fn print_table(
    parts: &[PrunedPart],
    archive: ArchivePruned,
    log: (u64, u64),
    whole: Option<(u64, u64)>,
    dry_run: bool,
) {
    result_line!(
        "{:<16}{:<22}{:>12}{:>12}{:>12}{:>12}",
        "KIND",
        "KEPT SINCE",
        "ROWS",
        "REMOVED",
        "MB",
        "MB AFTER"
    );
    let line = |kind: &str, since: String, rows: u64, removed: u64, before: u64, after: u64| {
        result_line!(
            "{kind:<16}{since:<22}{rows:>12}{removed:>12}{:>12.1}{:>12.1}",
            before as f64 / 1e6,
            after as f64 / 1e6
        );
    };
    for p in parts {
        let since = p.before.map_or("all".to_owned(), |t: Timestamp| t.to_string());
        line(p.kind.key(), since, p.size_before.rows, p.removed, p.size_before.bytes, p.size_after.bytes);
    }
    let left = archive.bytes - archive.removed_bytes;
    line("archive", "(files)".into(), archive.files, archive.removed_files, archive.bytes, left);
    line("request_log", "(files)".into(), log.0, 0, log.1, log.1);
    if let Some((before, after)) = whole {
        result_line!("compacted: {:.1} MB, before {:.1} MB", after as f64 / 1e6, before as f64 / 1e6);
    }
    if dry_run {
        result_line!("nothing was changed; the later sizes are estimates");
    }
}
