//! The tick: fetch → decode → admit → cluster → score → narrate → commit → publish.
//!
//! Everything that changes in one quarter of an hour is committed in one transaction, so a crash at any moment leaves
//! the state of some whole tick. Nothing here decides what a number means; that is the pure rooms' work.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod active_alerts;
mod admit;
mod alerting;
mod beside;
mod briefings;
mod compare;
mod corrections;
pub mod countries;
pub mod hooks;
mod kept_line;
mod model;
mod poll;
mod recent;
mod recent_briefings;
mod replay;
mod scene;
mod schedule;
mod state;
mod step;
mod tick;
mod waiting;
mod wording;

pub use compare::{Difference, first_difference};
pub use model::{Drafts, ModelSettings, ModelSetupError, Rewriter, TickTexts};
pub use poll::{FEED_DEADLINE, FeedPoller, Patience, record_poll};
pub use replay::{Replayed, replay};
pub use scene::Scene;
pub use schedule::{MAX_LATE_TICKS, TickFailure, run};
pub use state::PipelineState;
pub use tick::{Pipeline, PipelineParts, Publication, TickReport};
pub use waiting::{FeedWait, PillarWait};

use gsi_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the tick {0} is not at a quarter of an hour")]
    NotATick(gsi_model::Timestamp),
    #[error("the snapshot of {tick} was made by method {version} ({digest}), which is not at hand")]
    UnknownMethod { tick: gsi_model::Timestamp, version: String, digest: String },
}

impl PipelineError {
    /// What went wrong in words that may be shown to anybody.
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
