//! Conflict intensity: how much confirmed violence the last days had, for the world and for each theater, and the
//! usual level of each theater.
//!
//! Every confirmed kinetic event adds its intensity and breadth, fading with a fixed half-life. Each tick forms the
//! sum again in a fixed order from the events' own values, so a restart cannot change a bit of it.

use crate::parameters::PARAMETERS;
use gsi_model::{CountryCode, DAY, Day, HOUR, TICK, Timestamp};
use std::collections::BTreeMap;

/// A confirmed kinetic event's contribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trace {
    pub country: CountryCode,
    /// Intensity times breadth of reporting.
    pub weight: f64,
    pub last_activity: Timestamp,
    /// Bit i: reported on the i-th UTC day after the first.
    pub days: u16,
}

/// Breadth of reporting, 0–1, complete at the number of domains that the method sets.
pub fn breadth(domains: u32) -> f64 {
    (libm::log1p(f64::from(domains)) / libm::log(1.0 + PARAMETERS.conflict_intensity.full_breadth_domains))
        .min(1.0)
}

#[derive(Debug, Clone, PartialEq)]
pub struct Theater {
    pub country: CountryCode,
    pub conflict_intensity: f64,
    /// Confirmed kinetic events of the last 72 hours, one for each day on which they were reported.
    pub events_72h: u32,
    /// The same, scaled to a usual day of news.
    pub scaled_72h: f64,
    /// Distinct UTC days with such reports among the last seven.
    pub active_days: u32,
    pub active: bool,
}

impl Theater {
    /// The theater's part of the smooth count: 0–1, a half at three events.
    fn smooth(&self) -> f64 {
        let edge = &PARAMETERS.conflict_intensity;
        let z = (libm::log1p(self.scaled_72h) - libm::log(1.0 + edge.active_events)) / edge.active_edge;
        (f64::from(self.active_days) / f64::from(edge.active_days)).min(1.0) / (1.0 + libm::exp(-z))
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConflictIntensity {
    pub world: f64,
    pub theaters: Vec<Theater>,
}

impl ConflictIntensity {
    pub fn active_theaters(&self) -> u32 {
        self.theaters.iter().filter(|t| t.active).count() as u32
    }

    pub fn smooth_theaters(&self) -> f64 {
        self.theaters.iter().map(Theater::smooth).sum()
    }

    pub fn of_theater(&self, country: CountryCode) -> f64 {
        self.theaters
            .binary_search_by_key(&country, |t| t.country)
            .map_or(0.0, |i| self.theaters[i].conflict_intensity)
    }
}

/// Traces by (first seen, first row): the order in which sums are formed.
#[derive(Debug, Clone)]
pub struct Traces {
    by_start: BTreeMap<(Timestamp, u64), Trace>,
    /// Fading by age in ticks; events start at file stamps, so nearly every age is a whole number of them.
    fading: Vec<f64>,
}

impl Default for Traces {
    fn default() -> Self {
        let fading = (0..=horizon() / TICK).map(|n| fade(n * TICK)).collect();
        Traces { by_start: BTreeMap::new(), fading }
    }
}

/// How far back traces count, in seconds.
fn horizon() -> i64 {
    i64::from(PARAMETERS.conflict_intensity.horizon_days) * DAY
}

fn fade(age_seconds: i64) -> f64 {
    libm::exp2(-(age_seconds as f64) / (PARAMETERS.conflict_intensity.half_life_hours * HOUR as f64))
}

impl Traces {
    pub fn put(&mut self, start: Timestamp, row: u64, trace: Trace) {
        self.by_start.insert((start, row), trace);
    }

    pub fn remove(&mut self, start: Timestamp, row: u64) {
        self.by_start.remove(&(start, row));
    }

    /// Drops traces that no longer count anywhere.
    pub fn retain(&mut self, tick: Timestamp) {
        self.by_start.retain(|_, t| tick.since(t.last_activity) <= horizon());
    }

    pub fn len(&self) -> usize {
        self.by_start.len()
    }

    fn fading_at(&self, age_seconds: i64) -> f64 {
        match usize::try_from(age_seconds / TICK) {
            Ok(n) if age_seconds % TICK == 0 && n < self.fading.len() => self.fading[n],
            _ => fade(age_seconds.max(0)),
        }
    }

    pub fn conflict_intensity(&self, tick: Timestamp, news_scale: f64) -> ConflictIntensity {
        struct Sum {
            conflict_intensity: f64,
            events: u32,
            days: u32,
        }
        let window = &PARAMETERS.conflict_intensity;
        let mut world = 0.0;
        let mut sums: BTreeMap<CountryCode, Sum> = BTreeMap::new();
        let today = tick.day().0;
        for (&(start, _), trace) in &self.by_start {
            if start > tick {
                continue;
            }
            // An event that is still being reported has not begun to fade: a siege counts as much on its fifth day as
            // on its first. Counted from their beginning, the longest wars would count least.
            let age_seconds = tick.since(trace.last_activity).max(0);
            let part =
                if age_seconds <= horizon() { trace.weight * self.fading_at(age_seconds) } else { 0.0 };
            world += part;
            let sum =
                sums.entry(trace.country).or_insert(Sum { conflict_intensity: 0.0, events: 0, days: 0 });
            sum.conflict_intensity += part;
            let is_recent = tick.since(trace.last_activity) <= window.active_window_hours * HOUR;
            // Bit 0 of the week is today.
            for back in 0..window.horizon_days {
                let nth = today - back - start.day().0;
                if (0..16).contains(&nth) && trace.days & (1 << nth) != 0 {
                    sum.days |= 1 << back;
                    // The clustering keeps a long battle in one place as one event for days. Here each day of it
                    // counts, or it would make a theater less active than three skirmishes.
                    sum.events += u32::from(back < window.active_window_days && is_recent);
                }
            }
        }
        let theaters = sums
            .into_iter()
            .map(|(country, sum)| {
                let scaled_72h = f64::from(sum.events) * news_scale;
                let active_days = sum.days.count_ones();
                Theater {
                    country,
                    conflict_intensity: sum.conflict_intensity * news_scale,
                    events_72h: sum.events,
                    scaled_72h,
                    active_days,
                    active: scaled_72h >= window.active_events && active_days >= window.active_days,
                }
            })
            .collect();
        ConflictIntensity { world: world * news_scale, theaters }
    }
}

/// A theater's own last year, for comparison with its conflict intensity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TheaterBaseline {
    /// `None` until there are weeks of history.
    pub usual: Option<f64>,
    pub offset: f64,
    /// Daily closes of the year before, sorted; days without the theater are zeros.
    pub closes: Vec<f64>,
}

/// Daily closes: the days on which the service ran, and each theater's intensity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Closes {
    /// Days with a close, and the articles seen in the 24 hours before it (`None` when too few files arrived).
    pub days: BTreeMap<Day, Option<f64>>,
    pub theaters: BTreeMap<CountryCode, BTreeMap<Day, f64>>,
}

impl Closes {
    /// Drops closes that are a year older than `last`.
    pub fn retain(&mut self, last: Day) {
        let first = last.plus(1 - PARAMETERS.conflict_intensity.history_days);
        self.days.retain(|day, _| *day >= first);
        for theater in self.theaters.values_mut() {
            theater.retain(|day, _| *day >= first);
        }
        self.theaters.retain(|_, closes| !closes.is_empty());
    }

    /// Baseline of a theater for ticks after the end of `last`.
    pub fn baseline(&self, country: CountryCode, last: Day) -> TheaterBaseline {
        let rule = &PARAMETERS.conflict_intensity;
        let theater = self.theaters.get(&country);
        let value = |day: &Day| theater.and_then(|t| t.get(day)).copied().unwrap_or(0.0);
        let mut closes: Vec<f64> = self.days.range(..=last).map(|(day, _)| value(day)).collect();
        closes.sort_by(f64::total_cmp);
        let offset =
            median(&closes).map_or(rule.min_offset, |m| (rule.offset_share * m).max(rule.min_offset));
        let end = last.plus(-rule.usual_gap_days);
        let mut logs: Vec<f64> = self
            .days
            .range(end.plus(1 - rule.usual_days)..=end)
            .map(|(day, _)| libm::log(value(day) + offset))
            .collect();
        logs.sort_by(f64::total_cmp);
        let usual = (logs.len() >= rule.min_usual_days).then(|| median(&logs)).flatten();
        TheaterBaseline { usual: usual.map(|m| (libm::exp(m) - offset).max(0.0)), offset, closes }
    }

    /// Median articles in 24 hours over the last `days` closes' days up to `last`.
    pub fn usual_articles(&self, last: Day, days: i32) -> Option<f64> {
        let mut counts: Vec<f64> =
            self.days.range(last.plus(1 - days)..=last).filter_map(|(_, articles)| *articles).collect();
        counts.sort_by(f64::total_cmp);
        median(&counts)
    }
}

/// Median of a sorted sample.
pub fn median(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}
