//! `gsi import`: history in the observations format, into the store.

use crate::config::Config;
use crate::results::result_line;
use crate::{observations, running};
use anyhow::bail;
use gsi_model::Observation;
use gsi_store::Ingest;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Rows per transaction: large enough to be fast, small enough to stop and resume anywhere.
const BATCH: usize = 50_000;

pub fn run(config: &Config, folder: &Path, as_json: bool) -> anyhow::Result<ExitCode> {
    let files = observations::files(folder)?;
    let store = running::open_store(config)?;
    // A tick that is published can be recomputed for ever only if nothing is slipped in before it.
    let frontier = store.frontier()?.map(|f| f.tick);
    let bar = ProgressBar::new(files.len() as u64)
        .with_style(ProgressStyle::with_template("importing {bar:40} {pos}/{len} files, {msg}")?);
    let (mut seen, mut inserted, mut unchanged, mut rejected) = (0, 0, 0, 0);
    let mut failed = Vec::new();
    for path in &files {
        bar.set_message(path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default());
        match observations::read(path) {
            Ok(decoded) => {
                seen += decoded.seen;
                rejected += decoded.rejected_total();
                for (code, n) in &decoded.rejected {
                    eprintln!("gsi: {}: rejected {n}: {code}", path.display());
                }
                let rows: Vec<Observation> = decoded
                    .observations
                    .into_iter()
                    .map(|mut o| {
                        if let Some(done) = frontier {
                            o.known_at = o.known_at.max(done.plus(1));
                        }
                        o
                    })
                    .collect();
                for batch in rows.chunks(BATCH) {
                    let report =
                        store.ingest(&Ingest { observations: batch.to_vec(), ..Ingest::default() })?;
                    inserted += report.inserted;
                    unchanged += report.unchanged;
                }
            }
            Err(error) => {
                eprintln!("gsi: {error:#}");
                failed.push(path.display().to_string());
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if as_json {
        let report = json!({
            "files": files.len(), "seen": seen, "inserted": inserted, "unchanged": unchanged,
            "rejected": rejected, "refused_files": failed,
        });
        result_line!("{report}");
    } else {
        result_line!(
            "{} files: {seen} rows seen, {inserted} inserted, {unchanged} already known, {rejected} rejected",
            files.len()
        );
    }
    if !failed.is_empty() {
        bail!("{} of {} files were refused", failed.len(), files.len());
    }
    Ok(ExitCode::SUCCESS)
}
