//! The nouns of the service: what a feed yields, what the method computes, what is published.
//!
//! Every other room speaks in these types. Nothing here does I/O, reads a clock on its own, or knows HTTP or SQL.

#![cfg_attr(
    not(test),
    warn(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::iter_over_hash_type,
        clippy::unwrap_used
    )
)]

#[macro_use]
mod closed_set;

mod actor;
mod alert;
mod analogue;
mod band;
mod briefing;
mod cameo;
mod clock;
mod correction;
mod country;
mod country_score;
mod event;
mod feed;
mod hook;
mod id;
mod key;
mod map_layer;
mod method_change;
pub mod method_files;
mod news;
mod observation;
mod pillar;
mod reconstruction;
mod refusal;
mod round;
mod score_context;
mod snapshot;
pub mod text;
mod time;
mod words;

pub use actor::Actor;
pub use alert::{Alert, AlertRuleKind};
pub use analogue::{AFTERMATH_DAYS, Analogue, CRISIS_LISTS, FORECAST_DAYS, LevelDays, LevelMeaning};
pub use band::Band;
pub use briefing::{Briefing, BriefingFact, GeneratedBy, Summary, TextAuthor};
pub use cameo::CameoCode;
pub use clock::{Clock, HeldClock, ScaledClock, SimulatedPace, SystemClock};
pub use correction::{Corrected, Correction, CorrectionReason};
pub use country::{Country, CountryCode};
pub use country_score::{
    CountryEvents, CountryIndicator, CountryPillar, CountryScore, CountrySnapshot, CountryStanding,
    IndicatorLeft,
};
pub use event::{
    Category, EscalationParts, Event, EventChange, EventSource, EventStatus, EventVersion, GeoPrecision,
};
pub use feed::{FeedHealth, FeedId, FeedStanding, FeedState, Licence, Origin};
pub use hook::{
    Delivery, DeliveryState, DeliveryTry, Hook, HookFormat, HookMessage, HookMessageKind, HookRuleState,
    HookSecret, HookState, HookTopic,
};
pub use id::{AlertId, BriefingId, EventId, IdError, MessageId, SnapshotId};
pub use key::{ApiKey, KeyId, RateLimit, Scope};
pub use map_layer::{
    Happenings, LayerKey, LayerMark, LayerPlace, LayerPlaces, LayerReading, LayerSeverity, LayerStatus,
    MapLayer,
};
pub use method_change::{MethodChange, MethodChangeKind};
pub use news::{Geo, NewsRow, NewsSlot, SlotCountry};
pub use observation::{Decoded, Observation, ObservationRef};
pub use pillar::Pillar;
pub use reconstruction::{
    Crisis, ReconstructedDay, ReconstructedIndicator, ReconstructedScore, Reconstruction,
};
pub use refusal::{PayloadRefusal, RefusalCode, Reject, RejectCounts};
pub use round::{round_half_away, round_significant, shown_change};
pub use score_context::{DayPlace, HighDays, LineName, ReconstructedLine, ScoreContext};
pub use snapshot::{
    BesideSnapshot, Confidence, DataStatus, IndicatorScore, PillarScore, PillarStatus, Snapshot,
    SubjectAlert, Trend,
};
pub use time::{DAY, Day, HOUR, MINUTE, TICK, TimeError, Timestamp};
pub use words::{Direction, IndicatorWords, ReadingStyle, WordsByIndicator};

/// Text that does not change: in place up to 23 bytes, shared beyond. Nearly every code and name of a news row is that short,
/// and an address is said by several rows.
pub type Text = smol_str::SmolStr;
