//! The packed history in a running service. A new store reads its observations. The reconstruction, which is what the method would
//! have published in the past, is served next to the published scores, and scores are compared with it.

use anyhow::{Context, ensure};
use gsi_api::Service;
use gsi_index::{HistoryFile, Method, Reconstructor};
use gsi_model::{Observation, ReconstructedLine, Reconstruction};
use gsi_store::{Ingest, IngestReport, Store};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// The key under which a store notes the state of its packed history.
const NOTE: &str = "packed_history";
const WANTED: &str = "wanted";
const TAKEN: &str = "taken";
/// Rows per transaction. An interrupted start continues with the next transaction.
const BATCH_ROWS: usize = 20_000;

/// Requests the packed history for a new store. Only the process that creates the store may do so, because observations of an older
/// store became known at other times.
pub fn request_history(store: &dyn Store) -> anyhow::Result<()> {
    Ok(store.set_meta(NOTE, WANTED)?)
}

/// Whether the packed history was requested for this store.
pub fn is_requested(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.meta(NOTE)?.is_some())
}

/// Reads the packed history into a store that requested it, as observations known at their own times. Does so once, and never in a
/// store that has ticks.
pub fn import_history(store: &dyn Store) -> anyhow::Result<()> {
    if store.meta(NOTE)?.as_deref() != Some(WANTED) {
        return Ok(());
    }
    if store.frontier()?.is_some() {
        return Ok(store.set_meta(NOTE, "not taken: there were ticks before it")?);
    }
    let file = HistoryFile::packed()?;
    let bar = ProgressBar::new(file.row_count() as u64)
        .with_style(ProgressStyle::with_template("reading the packed history {bar:40} {pos}/{len} rows")?);
    let mut done = IngestReport::default();
    let mut take = |rows: Vec<Observation>| -> anyhow::Result<()> {
        bar.inc(rows.len() as u64);
        done += store.ingest(&Ingest { observations: rows, ..Ingest::default() })?;
        Ok(())
    };
    let mut batch = Vec::with_capacity(BATCH_ROWS);
    for row in file.observations() {
        batch.push(row);
        if batch.len() == BATCH_ROWS {
            take(std::mem::take(&mut batch)).context("cannot read the packed history into the store")?;
        }
    }
    take(batch).context("cannot read the packed history into the store")?;
    bar.finish_and_clear();
    let (from, to) = (file.from.to_string(), file.to.to_string());
    tracing::info!(rows = done.inserted, from, to, "the store has read the packed history");
    Ok(store.set_meta(NOTE, &format!("{TAKEN}: {} rows from {from} to {to}", done.inserted))?)
}

/// Whether the store has read the packed history.
pub fn is_imported(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.meta(NOTE)?.is_some_and(|note| note.starts_with(TAKEN)))
}

/// Computed once by the first caller. Concurrent callers wait for the result.
static RECONSTRUCTED: Mutex<Option<Arc<Reconstruction>>> = Mutex::new(None);

/// The file in the data folder that keeps the reconstruction.
const FILE: &str = "reconstruction.json";

/// The reconstruction with the mark of the program that computed it, because another program may compute another one.
#[derive(Serialize, Deserialize)]
struct KeptPast<P> {
    program: String,
    past: P,
}

/// Returns a text that differs between builds of this program.
fn program_mark() -> anyhow::Result<String> {
    let file = std::fs::metadata(std::env::current_exe()?)?;
    let built = file.modified()?.duration_since(std::time::UNIX_EPOCH)?;
    Ok(format!("{} {} {}", env!("CARGO_PKG_VERSION"), file.len(), built.as_nanos()))
}

/// Returns the reconstruction from its file, or computes it. The computation takes seconds and memory that a process does not return,
/// so a separate process does it.
pub fn reconstruct(data: &Path) -> anyhow::Result<Arc<Reconstruction>> {
    let mut known = RECONSTRUCTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(past) = &*known {
        return Ok(Arc::clone(past));
    }
    let path = data.join(FILE);
    let past = match read_kept(&path) {
        Some(past) => past,
        None => match compute_in_another_process(&path) {
            Ok(past) => past,
            Err(error) => {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "the reconstruction is computed in this process"
                );
                compute()?
            }
        },
    };
    let past = Arc::new(past);
    *known = Some(Arc::clone(&past));
    Ok(past)
}

fn compute() -> anyhow::Result<Reconstruction> {
    let file = HistoryFile::packed()?;
    Ok(Reconstructor::new(Method::default_text(), &file)?.reconstruct(&file))
}

/// Reads the file if this build of the program wrote it.
fn read_kept(path: &Path) -> Option<Reconstruction> {
    let mut kept: KeptPast<Reconstruction> = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    // It is kept as long as the process runs.
    kept.past.days.shrink_to_fit();
    (program_mark().ok()? == kept.program).then_some(kept.past)
}

/// Computes the reconstruction and writes the file, for the process that has started this one.
///
/// The system kills this process when its parent ends. Otherwise a service that is killed and restarted repeatedly would leave one
/// running each time.
pub fn compute_for(parent: u32, path: &Path) -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    ensure!(std::os::unix::process::parent_id() == parent, "the parent process has ended");
    let kept = KeptPast { program: program_mark()?, past: compute()? };
    let partial = path.with_extension(format!("{}.tmp", std::process::id()));
    let written =
        std::fs::write(&partial, serde_json::to_vec(&kept)?).and_then(|()| std::fs::rename(&partial, path));
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn compute_in_another_process(path: &Path) -> anyhow::Result<Reconstruction> {
    let mut other = Command::new(std::env::current_exe()?);
    other.args(["reconstruct", "--out"]).arg(path);
    other.args(["--parent", &std::process::id().to_string()]);
    let done = other.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr).trim());
    read_kept(path).context("cannot read the file of the other process")
}

/// Returns the composite of the reconstruction, which scores are compared with.
pub fn line(data: &Path) -> anyhow::Result<Option<Arc<ReconstructedLine>>> {
    Ok(ReconstructedLine::of(&*reconstruct(data)?).map(Arc::new))
}

/// Computes the reconstruction on a separate thread and shows it. The first time takes a few seconds.
pub fn show(data: &Path, service: Arc<Service>) -> std::io::Result<()> {
    let data = data.to_owned();
    let work = move || match reconstruct(&data) {
        Ok(past) => {
            tracing::info!(
                days = past.days.len(),
                method = past.method_version,
                "the reconstruction is available"
            );
            service.set_reconstruction(past);
        }
        Err(error) => tracing::error!(%error, "cannot reconstruct the past"),
    };
    std::thread::Builder::new().name("past".into()).spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_build_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let past = Reconstruction {
            method_version: "3.0.0".into(),
            method_digest: "d".into(),
            band_edges: [20.0, 40.0, 60.0, 80.0],
            indicators: Vec::new(),
            days: Vec::new(),
            crises: Vec::new(),
            alert_spells: Default::default(),
            attributions: Vec::new(),
        };
        assert_eq!(read_kept(&path), None, "there is no file");
        let write = |program: String| {
            let kept = KeptPast { program, past: past.clone() };
            std::fs::write(&path, serde_json::to_vec(&kept).unwrap()).unwrap();
        };
        write(program_mark().unwrap());
        assert_eq!(read_kept(&path), Some(past.clone()));
        write("0.0.1 1 1".into());
        assert_eq!(read_kept(&path), None, "another build's");
        std::fs::write(&path, b"{\"program\":").unwrap();
        assert_eq!(read_kept(&path), None, "the file is cut");
    }
}
