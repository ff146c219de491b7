//! The tick: fetch → decode → admit → cluster → score → narrate → commit → publish.
//!
//! All changes of a quarter of an hour are committed in one transaction, so a crash leaves the state of a complete tick. This
//! crate does not interpret values; the pure crates do.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod model;
mod previous_methods;
mod reconstruction;
mod replay;
mod state;
mod texts;
mod tick;
mod wording;

pub use model::{Drafts, ModelSettings, ModelSetupError, Rewriter, TickTexts};
pub use replay::compare::{ComparedPart, Difference};
pub use replay::{Replayed, replay};
pub use state::PipelineState;
pub use texts::scene::Scene;
pub use tick::hooks;
pub use tick::poll::{FEED_DEADLINE, FeedPoller, Patience, record_poll};
pub use tick::schedule::{MAX_LATE_TICKS, TickFailure, run};
pub use tick::waiting::{FeedWait, PillarWait};
pub use tick::{Pipeline, PipelineParts, Publication, TickReport};

use gsi_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the tick {0} is not at a quarter of an hour")]
    NotATick(gsi_model::Timestamp),
    #[error("the snapshot of {tick} was made by method {version} ({digest}), which is not stored")]
    UnknownMethod { tick: gsi_model::Timestamp, version: String, digest: String },
}

impl PipelineError {
    /// A description of the error without details, safe to show to any reader.
    pub fn summary(&self) -> &'static str {
        match self {
            PipelineError::Store(StoreError::Full(_)) => "the store is full",
            PipelineError::Store(StoreError::Unavailable(_)) => "the store does not answer",
            PipelineError::Store(StoreError::Conflict(_)) => {
                "the store holds something that contradicts the tick"
            }
            PipelineError::Store(StoreError::Corrupt(_)) => "stored data cannot be read",
            PipelineError::Store(_) => "the store refused the tick",
            PipelineError::NotATick(_) | PipelineError::UnknownMethod { .. } => "the tick cannot be computed",
        }
    }
}
