//! The types shared by all crates: the data of feeds, the results of the method, and what is published.
//!
//! Nothing here does I/O, reads a clock by itself, or knows HTTP or SQL.

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

mod clock;
mod country;
mod events;
mod feeds;
mod hooks;
mod id;
mod key;
pub mod method_files;
mod scores;
mod texts;
mod time;

pub use clock::{Clock, HeldClock, ScaledClock, SimulatedPace, SystemClock};
pub use country::{Country, CountryCode};
pub use events::actor::Actor;
pub use events::cameo::CameoCode;
pub use events::event::{
    Category, EscalationParts, Event, EventChange, EventSource, EventStatus, EventVersion, GeoPrecision,
};
pub use events::news::{Geo, NewsRow, NewsSlot, SlotCountry};
pub use feeds::feed::{FeedHealth, FeedId, FeedStanding, FeedState, Licence, Origin};
pub use feeds::map_layer::{
    Happenings, LayerKey, LayerMark, LayerPlace, LayerPlaces, LayerReading, LayerSeverity, LayerStatus,
    MapLayer,
};
pub use feeds::observation::{Decoded, Observation, ObservationRef};
pub use feeds::refusal::{PayloadRefusal, RefusalCode, Reject, RejectCounts};
pub use hooks::alert::{Alert, AlertRuleKind};
pub use hooks::hook::{
    Delivery, DeliveryState, DeliveryTry, Hook, HookFormat, HookMessage, HookMessageKind, HookRuleState,
    HookSecret, HookState, HookTopic,
};
pub use id::{AlertId, BriefingId, EventId, IdError, MessageId, SnapshotId};
pub use key::{ApiKey, KeyId, RateLimit, Scope};
pub use scores::analogue::{AFTERMATH_DAYS, Analogue, CRISIS_LISTS, FORECAST_DAYS, LevelDays, LevelMeaning};
pub use scores::band::Band;
pub use scores::country_score::{
    CountryEvents, CountryIndicator, CountryPillar, CountryScore, CountrySnapshot, CountryStanding,
    IndicatorLeft,
};
pub use scores::method_change::{MethodChange, MethodChangeKind};
pub use scores::pillar::Pillar;
pub use scores::reconstruction::{
    Crisis, ReconstructedDay, ReconstructedIndicator, ReconstructedScore, Reconstruction,
};
pub use scores::round::{round_half_away, round_significant, shown_change};
pub use scores::score_context::{DayPlace, HighDays, LineName, ReconstructedLine, ScoreContext};
pub use scores::snapshot::{
    BesideSnapshot, Confidence, ConfidenceLevel, DataStatus, IndicatorScore, PillarScore, PillarStatus,
    Snapshot, SubjectAlert, Trend,
};
pub use scores::words::{Direction, IndicatorWords, ReadingStyle, WordsByIndicator};
pub use texts::briefing::{Briefing, BriefingFact, GeneratedBy, Summary, TextAuthor};
pub use texts::correction::{Corrected, Correction, CorrectionReason};
pub use texts::text;
pub use time::{DAY, Day, HOUR, MINUTE, TICK, TimeError, Timestamp};

/// Immutable text: stored inline up to 23 bytes, shared beyond. Nearly every code and name of a news row is that
/// short, and several rows share an address.
pub type Text = smol_str::SmolStr;
