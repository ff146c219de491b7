//! The fighting of one UTC day: incidents in the theaters, and the reports of each over the following day.
//!
//! A plan is a function of (seed, scenario, day) alone. A slot needs the plans of its own day and of the day before,
//! because no report comes later than [`LAST_REPORT_SECONDS`] after its incident.

use super::measured;
use crate::scenario::Timeline;
use crate::world::geography::Place;
use crate::world::theaters::{self, Theater};
use crate::world::{Rng, Stream, Weighted};
use gsi_model::{DAY, Day, HOUR, MINUTE, TICK, Timestamp};
use std::sync::LazyLock;

/// Reports of an incident stop before a second midnight passes.
const LAST_REPORT_SECONDS: i64 = 23 * HOUR;
const FIRST_REPORT_SECONDS: i64 = 20 * MINUTE;
const MEAN_DELAY: f64 = 3.5 * HOUR as f64;
/// Maximum incidents of a theater in a day, far above those of any scenario.
const INCIDENTS_LIMIT: u32 = 120;
const REPORTS_LIMIT: f64 = 300.0;

#[derive(Debug)]
pub struct Incident {
    pub theater: usize,
    pub place: &'static Place,
    /// Index into the code table.
    pub code: usize,
    /// Side B acts on side A.
    pub flipped: bool,
    /// The key of this incident's random numbers.
    pub key: i64,
}

#[derive(Clone, Copy, Debug)]
pub struct PlannedReport {
    pub slot: Timestamp,
    pub incident: u32,
    pub number: u32,
}

#[derive(Debug)]
pub struct DayPlan {
    pub day: Day,
    pub incidents: Vec<Incident>,
    /// By slot.
    pub reports: Vec<PlannedReport>,
}

/// Codes of incidents with their weights at severity 0 and 1.
const INCIDENT_CODES: [(&str, f64, f64); 20] = [
    ("190", 18.0, 16.0),
    ("193", 22.0, 10.0),
    ("194", 2.0, 20.0),
    ("195", 1.0, 24.0),
    ("180", 9.0, 5.0),
    ("183", 6.0, 5.0),
    ("1831", 2.0, 1.0),
    ("186", 3.0, 2.0),
    ("192", 2.0, 4.0),
    ("191", 0.5, 1.5),
    ("202", 0.5, 1.0),
    ("181", 5.0, 1.0),
    ("154", 3.0, 4.0),
    ("152", 1.0, 1.5),
    ("150", 2.0, 1.5),
    ("138", 4.0, 4.0),
    ("130", 5.0, 3.0),
    ("173", 6.0, 2.0),
    ("175", 3.0, 1.5),
    ("163", 1.0, 1.0),
];

/// Codes by severity in tenths.
static CODES: LazyLock<Vec<(Vec<usize>, Weighted)>> = LazyLock::new(|| {
    (0..=10)
        .map(|tenth| {
            let s = f64::from(tenth) / 10.0;
            let known: Vec<_> = INCIDENT_CODES
                .iter()
                .filter_map(|(code, mild, severe)| {
                    Some((measured::code_index(code)?, mild + s * (severe - mild)))
                })
                .collect();
            (known.iter().map(|k| k.0).collect(), Weighted::new(known.iter().map(|k| k.1)))
        })
        .collect()
});

/// Returns the slow variation of a theater: two octaves of smoothed noise, about ±40 %.
fn tempo(seed: u64, theater: usize, at: Timestamp) -> f64 {
    let octave = |days: i64, salt: i64| {
        let (cell, rest) = (at.unix().div_euclid(days * DAY), at.unix().rem_euclid(days * DAY));
        let knot =
            |i: i64| Rng::with_pair(seed, Stream::TheaterTempo, theater as i64 * 64 + salt, i).normal();
        let x = rest as f64 / (days * DAY) as f64;
        let s = x * x * (3.0 - 2.0 * x);
        knot(cell) * (1.0 - s) + knot(cell + 1) * s
    };
    libm::exp(0.22 * octave(9, 0) + 0.28 * octave(2, 1))
}

impl DayPlan {
    /// Draws the plan. `volume` is the rows per slot divided by 400, for which the theaters' report counts are stated.
    pub fn new(seed: u64, timeline: &Timeline, day: Day, volume: f64) -> DayPlan {
        let mut plan = DayPlan { day, incidents: Vec::new(), reports: Vec::new() };
        // With fewer rows, reports per incident shrink less than the news as a whole: wars stay covered.
        let coverage = libm::pow(volume, 0.8);
        for (index, theater) in theaters::all().iter().enumerate() {
            plan.add_theater(seed, timeline, index, theater, coverage);
        }
        plan.reports.sort_by_key(|r| (r.slot, r.incident, r.number));
        plan
    }

    fn add_theater(
        &mut self,
        seed: u64,
        timeline: &Timeline,
        index: usize,
        theater: &Theater,
        coverage: f64,
    ) {
        let day = self.day;
        let rate = |at: Timestamp| {
            let (extra, reports, severity) = timeline.theater(&theater.id, at);
            (theater.incidents_per_day * tempo(seed, index, at) + extra, reports, severity)
        };
        let ceiling = (0..=8).map(|i| rate(day.start().plus(i * 3 * HOUR)).0).fold(0.0, f64::max) * 1.05;
        let mut rng = Rng::with_pair(seed, Stream::Incidents, i64::from(day.0), index as i64);
        for number in 0..rng.poisson(ceiling).min(INCIDENTS_LIMIT) {
            let at = day.start().plus(rng.below(DAY as usize) as i64);
            let (now, extra_reports, extra_severity) = rate(at);
            if !rng.chance(now / ceiling) {
                continue;
            }
            let severity = (theater.severity + extra_severity).clamp(0.0, 1.0);
            let (codes, weights) = &CODES[(severity * 10.0).round() as usize];
            let u = rng.unit();
            let place = theater.places[(u * u * theater.places.len() as f64) as usize];
            let incident = Incident {
                theater: index,
                place,
                code: codes[weights.draw(&mut rng)],
                flipped: rng.chance(0.35),
                key: (i64::from(day.0) * 64 + index as i64) * 256 + i64::from(number),
            };
            let mean = (theater.reports + extra_reports) * coverage;
            let reports = (mean * libm::exp(0.7 * rng.normal() - 0.245)).clamp(1.0, REPORTS_LIMIT);
            let id = self.incidents.len() as u32;
            self.incidents.push(incident);
            for number in 0..reports.round() as u32 {
                let delay = FIRST_REPORT_SECONDS + rng.exponential(MEAN_DELAY) as i64;
                if delay < LAST_REPORT_SECONDS {
                    let slot = Timestamp::from_unix(at.plus(delay).unix().div_euclid(TICK) * TICK);
                    self.reports.push(PlannedReport { slot, incident: id, number });
                }
            }
        }
    }

    pub fn reports_in(&self, slot: Timestamp) -> &[PlannedReport] {
        let from = self.reports.partition_point(|r| r.slot < slot);
        let to = self.reports.partition_point(|r| r.slot <= slot);
        &self.reports[from..to]
    }
}
