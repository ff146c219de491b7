//! Scores of countries for the generated worlds: countries with events, and some without.

use super::Dice;
use gsi_model::{CountryCode, CountryScore, CountrySnapshot, CountryStanding, Event, Timestamp, Trend};
use std::collections::BTreeSet;

/// Returns `None` for every other world, like a service without scores of countries.
pub fn countries(d: &mut Dice, tick: Timestamp, events: &[Event]) -> Option<CountrySnapshot> {
    if d.chance(0.5) {
        return None;
    }
    let all = CountryCode::all();
    let some = (0..d.below(12)).map(|_| *d.pick(&all)).collect::<Vec<_>>();
    let codes: BTreeSet<CountryCode> = events.iter().filter_map(|e| e.country).chain(some).collect();
    let countries = codes.into_iter().map(|country| score(d, country)).collect();
    Some(CountrySnapshot {
        events: Default::default(),
        tick,
        simulated: false,
        method_version: "1".into(),
        method_digest: "0".into(),
        countries,
    })
}

fn score(d: &mut Dice, country: CountryCode) -> CountryScore {
    let standing = *d.pick(&[CountryStanding::Scored, CountryStanding::Scored, CountryStanding::Thin]);
    let score = (standing == CountryStanding::Scored).then(|| d.range(0.0, 100.0));
    let delta_24h = score.filter(|_| d.chance(0.8)).map(|s| d.range(-12.0, 12.0).clamp(s - 100.0, s));
    CountryScore {
        country,
        standing,
        score,
        delta_24h,
        trend: Trend::Flat,
        coverage: d.unit(),
        year_share_below: None,
        silent: d.chance(0.1),
        pillars: Vec::new(),
        left: Vec::new(),
    }
}
