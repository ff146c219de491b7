//! The words that facts turn on, as closed sets.

use crate::names;
use gsi_model::{Band, Category, ConfidenceLevel, CorrectionReason, Trend};
use serde::{Serialize, Serializer};

/// The one word a fact turns on; its kind tells which of these it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactWord {
    /// The band of a score, or the band that begins at an edge.
    Band(Band),
    BandEntered(Band),
    BandLeft(Band),
    Category(Category),
    /// The second part is `None` for a high confidence, which needs no reason.
    Confidence(ConfidenceLevel, Option<ConfidenceLimit>),
    Correction(CorrectionReason),
    Data(DataQuality),
    LastHigh(LastHigh),
    Record(RecordWindow),
    Swing(DailySwing),
    Trend(Trend),
}

impl FactWord {
    pub const fn key(self) -> &'static str {
        match self {
            FactWord::Band(band) | FactWord::BandEntered(band) | FactWord::BandLeft(band) => band.key(),
            FactWord::Category(category) => names::category(category),
            FactWord::Confidence(level, _) => level.key(),
            FactWord::Correction(reason) => names::correction_reason(reason),
            FactWord::Data(quality) => quality.key(),
            FactWord::LastHigh(high) => high.key(),
            FactWord::Record(window) => window.key(),
            FactWord::Swing(swing) => swing.key(),
            FactWord::Trend(trend) => trend.key(),
        }
    }
}

impl Serialize for FactWord {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.key())
    }
}

/// The factor that limits a confidence most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfidenceLimit {
    Coverage,
    Calibration,
    Agreement,
}

impl ConfidenceLimit {
    pub const fn key(self) -> &'static str {
        match self {
            ConfidenceLimit::Coverage => "coverage",
            ConfidenceLimit::Calibration => "calibration",
            ConfidenceLimit::Agreement => "agreement",
        }
    }
}

/// What is wrong with the data behind a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataQuality {
    /// Some inputs of the global score are missing.
    Partial,
    /// The inputs of the global score are old.
    Stale,
    /// Some inputs of a pillar are missing.
    Thin,
    /// A pillar cannot be scored and keeps its last score.
    Held,
}

impl DataQuality {
    const fn key(self) -> &'static str {
        match self {
            DataQuality::Partial => "partial",
            DataQuality::Stale => "stale",
            DataQuality::Thin => "thin",
            DataQuality::Held => "held",
        }
    }
}

/// When the score was last as high as now, among the days compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastHigh {
    /// On the days right before today.
    Run,
    Never,
    OneDay,
    SeveralDays,
}

impl LastHigh {
    const fn key(self) -> &'static str {
        match self {
            LastHigh::Run => "run",
            LastHigh::Never => "never",
            LastHigh::OneDay => "alone",
            LastHigh::SeveralDays => "row",
        }
    }
}

/// The time over which a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordWindow {
    Since,
    WholeHistory,
}

impl RecordWindow {
    const fn key(self) -> &'static str {
        match self {
            RecordWindow::Since => "since",
            RecordWindow::WholeHistory => "began",
        }
    }
}

/// Whether a day's move is within the usual daily range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DailySwing {
    Usual,
    Unusual,
}

impl DailySwing {
    const fn key(self) -> &'static str {
        match self {
            DailySwing::Usual => "usual",
            DailySwing::Unusual => "unusual",
        }
    }
}

/// A noun that a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedNoun {
    Days,
    /// The days that a score is compared with.
    ComparedDays,
    Events,
    Feeds,
    Indicators,
    NewEvents,
    Outlets,
    Pillars,
}
