//! The packed history at work in a running service: observations for a store that is new, and the reconstructed past that is
//! shown beside what was published and that scores are compared with.

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

/// The store's note about the packed history: wanted, or what became of it.
const NOTE: &str = "packed_history";
const WANTED: &str = "wanted";
const TAKEN: &str = "taken";
/// Rows per transaction: a start that is stopped in between goes on with the next one.
const BATCH_ROWS: usize = 20_000;

/// Asks for the packed history in a store that is just being made. Only whoever makes a store may ask: later on, what it holds
/// is known from another time on.
pub fn want_history(store: &dyn Store) -> anyhow::Result<()> {
    Ok(store.set_meta(NOTE, WANTED)?)
}

/// Whether the store asked for it, whatever became of that.
pub fn is_asked_for(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.meta(NOTE)?.is_some())
}

/// Takes the packed history into a store that asked for it, as observations known at their own times. Once, before the first
/// tick, and never into a store that has ticks.
pub fn take_in_history(store: &dyn Store) -> anyhow::Result<()> {
    if store.meta(NOTE)?.as_deref() != Some(WANTED) {
        return Ok(());
    }
    if store.frontier()?.is_some() {
        return Ok(store.set_meta(NOTE, "not taken: there were ticks before it")?);
    }
    let file = HistoryFile::packed()?;
    let bar = ProgressBar::new(file.row_count() as u64)
        .with_style(ProgressStyle::with_template("taking in the packed history {bar:40} {pos}/{len} rows")?);
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
            take(std::mem::take(&mut batch)).context("the packed history cannot be taken in")?;
        }
    }
    take(batch).context("the packed history cannot be taken in")?;
    bar.finish_and_clear();
    let (from, to) = (file.from.to_string(), file.to.to_string());
    tracing::info!(rows = done.inserted, from, to, "the packed history is in the store");
    Ok(store.set_meta(NOTE, &format!("{TAKEN}: {} rows from {from} to {to}", done.inserted))?)
}

/// Whether the store took it in.
pub fn is_taken(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.meta(NOTE)?.is_some_and(|note| note.starts_with(TAKEN)))
}

/// Had once by whoever asks first; the others wait for it.
static RECONSTRUCTED: Mutex<Option<Arc<Reconstruction>>> = Mutex::new(None);

/// In the data folder: what the method in this program would have published on every day of the packed history.
const KEPT: &str = "reconstruction.json";

/// The past with the mark of the program that computed it. Another program may compute another one.
#[derive(Serialize, Deserialize)]
struct KeptPast<P> {
    program: String,
    past: P,
}

/// What tells one build of this program from another.
fn program_mark() -> anyhow::Result<String> {
    let file = std::fs::metadata(std::env::current_exe()?)?;
    let built = file.modified()?.duration_since(std::time::UNIX_EPOCH)?;
    Ok(format!("{} {} {}", env!("CARGO_PKG_VERSION"), file.len(), built.as_nanos()))
}

/// The reconstructed past: as it is kept, or computed. That takes seconds and memory which a process then keeps, so another
/// one does it.
pub fn reconstruct(data: &Path) -> anyhow::Result<Arc<Reconstruction>> {
    let mut known = RECONSTRUCTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(past) = &*known {
        return Ok(Arc::clone(past));
    }
    let path = data.join(KEPT);
    let past = match read_kept(&path) {
        Some(past) => past,
        None => match compute_apart(&path) {
            Ok(past) => past,
            Err(error) => {
                tracing::warn!(error = format!("{error:#}"), "the past is computed in this process");
                compute()?
            }
        },
    };
    let past = Arc::new(past);
    *known = Some(Arc::clone(&past));
    Ok(past)
}

pub fn compute() -> anyhow::Result<Reconstruction> {
    let file = HistoryFile::packed()?;
    Ok(Reconstructor::new(Method::default_text(), &file)?.reconstruct(&file))
}

/// What this very program computed earlier. A file that cannot be read is computed again.
fn read_kept(path: &Path) -> Option<Reconstruction> {
    let mut kept: KeptPast<Reconstruction> = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    // It stays as long as the process.
    kept.past.days.shrink_to_fit();
    (program_mark().ok()? == kept.program).then_some(kept.past)
}

/// Computes it here and keeps it, for [`compute_apart`] of another process.
pub fn keep(path: &Path) -> anyhow::Result<()> {
    let kept = KeptPast { program: program_mark()?, past: compute()? };
    let being_written = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = std::fs::write(&being_written, serde_json::to_vec(&kept)?)
        .and_then(|()| std::fs::rename(&being_written, path));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Has the system end this process when its parent ends, by whatever means. Otherwise a service that is killed and started again
/// and again would leave one behind each time.
pub fn end_with(parent: u32) -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    ensure!(std::os::unix::process::parent_id() == parent, "the process that asked for it has ended");
    Ok(())
}

fn compute_apart(path: &Path) -> anyhow::Result<Reconstruction> {
    let mut other = Command::new(std::env::current_exe()?);
    other.args(["history", "reconstruct", "--out"]).arg(path);
    other.args(["--parent", &std::process::id().to_string()]);
    let done = other.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr).trim());
    read_kept(path).context("what another process computed cannot be read")
}

/// Its composite, for scores to be compared with.
pub fn line(data: &Path) -> anyhow::Result<Option<Arc<ReconstructedLine>>> {
    Ok(ReconstructedLine::of(&*reconstruct(data)?).map(Arc::new))
}

/// Has the reconstructed line made on a thread of its own and shows it; the first time takes a few seconds, and nobody waits.
pub fn show(data: &Path, service: Arc<Service>) -> std::io::Result<()> {
    let data = data.to_owned();
    let work = move || match reconstruct(&data) {
        Ok(past) => {
            tracing::info!(days = past.days.len(), method = past.method_version, "the past is reconstructed");
            service.set_reconstruction(past);
        }
        Err(error) => tracing::error!(%error, "the past cannot be reconstructed"),
    };
    std::thread::Builder::new().name("past".into()).spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_this_very_program_computed_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(KEPT);
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
        assert_eq!(read_kept(&path), None, "there is none");
        let write = |program: String| {
            let kept = KeptPast { program, past: past.clone() };
            std::fs::write(&path, serde_json::to_vec(&kept).unwrap()).unwrap();
        };
        write(program_mark().unwrap());
        assert_eq!(read_kept(&path), Some(past.clone()));
        write("0.0.1 1 1".into());
        assert_eq!(read_kept(&path), None, "another build's");
        std::fs::write(&path, b"{\"program\":").unwrap();
        assert_eq!(read_kept(&path), None, "cut");
    }
}
