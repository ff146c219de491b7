//! `gsi store`: copies, backs up, restores, checks and migrates a whole store.

use crate::cli::StoreCommand;
use crate::config::Config;
use crate::result_line;
use crate::setup;
use anyhow::{Context, bail};
use gsi_model::{Clock, SystemClock, Timestamp};
use gsi_store::bulk::{self, Bulk, Digests};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(config: &Config, command: StoreCommand) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Copy { from, to, json } => {
            let digests = copy(&*existing(&from)?, &*open(&to)?)?;
            report("copied", &digests, json);
        }
        StoreCommand::Backup { file, json } => {
            let digests = back_up(&*existing(&config.store_url())?, &file)?;
            report("backed up", &digests, json);
        }
        StoreCommand::Restore { file, json } => {
            setup::make_data_folder(config)?;
            if !file.exists() {
                bail!("there is no {}", file.display());
            }
            let backup = bulk::open_backup(&file, &config.data).context("cannot read the backup")?;
            let digests = copy(&backup.store, &*open(&config.store_url())?)?;
            report("restored", &digests, json);
        }
        StoreCommand::Check { json } => {
            let store = existing(&config.store_url())?;
            store.verify().context("the check of the database failed")?;
            let outside_ticks = bulk::rows_after_last_tick(&*store)?;
            if outside_ticks > 0 {
                bail!(
                    "{outside_ticks} rows became known after the last tick and would block the next one; `gsi store repair` \
                     makes them wait for it"
                );
            }
            let bar = bar()?;
            let digests =
                bulk::digests(&*store, &mut |name, done, total| show(&bar, "reading", name, done, total));
            bar.finish_and_clear();
            report("sound", &digests.context("cannot read the whole store")?, json);
        }
        StoreCommand::Upgrade { dry_run, no_copy, json } => upgrade(config, dry_run, no_copy, json)?,
        StoreCommand::Prune { dry_run, compact, json } => super::prune::run(config, dry_run, compact, json)?,
        StoreCommand::Repair { dry_run, to, json } => repair(&config.store_url(), to, dry_run, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Does what the next start of the service would do.
fn upgrade(config: &Config, dry_run: bool, no_copy: bool, as_json: bool) -> anyhow::Result<()> {
    let url = config.store_url();
    let before = gsi_store::format_of(&url).context("cannot read the store's format")?;
    if before.found == 0 {
        bail!("there is no store yet; `gsi serve` creates one with the newest format");
    }
    // Opening refuses a store that is too new, even in a dry run.
    if !dry_run || before.found > before.newest {
        let open = if no_copy { gsi_store::open_and_upgrade_alone } else { gsi_store::open_and_upgrade };
        drop(open(&url).context("cannot upgrade the store")?);
    }
    let newest = before.newest.max(before.found);
    let copy =
        if no_copy || before.steps.is_empty() { None } else { gsi_store::copy_of(&url, before.found)? };
    if as_json {
        result_line!(
            "{}",
            json!({
                "from": before.found, "to": newest, "steps": before.steps, "dry_run": dry_run, "copy": copy,
            })
        );
        return Ok(());
    }
    if before.steps.is_empty() {
        result_line!("nothing to upgrade: the store has format {}", before.found);
        return Ok(());
    }
    let verb = if dry_run { "would be upgraded" } else { "upgraded" };
    result_line!("{verb} from format {} to {newest}: {}", before.found, before.steps.join(", "));
    if let Some(copy) = copy {
        let verb = if dry_run { "would be kept" } else { "is kept" };
        result_line!(
            "a copy of the old store {verb} in {}; remove it when you do not need it",
            copy.display()
        );
    }
    Ok(())
}

/// Works as the leader, so that no other process can write at the same time.
fn repair(url: &str, to: Option<Timestamp>, dry_run: bool, as_json: bool) -> anyhow::Result<()> {
    drop(existing(url)?);
    let store = gsi_store::open_led(url).context("cannot open the store")?;
    let now = match (to, store.time()?) {
        (Some(to), _) => to,
        (None, Some(time)) => Timestamp::from_unix(
            time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs() as i64,
        ),
        (None, None) => SystemClock.now(),
    };
    let Some(kept) = store.state_at(now)?.map(|f| f.tick) else {
        bail!("there is no tick at or before {now} to go back to");
    };
    if store.lead()?.is_none() {
        bail!("a service uses this store; stop it and every replica before setting it back");
    }
    let done = store.set_back(kept, dry_run);
    store.resign();
    let done = done?;
    if as_json {
        result_line!(
            "{}",
            json!({
                "to": kept.to_string(), "dry_run": dry_run, "ticks": done.ticks, "snapshots": done.snapshots,
                "event_versions": done.event_versions, "briefings": done.briefings, "waiting": done.waiting,
            })
        );
    } else if done.is_nothing() {
        result_line!("nothing to repair: the last tick is {kept}, and nothing was stored after it");
    } else {
        result_line!(
            "{} to the tick {kept}: {} ticks, {} snapshots, {} event versions and {} briefings withdrawn; {} rows wait for the \
             next tick",
            if dry_run { "would be set back" } else { "set back" },
            done.ticks,
            done.snapshots,
            done.event_versions,
            done.briefings,
            done.waiting
        );
    }
    Ok(())
}

fn open(url: &str) -> anyhow::Result<Box<dyn Bulk>> {
    bulk::open_bulk(url).context("cannot open the store")
}

/// Opens a store that must exist, because opening creates a missing file, and an empty source is a mistake.
fn existing(url: &str) -> anyhow::Result<Box<dyn Bulk>> {
    if let Some(path) = setup::sqlite_path(url)
        && !path.exists()
    {
        bail!("there is no {}", path.display());
    }
    open(url)
}

fn file_url(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

fn copy(from: &dyn Bulk, to: &dyn Bulk) -> anyhow::Result<Digests> {
    let bar = bar()?;
    let done = bulk::copy(from, to, &mut |name, done, total| show(&bar, "copying", name, done, total));
    bar.finish_and_clear();
    Ok(done?)
}

/// Writes a separate file, which gets its name when it is complete.
fn back_up(from: &dyn Bulk, file: &Path) -> anyhow::Result<Digests> {
    if file.exists() {
        bail!("{} exists; a backup needs a new file", file.display());
    }
    setup::require_free_space(file)?;
    let mut partial = file.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    if partial.exists() {
        std::fs::remove_file(&partial).with_context(|| format!("cannot remove {}", partial.display()))?;
    }
    let digests = {
        // Closed before it is renamed, because closing moves everything into the one file.
        let to = open(&file_url(&partial))?;
        copy(from, &*to)?
    };
    std::fs::rename(&partial, file).with_context(|| format!("cannot create {}", file.display()))?;
    Ok(digests)
}

fn bar() -> anyhow::Result<ProgressBar> {
    Ok(ProgressBar::new(0).with_style(ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} rows")?))
}

fn show(bar: &ProgressBar, verb: &str, name: &str, done: u64, total: u64) {
    bar.set_message(format!("{verb} {name}"));
    bar.set_length(total.max(done));
    bar.set_position(done);
}

fn report(verb: &str, digests: &Digests, as_json: bool) {
    if as_json {
        let contents: serde_json::Map<_, _> = digests
            .iter()
            .map(|(name, d)| ((*name).to_owned(), json!({ "rows": d.rows, "sha256": d.sha256 })))
            .collect();
        result_line!("{}", json!({ "result": verb, "contents": contents }));
        return;
    }
    for (name, digest) in digests {
        result_line!("{name:<20} {:>10}  {}", digest.rows, &digest.sha256);
    }
    result_line!("{verb}");
}
