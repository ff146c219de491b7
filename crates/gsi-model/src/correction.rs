use crate::{BriefingId, Timestamp};

/// Why a briefing is replaced. A closed list: what is said about our own mistakes is not free text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrectionReason {
    /// The text said something its facts did not support.
    WrongText,
    /// A publisher changed figures after the fact.
    RevisedData,
    /// Data arrived that was missing when it was written.
    LateData,
}

impl CorrectionReason {
    pub const ALL: [CorrectionReason; 3] =
        [CorrectionReason::WrongText, CorrectionReason::RevisedData, CorrectionReason::LateData];

    /// As it is typed and stored.
    pub const fn key(self) -> &'static str {
        match self {
            CorrectionReason::WrongText => "wrong-text",
            CorrectionReason::RevisedData => "revised-data",
            CorrectionReason::LateData => "late-data",
        }
    }

    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.key() == key)
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
