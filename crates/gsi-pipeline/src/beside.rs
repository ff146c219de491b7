//! Older methods that go on being computed beside the one in force, so that readers can compare the two for a while.
//!
//! A snapshot carries what its older methods say and since when they are older; their states are kept with the tick's own. A
//! replay computes exactly those that a stored snapshot carries. Only data can be carried on: a method of another major
//! version, or one with other tables of events, is not what this program computes, and ends with the change.

use crate::PipelineError;
use gsi_index::{Engine, Method};
use gsi_model::{BesideSnapshot, Snapshot, Timestamp};
use gsi_store::{Store, method_name};
use std::sync::Arc;

/// Each costs a tick's arithmetic again. Changes come months apart; who makes more of them in a month keeps the newest.
const MOST_BESIDE: usize = 3;

/// One of them at work.
pub struct BesideMethod {
    engine: Engine,
    /// The first snapshot of the method that took its place; `None` before there is one.
    since: Option<Timestamp>,
}

impl BesideMethod {
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Its time is over: nothing of it is computed at this tick or later.
    pub fn is_over(&self, tick: Timestamp) -> bool {
        self.since.is_some_and(|since| tick.since(since) >= BesideSnapshot::SECONDS)
    }

    /// What it says, to go with a snapshot of the method in force; the first one begins its time.
    pub fn date_snapshot(&mut self, snapshot: Snapshot) -> BesideSnapshot {
        let since = *self.since.get_or_insert(snapshot.tick);
        BesideSnapshot { since, snapshot }
    }
}

/// The methods that go on beside `own` in this store: those of the last snapshot, and the one that made it if that was another
/// version. The same version with other feeds switched on is a setting, and no change of the method.
pub fn load_methods_beside(store: &dyn Store, own: &Method) -> Result<Vec<BesideMethod>, PipelineError> {
    let Some(last) = store.published_at(Timestamp::MAX)?.map(|p| p.snapshot) else { return Ok(Vec::new()) };
    let mut named: Vec<(String, Option<Timestamp>)> =
        last.beside.iter().map(|b| (b.snapshot.method_digest.clone(), Some(b.since))).collect();
    if last.method_version != own.version() {
        named.push((last.method_digest.clone(), None));
    }
    // Who goes back to an older method computes it in force.
    named.retain(|(digest, _)| digest != own.digest());
    named.drain(..named.len().saturating_sub(MOST_BESIDE));
    let mut beside = Vec::with_capacity(named.len());
    for (digest, since) in named {
        match kept_method(store, &digest)? {
            Ok(method) => {
                tracing::info!(version = method.version(), "an older method goes on beside the one in force");
                beside.push(BesideMethod { engine: Engine::new(method), since });
            }
            Err(why) => tracing::warn!(digest, why, "an older method ends here: it cannot be computed"),
        }
    }
    Ok(beside)
}

/// Puts those to work that a stored snapshot carries, and keeps what the ones already at work have learnt.
pub fn follow(
    store: &dyn Store,
    beside: &mut Vec<BesideMethod>,
    snapshot: &Snapshot,
) -> Result<(), PipelineError> {
    let mut before = std::mem::take(beside);
    for told in &snapshot.beside {
        let (digest, since) = (&told.snapshot.method_digest, Some(told.since));
        let known = before.iter().position(|b| b.engine.method().digest() == digest);
        beside.push(match known {
            Some(position) => BesideMethod { since, ..before.swap_remove(position) },
            None => {
                let method = kept_method(store, digest)?.map_err(|_| PipelineError::UnknownMethod {
                    tick: snapshot.tick,
                    version: told.snapshot.method_version.clone(),
                    digest: digest.clone(),
                })?;
                BesideMethod { engine: Engine::new(method), since }
            }
        });
    }
    Ok(())
}

/// The method behind a digest, by the document that is kept with the data; or why it cannot be computed.
fn kept_method(store: &dyn Store, digest: &str) -> Result<Result<Arc<Method>, String>, PipelineError> {
    let Some(text) = store.meta(&method_name(digest))? else {
        return Ok(Err("its document was not kept".to_owned()));
    };
    let read = serde_json::from_str(&text).map_err(|e| e.to_string());
    Ok(read.and_then(|document| Method::from_document(&document).map(Arc::new).map_err(|e| e.to_string())))
}
