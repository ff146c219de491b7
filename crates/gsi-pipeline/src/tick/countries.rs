//! The countries of a tick, computed after the world's scores from the same table and events.

use crate::state::PipelineState;
use gsi_events::EventFacts;
use gsi_index::{CountryComputed, CountryInputs};
use gsi_model::{Category, CountryCode, CountryEvents, DAY, EventStatus, HOUR, Timestamp, round_significant};
use gsi_store::{ReadStore, Result};
use std::collections::BTreeMap;

/// Events reported within this time count for a country's highest escalation.
const RECENT_SECONDS: i64 = 2 * DAY;

/// The probability of an event that the filter has not judged.
const UNJUDGED: f64 = 0.5;

const KEPT_DIGITS: i32 = 8;

/// Whether a tick scores countries. In unpublished history they are scored once an hour, and at the last tick of a day for
/// the daily closes.
pub fn are_due(tick: Timestamp, is_history: bool) -> bool {
    !is_history || tick.unix() % HOUR == 0 || tick.is_last_tick_of_day()
}

impl PipelineState {
    /// Scores every country from the table and the events at the tick.
    pub fn score_countries(
        &mut self,
        store: &dyn ReadStore,
        tick: Timestamp,
        simulated: bool,
        facts: &EventFacts,
    ) -> Result<CountryComputed> {
        let half_life = self.country_engine.method().parameters().violence_half_life_days;
        let events = self.events_by_country(tick, facts, half_life);
        let day_ago = store.countries_at(tick.minus(DAY))?;
        let computed = self.country_engine.compute(&CountryInputs {
            tick,
            simulated,
            table: &self.table,
            events: &events,
            previous: self.countries.as_ref(),
            day_ago: day_ago.as_ref(),
        });
        self.countries = Some(computed.snapshot.clone());
        Ok(computed)
    }

    fn events_by_country(
        &self,
        tick: Timestamp,
        facts: &EventFacts,
        violence_half_life_days: f64,
    ) -> BTreeMap<CountryCode, CountryEvents> {
        let mut countries: BTreeMap<CountryCode, CountryEvents> = BTreeMap::new();
        for theater in &facts.theaters {
            countries.entry(theater.country).or_default().intensity = theater.conflict_intensity;
        }
        // Events reported by a single outlet count too, weighted by their probability.
        for event in self.events.as_slice().iter().filter(|e| e.category == Category::Kinetic) {
            let Some(country) = event.country else { continue };
            let age_days = tick.since(event.last_activity).max(0) as f64 / DAY as f64;
            let fading = libm::exp2(-age_days / violence_half_life_days);
            let probability = event.probability.unwrap_or(UNJUDGED);
            countries.entry(country).or_default().violence += probability * event.escalation * fading;
        }
        let confirmed = self.events.as_slice().iter().filter(|e| e.status != EventStatus::Unconfirmed);
        for event in confirmed.filter(|e| tick.since(e.last_activity) <= RECENT_SECONDS) {
            let Some(country) = event.country else { continue };
            let kept = countries.entry(country).or_default();
            kept.peak_escalation = kept.peak_escalation.max(100.0 * event.escalation);
            if event.category == Category::Kinetic && event.last_activity.day() == tick.day() {
                kept.violent_events += 1;
            }
        }
        // Rounded to significant digits before they are stored with the snapshot.
        for country in countries.values_mut() {
            for part in [&mut country.intensity, &mut country.peak_escalation, &mut country.violence] {
                *part = round_significant(*part, KEPT_DIGITS);
            }
        }
        countries
    }
}
