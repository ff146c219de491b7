//! The columns of a correction in both backends. The last two are null while it waits.

use crate::{Result, StoreError};
use gsi_model::{BriefingId, Corrected, Correction, CorrectionReason, Timestamp};

pub struct CorrectionColumns {
    pub briefing: String,
    pub reason: String,
    pub asked_at: i64,
    pub tick: Option<i64>,
    pub corrected_by: Option<String>,
}

impl CorrectionColumns {
    /// Returns the correction as of `as_of`, without a later publication.
    pub fn read(self, as_of: Timestamp) -> Result<Correction> {
        let strange = || StoreError::Corrupt(format!("the correction of {}", self.briefing));
        let id = |text: &str| BriefingId::parse(text).map_err(|_| strange());
        let done = match (self.tick, &self.corrected_by) {
            (Some(tick), Some(by)) => Some(Corrected { tick: Timestamp::from_unix(tick), by: id(by)? }),
            (None, None) => None,
            _ => return Err(strange()),
        };
        Ok(Correction {
            of: id(&self.briefing)?,
            because: CorrectionReason::from_key(&self.reason).ok_or_else(strange)?,
            asked_at: Timestamp::from_unix(self.asked_at),
            done: done.filter(|d| d.tick <= as_of),
        })
    }
}

pub fn unknown(briefing: &BriefingId) -> StoreError {
    StoreError::Refused(format!("there is no briefing {briefing}"))
}

pub fn not_waiting(briefing: &BriefingId) -> StoreError {
    StoreError::Conflict(format!("no correction of {briefing} is waiting"))
}
