//! `gsi import`: reads history in the observations format into the store. If a service does the ticks of this store, the rows become
//! known with the next ticks.

use crate::config::Config;
use crate::setup::{self, observations};
use crate::{notice, result_line};
use anyhow::bail;
use gsi_store::{Ingest, IngestReport};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Rows per transaction: large enough to be fast, small enough to be interrupted.
const BATCH: usize = 50_000;

pub fn run(config: &Config, folder: &Path, as_json: bool) -> anyhow::Result<ExitCode> {
    let files = observations::files(folder)?;
    let store = setup::open_store(config)?;
    let bar = ProgressBar::new(files.len() as u64)
        .with_style(ProgressStyle::with_template("importing {bar:40} {pos}/{len} files, {msg}")?);
    let (mut seen, mut rejected, mut done) = (0, 0, IngestReport::default());
    let mut failed = Vec::new();
    for path in &files {
        bar.set_message(path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default());
        match observations::read(path) {
            Ok(decoded) => {
                seen += decoded.seen;
                rejected += decoded.rejected_total();
                for (code, n) in &decoded.rejected {
                    notice!("gsi: {}: rejected {n}: {code}", path.display());
                }
                for batch in decoded.observations.chunks(BATCH) {
                    done += store.ingest(&Ingest { observations: batch.to_vec(), ..Ingest::default() })?;
                }
            }
            Err(error) => {
                notice!("gsi: {error:#}");
                failed.push(path.display().to_string());
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if as_json {
        let report = json!({
            "files": files.len(), "seen": seen, "inserted": done.inserted, "unchanged": done.unchanged,
            "waiting": done.waiting, "rejected": rejected, "refused_files": failed,
        });
        result_line!("{report}");
    } else {
        result_line!(
            "{} files: {seen} rows seen, {rejected} rejected; {} inserted, {} already known, {} wait for the next ticks",
            files.len(),
            done.inserted,
            done.unchanged,
            done.waiting
        );
    }
    if !failed.is_empty() {
        bail!("{} of {} files were refused", failed.len(), files.len());
    }
    Ok(ExitCode::SUCCESS)
}
