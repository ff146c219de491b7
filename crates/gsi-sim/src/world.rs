//! The world: its settings, the scenario laid on the calendar, and everything that happens in it.
//!
//! All of it is a function of the settings and of the moment asked about. The caches inside hold only what can be computed
//! again, so two worlds with equal settings serve equal bytes, whatever was asked of them before.

use crate::markets::Markets;
use crate::news::Newsroom;
use crate::scenario::{Scenario, Timeline};
use crate::slots::Slots;
use crate::vulnerabilities::VulnerabilityCatalogue;
use gsi_model::{DAY, Timestamp};
use std::sync::{Arc, OnceLock};

/// A file is on the server this long after its stamp; a mirror's listing showed 3 to 4 minutes.
pub const LANDING_DELAY_SECONDS: i64 = 210;
/// The event publisher's files reach this far back before the world's start.
pub const NEWS_BEFORE_START_SECONDS: i64 = 40 * DAY;
/// One slot in this many is never published, as happens about once a week.
pub const MISSING_SLOT_ONE_IN: usize = 700;

#[derive(Clone, Debug)]
pub struct WorldSettings {
    pub seed: u64,
    /// Mean rows per quarter of an hour at normal volume. The real feed has about 1,300.
    pub rows_per_slot: f64,
    /// Rows of the mentions file per event row. The real feed has 3.3; fewer are cheaper.
    pub mentions_per_row: f64,
    pub scenario: Scenario,
    /// Scenario times called `start`. Series that carry decades go back long before it.
    pub start: Timestamp,
    /// Scenario times called `live`: when the demo stops fast-forwarding.
    pub live: Timestamp,
    /// Seconds from a news file's stamp until it can be fetched.
    pub landing_delay_seconds: i64,
    /// Leave out about one news file in 700.
    pub missing_slots: bool,
    /// Plant hostile text in the text fields.
    pub hostile: bool,
}

impl WorldSettings {
    /// A calm world of 45 days from `start` to live.
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

pub struct World {
    pub(crate) settings: WorldSettings,
    pub(crate) timeline: Arc<Timeline>,
    pub(crate) slots: Slots,
    pub(crate) markets: Markets,
    pub(crate) catalogue: VulnerabilityCatalogue,
    /// Log odds of exploitation that identifiers keep from day to day.
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
            slots: Slots::new(&settings, timeline.clone(), newsroom),
            markets: Markets::new(settings.seed, timeline.clone(), settings.start),
            catalogue: VulnerabilityCatalogue::new(settings.seed, timeline.clone(), settings.hostile),
            usual_scores: OnceLock::new(),
            timeline,
            settings,
        }
    }

    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// The unpacked event and mention files of one slot, without going through HTTP.
    pub fn slot(&self, stamp: Timestamp) -> crate::news::SlotNews {
        self.slots.unpacked(stamp)
    }

    /// Builds the slot's two zips (or takes them from the cache) and returns their size together.
    pub fn packed_size(&self, stamp: Timestamp) -> u64 {
        self.slots.receipts(stamp).iter().map(|r| r.size).sum()
    }
}
