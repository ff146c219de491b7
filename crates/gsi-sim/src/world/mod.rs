//! The world: its settings, its geography, its random numbers, and the parts that publishers read.
//!
//! Everything is a function of the settings and of a moment. The caches hold only what can be computed again, so two worlds
//! with equal settings serve equal bytes, whatever requests came before.

mod calendar;
pub mod geography;
mod random;
pub mod theaters;

use crate::news::{Newsroom, SlotFiles};
use crate::publishers::cyber::VulnerabilityCatalogue;
use crate::scenario::{Scenario, Timeline};
use crate::series::SeriesSet;
pub use calendar::Calendar;
use gsi_model::{DAY, Timestamp};
pub use random::{Rng, Stream, Weighted};
use std::sync::{Arc, OnceLock};

/// Days from the epoch of spreadsheets to 1970-01-01.
pub const EXCEL_EPOCH: i32 = 25_569;

/// A file is on the server this long after its stamp; a mirror's listing showed 3 to 4 minutes.
pub const LANDING_DELAY_SECONDS: i64 = 210;
/// The event publisher's files reach this far back before the world's start.
pub const NEWS_BEFORE_START_SECONDS: i64 = 40 * DAY;
/// One slot in this many is never published: about one a week.
pub const MISSING_SLOT_ONE_IN: usize = 700;

/// What makes a world.
#[derive(Clone, Debug)]
pub struct WorldSettings {
    pub seed: u64,
    /// Mean rows per quarter of an hour at normal volume. The real feed has about 1,300.
    pub rows_per_slot: f64,
    /// Rows of the mentions file per event row. The real feed has 3.3; fewer cost less time.
    pub mentions_per_row: f64,
    pub scenario: Scenario,
    /// The `start` of scenario times. Series of decades begin long before it.
    pub start: Timestamp,
    /// The `live` of scenario times: when the demo's simulated history ends.
    pub live: Timestamp,
    /// Seconds from a news file's stamp until it can be fetched.
    pub landing_delay_seconds: i64,
    /// Leaves out one news file in `MISSING_SLOT_ONE_IN`.
    pub missing_slots: bool,
    /// Puts hostile text into the text fields.
    pub hostile: bool,
}

impl WorldSettings {
    /// Creates the settings of a calm world with 45 days from `start` to live.
    pub fn new(seed: u64, start: Timestamp) -> Self {
        WorldSettings {
            seed,
            rows_per_slot: 400.0,
            mentions_per_row: 0.5,
            scenario: Scenario::default(),
            start,
            live: start.plus(45 * DAY),
            landing_delay_seconds: LANDING_DELAY_SECONDS,
            missing_slots: true,
            hostile: false,
        }
    }
}

/// A simulated world.
pub struct World {
    pub(crate) settings: WorldSettings,
    pub(crate) timeline: Arc<Timeline>,
    pub(crate) slots: SlotFiles,
    pub(crate) series: SeriesSet,
    pub(crate) catalogue: VulnerabilityCatalogue,
    /// Log odds of exploitation, which identifiers keep from day to day.
    pub(crate) usual_scores: OnceLock<Vec<f32>>,
}

impl World {
    pub fn new(settings: WorldSettings) -> Self {
        let timeline = Arc::new(Timeline::new(&settings.scenario, settings.start, settings.live));
        let newsroom = Newsroom::new(
            settings.seed,
            settings.rows_per_slot,
            settings.mentions_per_row,
            settings.hostile,
            timeline.clone(),
        );
        World {
            slots: SlotFiles::new(&settings, timeline.clone(), newsroom),
            series: SeriesSet::new(settings.seed, &timeline, settings.start.day()),
            catalogue: VulnerabilityCatalogue::new(settings.seed, timeline.clone(), settings.hostile),
            usual_scores: OnceLock::new(),
            timeline,
            settings,
        }
    }

    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// Returns the unpacked event and mention files of one slot, without HTTP.
    pub fn slot(&self, stamp: Timestamp) -> crate::news::SlotNews {
        self.slots.unpacked(stamp)
    }
}
