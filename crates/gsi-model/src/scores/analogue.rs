//! Comparison of a day with the reconstructed past: the most similar days, and the meaning of the day's level.

use crate::{Band, Crisis, Day, Pillar, ReconstructedDay, Reconstruction};
use serde::{Deserialize, Serialize};

/// Days this close to the given one, or to one already found, are the same episode.
const EPISODE_DAYS: i32 = 60;
/// Days that share fewer pillars are not compared.
const MIN_PILLARS: usize = 3;
/// How many days after an analogue are examined.
pub const AFTERMATH_DAYS: i32 = 30;
/// Forecasts are judged by crises that begin within this many days.
pub const FORECAST_DAYS: i32 = 14;

/// A past day whose pillars were similar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analogue<'a> {
    pub day: &'a ReconstructedDay,
    /// Root mean square difference of the pillars that both days have, in points.
    pub distance: f64,
    /// How many pillars both days have.
    pub pillars: usize,
    /// The listed crisis under way that began last.
    pub crisis: Option<&'a Crisis>,
    /// The composite `AFTERMATH_DAYS` later, and the highest in between; `None` where the past ends before.
    pub after: Option<f64>,
    pub highest_after: Option<f64>,
}

/// Counts of the days at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelDays {
    pub days: usize,
    /// Of them, with a listed crisis under way.
    pub in_crisis: usize,
    /// Of them, followed by the beginning of a (further) one within [`FORECAST_DAYS`].
    pub before_onset: usize,
}

/// The meaning of a band of the score, from the days that the list of crises covers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelMeaning {
    pub band: Band,
    /// The band's scores: from this one to below that one.
    pub from: f64,
    pub to: f64,
    pub days: u32,
    /// Of them, with a listed crisis under way: by the whole list, and by those of [`CRISIS_LISTS`] that
    /// count fewest and most.
    pub in_crisis: u32,
    pub fewest_in_crisis: u32,
    pub most_in_crisis: u32,
    /// Of them, followed by the beginning of a (further) one within [`FORECAST_DAYS`].
    pub before_onset: u32,
}

/// With fewer days, shares are chance and are not stated in a sentence.
const MIN_DAYS: u32 = 90;

/// The lists that a level is judged by: the whole packed list, and its stricter subsets.
pub const CRISIS_LISTS: [(&str, &[&str]); 3] =
    [("every listed crisis", &["A", "B", "C"]), ("tiers A and B", &["A", "B"]), ("tier A", &["A"])];

impl Reconstruction {
    /// From the lowest band to the highest.
    pub fn levels(&self) -> Vec<LevelMeaning> {
        let edges = self.band_edges;
        let bounds = [0.0, edges[0], edges[1], edges[2], edges[3], 100.0];
        let level = |(k, band): (usize, Band)| {
            // The highest band includes its upper end.
            let high = if k + 1 == Band::ALL.len() { f64::INFINITY } else { bounds[k + 1] };
            let by_list = CRISIS_LISTS.map(|(_, tiers)| self.level_days_by(tiers, bounds[k], high));
            let in_crisis = by_list.map(|counted| counted.in_crisis as u32);
            LevelMeaning {
                band,
                from: bounds[k],
                to: bounds[k + 1],
                days: by_list[0].days as u32,
                in_crisis: in_crisis[0],
                fewest_in_crisis: in_crisis.into_iter().min().unwrap_or_default(),
                most_in_crisis: in_crisis.into_iter().max().unwrap_or_default(),
                before_onset: by_list[0].before_onset as u32,
            }
        };
        Band::ALL.into_iter().enumerate().map(level).collect()
    }

    /// The sentence that the score does not forecast, with the figures behind it.
    pub fn forecast(&self) -> String {
        let share = |level: &LevelMeaning| {
            let share = 100.0 * f64::from(level.before_onset) / f64::from(level.days);
            format!("{share:.0} % of {} days", level.band.key())
        };
        let levels = self.levels();
        let shares: Vec<String> = levels.iter().filter(|level| level.days >= MIN_DAYS).map(share).collect();
        if shares.is_empty() {
            return "The score tells the present and does not forecast; there are too few days to show it."
                .to_owned();
        }
        format!(
            "The score tells the present and does not forecast: a listed crisis began within {FORECAST_DAYS} days \
             after {}.",
            shares.join(", ")
        )
    }

    pub fn day(&self, day: Day) -> Option<&ReconstructedDay> {
        let first = self.days.first()?.day;
        self.days.get(usize::try_from(day.0 - first.0).ok()?)
    }

    /// The crisis under way that began last.
    pub fn crisis_on(&self, day: Day) -> Option<&Crisis> {
        self.crises.iter().filter(|crisis| crisis.is_under_way(day)).max_by_key(|crisis| crisis.start)
    }

    /// Returns the past days most similar to these pillars, nearest first, one per episode. Days around `day` are
    /// left out.
    pub fn analogues(&self, day: Day, pillars: [Option<f64>; 4], limit: usize) -> Vec<Analogue<'_>> {
        let is_apart = |a: Day, b: Day| (a.0 - b.0).abs() > EPISODE_DAYS;
        let mut near: Vec<(f64, usize, &ReconstructedDay)> = self
            .days
            .iter()
            .filter(|past| past.composite.score.is_some() && is_apart(past.day, day))
            .filter_map(|past| {
                let (distance, common) = distance(pillars, past)?;
                Some((distance, common, past))
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.day.cmp(&b.2.day)));
        let mut found: Vec<Analogue<'_>> = Vec::new();
        for (distance, pillars, past) in near {
            if found.len() == limit {
                break;
            }
            if found.iter().all(|other| is_apart(other.day.day, past.day)) {
                found.push(self.analogue(past, distance, pillars));
            }
        }
        found
    }

    fn analogue<'a>(&'a self, day: &'a ReconstructedDay, distance: f64, pillars: usize) -> Analogue<'a> {
        let score = |days: i32| self.day(day.day.plus(days)).and_then(|d| d.composite.score);
        let after = score(AFTERMATH_DAYS);
        Analogue {
            day,
            distance,
            pillars,
            crisis: self.crisis_on(day.day),
            after,
            highest_after: after.and_then(|_| (1..=AFTERMATH_DAYS).filter_map(score).max_by(f64::total_cmp)),
        }
    }

    /// Returns the days that the list of crises covers, from the first of January of its first crisis on.
    pub fn listed_days(&self) -> &[ReconstructedDay] {
        let first = self.crises.iter().map(|crisis| crisis.start.ymd().0).min();
        let Some(first) = first.and_then(|year| Day::from_ymd(year, 1, 1)) else { return &[] };
        &self.days[self.days.partition_point(|d| d.day < first)..]
    }

    /// Counts the listed days with a composite of at least `low` and below `high`, by crises of these tiers.
    pub fn level_days_by(&self, tiers: &[&str], low: f64, high: f64) -> LevelDays {
        let crises: Vec<&Crisis> = self.crises.iter().filter(|c| tiers.contains(&c.tier.as_str())).collect();
        let mut counted = LevelDays::default();
        let at_level = |d: &&ReconstructedDay| d.composite.score.is_some_and(|s| low <= s && s < high);
        for day in self.listed_days().iter().filter(at_level) {
            counted.days += 1;
            let begins_soon = |c: &Crisis| day.day < c.start && c.start <= day.day.plus(FORECAST_DAYS);
            counted.in_crisis += usize::from(crises.iter().any(|c| c.is_under_way(day.day)));
            counted.before_onset += usize::from(crises.iter().any(|c| begins_soon(c)));
        }
        counted
    }

    /// Returns the share of reconstructed days with a lower composite, and the number of days compared.
    pub fn rank(&self, score: f64) -> Option<(f64, usize)> {
        let scores: Vec<f64> = self.days.iter().filter_map(|d| d.composite.score).collect();
        let below = scores.iter().filter(|s| **s < score).count();
        (!scores.is_empty()).then(|| (below as f64 / scores.len() as f64, scores.len()))
    }

    /// Returns the last reconstructed day on which the composite was at least this high.
    pub fn last_as_high(&self, score: f64) -> Option<&ReconstructedDay> {
        self.days.iter().rev().find(|d| d.composite.score.is_some_and(|s| s >= score))
    }
}

fn distance(pillars: [Option<f64>; 4], past: &ReconstructedDay) -> Option<(f64, usize)> {
    let common = Pillar::ALL.iter().filter_map(|p| Some(pillars[p.index()]? - past.of(Some(*p)).score?));
    let (squares, n) = common.fold((0.0, 0), |(sum, n), difference| (sum + difference * difference, n + 1));
    (n >= MIN_PILLARS).then(|| ((squares / n as f64).sqrt(), n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReconstructedScore;

    /// A year of calm with one storm of ten days, and a crisis listed for it.
    fn past() -> Reconstruction {
        let first = Day::parse_iso("2010-01-01").unwrap();
        let day = |n: i32| {
            let storm = (200..210).contains(&n);
            let at = |score: f64| ReconstructedScore { score: Some(score), coverage: 1.0 };
            let level = if storm { 70.0 } else { 30.0 };
            let cyber = if n < 100 { ReconstructedScore::default() } else { at(20.0) };
            ReconstructedDay {
                day: first.plus(n),
                composite: at(level),
                pillars: [at(level), cyber, at(25.0), at(level)],
            }
        };
        Reconstruction {
            method_version: "1".into(),
            method_digest: "0".into(),
            band_edges: [33.0, 44.0, 50.0, 57.0],
            alert_spells: Default::default(),
            indicators: Vec::new(),
            days: (0..365).map(day).collect(),
            crises: vec![Crisis {
                name: "storm".into(),
                start: first.plus(200),
                end: first.plus(214),
                pillars: vec![Pillar::Macro],
                tier: "A".into(),
            }],
            attributions: Vec::new(),
        }
    }

    #[test]
    fn the_nearest_day_of_each_episode() {
        let past = past();
        let asked = Day::parse_iso("2026-01-01").unwrap();
        let found = past.analogues(asked, [Some(68.0), Some(20.0), Some(25.0), Some(70.0)], 3);
        assert_eq!((found[0].day.day, found[0].pillars), (past.days[200].day, 4));
        assert!((found[0].distance - 1.0).abs() < 1e-12, "{}", found[0].distance);
        assert_eq!(found[0].crisis.map(|c| c.name.as_str()), Some("storm"));
        assert_eq!((found[0].after, found[0].highest_after), (Some(30.0), Some(70.0)));
        assert!(found.iter().skip(1).all(|a| a.distance > 20.0 && a.crisis.is_none()));
        // For a day of the past its own episode is left out, and days that lack a pillar are compared on the others.
        let itself = past.analogues(past.days[205].day, [Some(70.0), None, Some(25.0), Some(70.0)], 9);
        assert!(itself.iter().all(|a| a.pillars == 3 && (a.day.day.0 - past.days[205].day.0).abs() > 60));
        assert!(past.analogues(asked, [Some(70.0), None, None, Some(70.0)], 9).is_empty());
    }

    #[test]
    fn levels_are_counted_by_their_crises() {
        let past = past();
        let by = |tiers: &[&str], low, high| past.level_days_by(tiers, low, high);
        let (calm, high) = (by(&["A", "B"], 0.0, 50.0), by(&["A"], 50.0, 100.1));
        assert_eq!(high, LevelDays { days: 10, in_crisis: 10, before_onset: 0 });
        assert_eq!(calm, LevelDays { days: 355, in_crisis: 5, before_onset: 14 });
        // A stricter list has no crisis.
        assert_eq!(by(&["B"], 50.0, 100.1), LevelDays { days: 10, in_crisis: 0, before_onset: 0 });
        let levels = past.levels();
        assert_eq!((levels.len(), levels[4].band, levels[4].days), (5, Band::Severe, 10));
        assert_eq!((levels[4].in_crisis, levels[4].fewest_in_crisis, levels[4].most_in_crisis), (10, 10, 10));
        assert_eq!((levels[0].days, levels[0].before_onset, levels[1].days), (355, 14, 0));
        let mut likely = past.clone();
        likely.crises[0].tier = "B".into();
        assert_eq!((likely.levels()[4].fewest_in_crisis, likely.levels()[4].most_in_crisis), (0, 10));
        // Only levels with enough days are stated.
        let sentence = past.forecast();
        assert!(sentence.ends_with("began within 14 days after 4 % of calm days."), "{sentence}");
        assert_eq!(past.rank(70.0), Some((355.0 / 365.0, 365)));
        assert_eq!(past.last_as_high(60.0).map(|d| d.day), Some(past.days[209].day));
        assert_eq!(past.last_as_high(80.0), None);
    }
}
