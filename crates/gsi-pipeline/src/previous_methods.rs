//! Previous methods, computed in parallel with the current one for a while, so that readers can compare the two.
//!
//! A snapshot contains the scores of previous methods and the times of their replacement; their states are stored with the
//! tick's own. A replay computes the methods in the stored snapshot. Only methods that differ in data continue: this program
//! cannot compute another major version or other event tables, and such a method ends with the change.

use crate::PipelineError;
use gsi_index::{Engine, Method, MethodError};
use gsi_model::{BesideSnapshot, Snapshot, Timestamp};
use gsi_store::{Store, method_name};
use std::sync::Arc;

/// The maximum number of previous methods; the newest are kept. Each costs a full computation of the tick, and changes are
/// months apart.
const MAX_PREVIOUS: usize = 3;

/// A previous method with its engine.
pub struct PreviousMethod {
    engine: Engine,
    /// The first snapshot of the method that replaced it; `None` before there is one.
    since: Option<Timestamp>,
}

impl PreviousMethod {
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Whether it is no longer computed at this tick.
    pub fn is_over(&self, tick: Timestamp) -> bool {
        self.since.is_some_and(|since| tick.since(since) >= BesideSnapshot::SECONDS)
    }

    /// Its snapshot, for the current method's snapshot. The first one starts its time.
    pub fn date_snapshot(&mut self, snapshot: Snapshot) -> BesideSnapshot {
        let since = *self.since.get_or_insert(snapshot.tick);
        BesideSnapshot { since, snapshot }
    }
}

/// Loads the previous methods of `own` from the store: those in the last snapshot, and the method of that snapshot if it was
/// another version. The same version with other feeds enabled is not another method.
pub fn load_previous_methods(store: &dyn Store, own: &Method) -> Result<Vec<PreviousMethod>, PipelineError> {
    let Some(last) = store.published_at(Timestamp::MAX)?.map(|p| p.snapshot) else { return Ok(Vec::new()) };
    let mut named: Vec<(String, Option<Timestamp>)> =
        last.beside.iter().map(|b| (b.snapshot.method_digest.clone(), Some(b.since))).collect();
    if last.method_version != own.version() {
        named.push((last.method_digest.clone(), None));
    }
    // After a return to a previous method, that method is the current one.
    named.retain(|(digest, _)| digest != own.digest());
    named.drain(..named.len().saturating_sub(MAX_PREVIOUS));
    let mut previous = Vec::with_capacity(named.len());
    for (digest, since) in named {
        match stored_method(store, &digest)? {
            Ok(method) => {
                tracing::info!(
                    version = method.version(),
                    "a previous method is computed in parallel with the current one"
                );
                previous.push(PreviousMethod { engine: Engine::new(method), since });
            }
            Err(why) => tracing::warn!(digest, %why, "a previous method ends: it cannot be computed"),
        }
    }
    Ok(previous)
}

/// Uses the previous methods of a stored snapshot, and keeps the state of those that are loaded.
pub fn follow(
    store: &dyn Store,
    methods: &mut Vec<PreviousMethod>,
    snapshot: &Snapshot,
) -> Result<(), PipelineError> {
    let mut loaded = std::mem::take(methods);
    for previous in &snapshot.beside {
        let (digest, since) = (&previous.snapshot.method_digest, Some(previous.since));
        let known = loaded.iter().position(|b| b.engine.method().digest() == digest);
        methods.push(match known {
            Some(position) => PreviousMethod { since, ..loaded.swap_remove(position) },
            None => {
                let method = stored_method(store, digest)?.map_err(|_| PipelineError::UnknownMethod {
                    tick: snapshot.tick,
                    version: previous.snapshot.method_version.clone(),
                    digest: digest.clone(),
                })?;
                PreviousMethod { engine: Engine::new(method), since }
            }
        });
    }
    Ok(())
}

/// The reason why a previous method cannot be computed.
#[derive(Debug, thiserror::Error)]
enum StoredMethodError {
    #[error("its document is not stored")]
    Missing,
    #[error(transparent)]
    Document(#[from] serde_json::Error),
    #[error(transparent)]
    Method(#[from] MethodError),
}

/// Reads the document that the store has for a digest.
fn stored_method(
    store: &dyn Store,
    digest: &str,
) -> Result<Result<Arc<Method>, StoredMethodError>, PipelineError> {
    let text = store.meta(&method_name(digest))?;
    Ok(read_method(text.as_deref()))
}

fn read_method(text: Option<&str>) -> Result<Arc<Method>, StoredMethodError> {
    let document: serde_json::Value = serde_json::from_str(text.ok_or(StoredMethodError::Missing)?)?;
    Ok(Arc::new(Method::from_document(&document)?))
}
