//! A published tick with the data available to its texts, read from the store. `gsi-lab narrate` shows it, and tests compare a
//! replay with it.

use super::briefings::current_countries;
use super::recent_briefings;
use crate::state::recent_events::RecentEvents;
use crate::state::{COARSE_HISTORY_SECONDS, NARRATED_SECONDS, Track};
use crate::wording::words_of;
use gsi_alerts::AlertMethod;
use gsi_index::Method;
use gsi_model::{Briefing, CountrySnapshot, Pillar, Timestamp, WordsByIndicator};
use gsi_narrate::Context;
use gsi_store::{Published, Result, Store};

pub struct Scene {
    pub published: Published,
    events: RecentEvents,
    countries: Option<CountrySnapshot>,
    history: Track,
    pillar_history: Vec<Track>,
    words: WordsByIndicator,
    band_edges: [f64; 4],
    previous_summary: Option<String>,
    briefings: Vec<Briefing>,
}

impl Scene {
    /// Loads the newest published tick at or before `as_of`, if there is one.
    pub fn load(store: &dyn Store, method: &Method, as_of: Timestamp) -> Result<Option<Scene>> {
        let Some(published) = store.published_at(as_of)? else { return Ok(None) };
        let tick = published.snapshot.tick;
        let before = store.published_at(tick.minus(1))?;
        let mut events = RecentEvents::new(store.events_active(tick, tick.minus(NARRATED_SECONDS))?);
        events.forget(tick, NARRATED_SECONDS);
        let mut tracks = Vec::with_capacity(5);
        for which in std::iter::once(None).chain(Pillar::ALL.into_iter().map(Some)) {
            let mut track = Track::default();
            for point in store.history(which, tick.minus(COARSE_HISTORY_SECONDS), tick.plus(1))? {
                track.push(point.tick, point.score);
            }
            tracks.push(track);
        }
        let pillar_history = tracks.split_off(1);
        Ok(Some(Scene {
            events,
            countries: store.countries_at(tick)?,
            history: tracks.pop().unwrap_or_default(),
            pillar_history,
            words: words_of(store, method, &published.snapshot)?,
            band_edges: method.parameters().band_edges,
            briefings: match &before {
                Some(before) => recent_briefings::recent(store, before.snapshot.tick)?,
                None => Vec::new(),
            },
            previous_summary: before.map(|b| b.summary.text),
            published,
        }))
    }

    pub fn context(&self) -> Context<'_> {
        Context {
            snapshot: &self.published.snapshot,
            events: self.events.as_slice(),
            history: self.history.points(),
            pillar_history: std::array::from_fn(|i| {
                self.pillar_history.get(i).map_or(&[][..], |t| t.points())
            }),
            feeds: &self.published.snapshot.feeds,
            words: &self.words,
            countries: current_countries(self.countries.as_ref(), self.published.snapshot.tick),
            country_bands: AlertMethod::compiled().country_band_edges(),
            band_edges: self.band_edges,
            previous_summary: self.previous_summary.as_deref(),
            recent_briefings: &self.briefings,
        }
    }
}
