//! The packed history at work in a running service: observations for a store that is new, and the reconstructed past that is
//! shown beside what was published and that scores are compared with.

use anyhow::Context;
use gsi_http::Service;
use gsi_index::{HistoryFile, Method, Reconstructor};
use gsi_model::{Observation, ReconstructedLine, Reconstruction};
use gsi_store::{Ingest, IngestReport, Store};
use indicatif::{ProgressBar, ProgressStyle};
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

/// Computed once by whoever asks first; the others wait for it.
static RECONSTRUCTED: Mutex<Option<Arc<Reconstruction>>> = Mutex::new(None);

/// What the method in this program would have published on every day of the packed history.
pub fn reconstruct() -> anyhow::Result<Arc<Reconstruction>> {
    let mut known = RECONSTRUCTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(past) = &*known {
        return Ok(Arc::clone(past));
    }
    let file = HistoryFile::packed()?;
    let past = Arc::new(Reconstructor::new(Method::default_text(), &file)?.reconstruct(&file));
    *known = Some(Arc::clone(&past));
    Ok(past)
}

/// Its composite, for scores to be compared with.
pub fn line() -> anyhow::Result<Option<Arc<ReconstructedLine>>> {
    Ok(ReconstructedLine::of(&*reconstruct()?).map(Arc::new))
}

/// Computes the reconstructed line on a thread of its own and shows it; it takes a few seconds, and nobody waits for it.
pub fn show(service: Arc<Service>) -> std::io::Result<()> {
    let work = move || match reconstruct() {
        Ok(past) => {
            tracing::info!(days = past.days.len(), method = past.method_version, "the past is reconstructed");
            service.set_reconstruction(past);
        }
        Err(error) => tracing::error!(%error, "the past cannot be reconstructed"),
    };
    std::thread::Builder::new().name("past".into()).spawn(work).map(drop)
}
