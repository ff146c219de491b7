//! Corrections of briefings: an operator says which one is wrong and why, and the next tick answers with a new briefing.

use crate::{BriefingId, Timestamp};

closed_set! {
    /// Why a briefing is replaced. A closed list: what is said about our own mistakes is not free text.
    CorrectionReason {
        /// The text said something its facts did not support.
        WrongText = "wrong-text",
        /// A publisher changed figures after the fact.
        RevisedData = "revised-data",
        /// Data arrived that was missing when it was written.
        LateData = "late-data",
    }
}

/// A correction that somebody asked for. There is one to a briefing: what is still wrong after it is asked for about the
/// briefing that came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The briefing that is wrong. It stays as it was published.
    pub of: BriefingId,
    pub because: CorrectionReason,
    pub asked_at: Timestamp,
    /// What came of it; nothing while it waits for a tick.
    pub done: Option<Corrected>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrected {
    /// The tick it was published with.
    pub tick: Timestamp,
    /// The briefing that says so.
    pub by: BriefingId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read_as_they_are_written() {
        for reason in CorrectionReason::ALL {
            assert_eq!(CorrectionReason::from_key(reason.key()), Some(reason));
        }
        for strange in ["", "wrong_text", "Wrong-Text", "other"] {
            assert_eq!(CorrectionReason::from_key(strange), None, "{strange}");
        }
    }
}
