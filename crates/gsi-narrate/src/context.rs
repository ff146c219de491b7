//! The input of a tick's texts.

use gsi_model::{Briefing, CountrySnapshot, Event, FeedStanding, Snapshot, Timestamp, WordsByIndicator};

/// The data that texts use: one snapshot and the recent past, as of its tick.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub snapshot: &'a Snapshot,
    /// Events with activity in the last 7 days, as of the tick.
    pub events: &'a [Event],
    /// Published composite, oldest first: daily closes of up to ten years, then the ticks of the last 7 days.
    pub history: &'a [(Timestamp, f64)],
    /// The same for each pillar, in the order of [`gsi_model::Pillar::ALL`].
    pub pillar_history: [&'a [(Timestamp, f64)]; 4],
    pub feeds: &'a [FeedStanding],
    /// How texts phrase each indicator.
    pub words: &'a WordsByIndicator,
    /// Every country's score at the same tick; `None` if texts must not mention them.
    pub countries: Option<&'a CountrySnapshot>,
    /// The lower edges of a country's bands high and severe. Lower scores of countries have no band.
    pub country_bands: [f64; 2],
    /// The method's lower edges of guarded, elevated, high and severe.
    pub band_edges: [f64; 4],
    /// The summary of the previous tick. Its sentences are not repeated if there is another wording.
    pub previous_summary: Option<&'a str>,
    /// Briefings of the last days, oldest first.
    pub recent_briefings: &'a [Briefing],
}

impl Context<'_> {
    /// Whether an indicator reads this feed. A failure of other feeds is not a gap in the score.
    pub fn uses(&self, feed: &str) -> bool {
        self.snapshot.pillars.iter().flat_map(|p| &p.indicators).any(|i| i.feed == feed)
    }
}
