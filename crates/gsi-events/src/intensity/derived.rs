//! The observations that the events crate derives: the index scores them, and a restart reads its own history from
//! them.

use crate::facts::EventFacts;
use crate::intensity::conflict_intensity::{Closes, Theater};
use crate::intensity::news::NewsVolume;
use crate::parameters::PARAMETERS;
use gsi_model::{CountryCode, Day, FeedId, Observation, TICK, Timestamp};
use std::collections::BTreeMap;

/// Feed id of every observation derived here.
pub const FEED: &str = "events";
/// World conflict intensity, per tick.
pub const CONFLICT_INTENSITY: &str = "events.heat";
/// Number of active theaters, per tick.
pub const THEATERS: &str = "events.theaters";
/// The same count with gradual thresholds, per tick.
pub const THEATERS_SMOOTH: &str = "events.theaters_smooth";
/// Mean of the five highest escalations, 0–100, per tick.
pub const PEAK_ESCALATION: &str = "events.peak_escalation";
/// Conflict intensity at the end of a day: per theater (entity = ISO alpha-2) and, with an empty entity, of the
/// world. A day without the world's row was not observed; a theater without a row on an observed day had none.
pub const THEATER_INTENSITY: &str = "events.theater_heat";
/// Articles in the 24 hours before the end of a day, for days with enough files.
pub const ARTICLES_DAY: &str = "events.articles_24h";
/// Articles per file, from which the trailing 24 hours are summed again after a restart.
pub const ARTICLES_FILE: &str = "events.articles";

/// Series with a row for each tick (or file) for as long as the service runs. A restart needs only the newest rows.
pub const PER_TICK: [&str; 5] =
    [CONFLICT_INTENSITY, THEATERS, THEATERS_SMOOTH, PEAK_ESCALATION, ARTICLES_FILE];

fn observation(
    series: &str,
    entity: &str,
    period: (Timestamp, Timestamp),
    value: f64,
    tick: Timestamp,
) -> Observation {
    Observation {
        series: series.to_owned(),
        entity: entity.to_owned(),
        period_start: period.0,
        period_end: period.1,
        value,
        known_at: tick,
        ingested_at: tick,
        revision: 0,
        quality: 1.0,
        feed: FeedId::new(FEED),
        raw: String::new(),
    }
}

pub fn slot(stamp: Timestamp, articles: u32, tick: Timestamp) -> Observation {
    observation(ARTICLES_FILE, "", (stamp.minus(TICK), stamp), f64::from(articles), tick)
}

pub fn tick_values(tick: Timestamp, facts: &EventFacts, out: &mut Vec<Observation>) {
    let period = (tick.minus(TICK), tick);
    let values = [
        (CONFLICT_INTENSITY, Some(facts.conflict_intensity)),
        (THEATERS, Some(f64::from(facts.active_theaters))),
        (THEATERS_SMOOTH, Some(facts.theaters_smooth)),
        (PEAK_ESCALATION, facts.peak_escalation),
    ];
    for (series, value) in values {
        if let Some(value) = value {
            out.push(Observation { quality: facts.quality, ..observation(series, "", period, value, tick) });
        }
    }
}

/// The end of a day.
pub struct Close<'a> {
    pub day: Day,
    /// The tick that records it.
    pub tick: Timestamp,
    pub quality: f64,
    pub world: f64,
    pub articles: Option<f64>,
    pub theaters: &'a [Theater],
}

impl Close<'_> {
    /// Records the day as observations and in `closes`, both from the same numbers.
    pub fn record(&self, out: &mut Vec<Observation>, closes: &mut Closes) {
        let period = (self.day.start(), self.day.end());
        let mut push = |series: &str, entity: &str, value: f64| {
            out.push(Observation {
                quality: self.quality,
                ..observation(series, entity, period, value, self.tick)
            });
        };
        push(THEATER_INTENSITY, "", self.world);
        if let Some(articles) = self.articles {
            push(ARTICLES_DAY, "", articles);
        }
        closes.days.insert(self.day, self.articles);
        let least = PARAMETERS.conflict_intensity.min_recorded;
        for theater in self.theaters.iter().filter(|t| t.conflict_intensity >= least) {
            push(THEATER_INTENSITY, theater.country.as_str(), theater.conflict_intensity);
            closes.theaters.entry(theater.country).or_default().insert(self.day, theater.conflict_intensity);
        }
    }
}

/// Whether a restart as of a moment reads such a value. Most values are of single ticks, five of which come every
/// quarter of an hour for as long as the service runs; of those only the files of the last day are read.
pub fn is_read_back(series: &str, period_end: Timestamp, as_of: Timestamp) -> bool {
    match series {
        THEATER_INTENSITY | ARTICLES_DAY => true,
        ARTICLES_FILE => NewsVolume::reaches(period_end, as_of),
        _ => false,
    }
}

/// Restores volume and closes from the derived observations known at `as_of`.
pub fn restore(derived: &[Observation], as_of: Timestamp, news: &mut NewsVolume, closes: &mut Closes) {
    // The newest version of each value that was known then.
    let mut latest: BTreeMap<(&str, &str, Timestamp), &Observation> = BTreeMap::new();
    for row in derived.iter().filter(|o| o.known_at <= as_of) {
        if !is_read_back(&row.series, row.period_end, as_of) {
            continue;
        }
        let slot = latest.entry((&row.series, &row.entity, row.period_end)).or_insert(row);
        if (row.known_at, row.revision) > (slot.known_at, slot.revision) {
            *slot = row;
        }
    }
    for ((series, entity, end), row) in &latest {
        let day = end.minus(1).day();
        match (*series, *entity) {
            (ARTICLES_FILE, _) => drop(news.add(*end, row.value as u32, as_of)),
            (THEATER_INTENSITY, "") => drop(closes.days.entry(day).or_insert(None)),
            (THEATER_INTENSITY, country) => {
                if let Some(country) = CountryCode::from_iso2(country) {
                    closes.theaters.entry(country).or_default().insert(day, row.value);
                }
            }
            (ARTICLES_DAY, _) => drop(closes.days.insert(day, Some(row.value))),
            _ => {}
        }
    }
}
