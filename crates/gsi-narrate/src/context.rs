//! What the texts of a tick are made from.

use gsi_model::{Briefing, CountrySnapshot, Event, FeedStanding, Snapshot, Timestamp, WordsByIndicator};

/// Everything a text may draw on: one snapshot and the recent past, as of its tick.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub snapshot: &'a Snapshot,
    /// Events with activity in the last 7 days, as they stood at the tick.
    pub events: &'a [Event],
    /// Published composite, oldest first: daily closes of up to ten years, then the ticks of the last 7 days.
    pub history: &'a [(Timestamp, f64)],
    /// The same for each pillar, in the order of [`gsi_model::Pillar::ALL`].
    pub pillar_history: [&'a [(Timestamp, f64)]; 4],
    pub feeds: &'a [FeedStanding],
    /// How the method tells its indicators.
    pub words: &'a WordsByIndicator,
    /// Every country's score at the same tick, where words may speak of them.
    pub countries: Option<&'a CountrySnapshot>,
    /// The lower edges of a country's bands high and severe; below them a country's score has no name.
    pub country_bands: [f64; 2],
    /// The method's lower edges of guarded, elevated, high and severe.
    pub band_edges: [f64; 4],
    /// The summary of the tick before; its sentences are not repeated word for word where another wording exists.
    pub previous_summary: Option<&'a str>,
    /// Briefings of the last days, oldest first.
    pub recent_briefings: &'a [Briefing],
}

impl Context<'_> {
    /// Whether the score rests on this feed. One that no indicator reads is no gap in the score when it fails.
    pub fn uses(&self, feed: &str) -> bool {
        self.snapshot.pillars.iter().flat_map(|p| &p.indicators).any(|i| i.feed == feed)
    }
}
