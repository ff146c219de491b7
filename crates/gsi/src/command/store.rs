//! `gsi store`: a store as a whole, moved, kept and checked. All of it works while the service runs.

use crate::cli::StoreCommand;
use crate::config::Config;
use crate::results::result_line;
use anyhow::{Context, bail};
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
            std::fs::create_dir_all(&config.data)
                .with_context(|| format!("cannot make the data folder {}", config.data.display()))?;
            let digests = copy(&*existing(&file_url(&file))?, &*open(&config.store_url())?)?;
            report("restored", &digests, json);
        }
        StoreCommand::Check { json } => {
            let store = existing(&config.store_url())?;
            store.verify().context("the database's own check")?;
            let bar = bar()?;
            let digests =
                bulk::digests(&*store, &mut |name, done, total| show(&bar, "reading", name, done, total));
            bar.finish_and_clear();
            report("sound", &digests.context("not everything can be read")?, json);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn open(url: &str) -> anyhow::Result<Box<dyn Bulk>> {
    bulk::open_bulk(url).context("cannot open the store")
}

/// Opening would create a file that is not there, and an empty source is a mistake.
fn existing(url: &str) -> anyhow::Result<Box<dyn Bulk>> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        let path = Path::new(path.strip_prefix("//").unwrap_or(path));
        if !path.exists() {
            bail!("there is no {}", path.display());
        }
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

/// Into a file of its own, under its name only when it is whole.
fn back_up(from: &dyn Bulk, file: &Path) -> anyhow::Result<Digests> {
    if file.exists() {
        bail!("{} exists; a backup goes into a new file", file.display());
    }
    let mut partial = file.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    if partial.exists() {
        std::fs::remove_file(&partial).with_context(|| format!("cannot remove {}", partial.display()))?;
    }
    let digests = {
        // Closed before it is renamed: only then is all of it in the one file.
        let to = open(&file_url(&partial))?;
        copy(from, &*to)?
    };
    std::fs::rename(&partial, file).with_context(|| format!("cannot make {}", file.display()))?;
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
        result_line!("{name:<16} {:>10}  {}", digest.rows, &digest.sha256);
    }
    result_line!("{verb}");
}
