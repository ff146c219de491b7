//! Corrections of briefings: an operator reports which one is wrong and why, and the next tick publishes a new
//! briefing.

use crate::{BriefingId, Timestamp};

closed_set! {
    /// Why a briefing is replaced. A closed list, so that statements about our own mistakes are not free text.
    CorrectionReason {
        /// The text made a statement that its facts did not support.
        WrongText = "wrong-text",
        /// A publisher changed figures after the fact.
        RevisedData = "revised-data",
        /// Data arrived that was missing when the text was written.
        LateData = "late-data",
    }
}

/// A requested correction. A briefing can have one; if its replacement is still wrong, a correction of the
/// replacement is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The briefing that is wrong. It stays published unchanged.
    pub of: BriefingId,
    pub because: CorrectionReason,
    pub asked_at: Timestamp,
    /// The result; `None` while it waits for a tick.
    pub done: Option<Corrected>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrected {
    /// The tick it was published with.
    pub tick: Timestamp,
    /// The briefing that replaces it.
    pub by: BriefingId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_survive_a_round_trip() {
        for reason in CorrectionReason::ALL {
            assert_eq!(CorrectionReason::from_key(reason.key()), Some(reason));
        }
        for strange in ["", "wrong_text", "Wrong-Text", "other"] {
            assert_eq!(CorrectionReason::from_key(strange), None, "{strange}");
        }
    }
}
