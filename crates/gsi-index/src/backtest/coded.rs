//! Validation on coded histories: do a country's reports of violence rise at the onset of a listed event?
//!
//! Days of coded reports become the same tallies that the service writes, and the service's own formula is applied to
//! them. An onset is ranked by the highest value of its first week among the highest values of the weeks of eleven
//! months before. Chance gives one half.

use super::metrics::Draws;
use crate::arithmetic::median;
use crate::catalogue::{Formula, NewsTopic};
use crate::countries::ATTENTION_BY_COUNTRY_SERIES;
use crate::indicators::tallies::{CountryRise, CountryTallies};
use crate::series::derived::{ARTICLES_SERIES, CONFLICT_BY_COUNTRY_SERIES};
use crate::series::table::SeriesTable;
use gsi_model::{CountryCode, Day, FeedId, HOUR, Observation, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;

const WEEK: i32 = 7;
/// Weeks of the past that an onset is ranked among, and how many of them must have values.
const PAST_WEEKS: i32 = 47;
const MIN_PAST_WEEKS: usize = 8;
const DRAWS: usize = 1000;
const SEED: u64 = 19;
/// A share at least this high puts an onset among the top twentieth of its weeks.
const TOP: f64 = 0.95;
/// A day's reports are known the next morning.
const KNOWN_AFTER_SECONDS: i64 = 6 * HOUR;

/// One day of coded reports: all of them, and by country those of violence and those of anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodedDay {
    pub reports: f64,
    pub violent: BTreeMap<CountryCode, f64>,
    /// Empty where the history does not have it.
    pub attention: BTreeMap<CountryCode, f64>,
}

pub type CodedDays = BTreeMap<Day, CodedDay>;

/// The tallies of these days, as a back-fill would have stored them.
pub fn tallies(days: &CodedDays) -> Vec<Observation> {
    let mut all = Vec::new();
    for (day, coded) in days.iter().filter(|(_, coded)| coded.reports > 0.0) {
        all.push(observation(ARTICLES_SERIES, "", *day, coded.reports));
        for (country, violent) in &coded.violent {
            let share = 100.0 * violent / coded.reports;
            all.push(observation(CONFLICT_BY_COUNTRY_SERIES, country.as_str(), *day, share));
        }
        for (country, reports) in &coded.attention {
            let share = 100.0 * reports / coded.reports;
            all.push(observation(ATTENTION_BY_COUNTRY_SERIES, country.as_str(), *day, share));
        }
        if !coded.attention.is_empty() {
            let violent: f64 = coded.violent.values().sum();
            let seen: f64 = coded.attention.values().sum();
            let share = 100.0 * violent / seen.max(1.0);
            all.push(observation(NewsTopic::Conflict.close_series(), "", *day, share));
        }
    }
    all
}

/// A value of a series by day, known the next morning.
pub fn observation(series: &str, entity: &str, day: Day, value: f64) -> Observation {
    let known_at = day.end().plus(KNOWN_AFTER_SECONDS);
    Observation {
        series: series.to_owned(),
        entity: entity.to_owned(),
        period_start: day.start(),
        period_end: day.end(),
        value,
        known_at,
        ingested_at: known_at,
        revision: 0,
        quality: 1.0,
        feed: FeedId::new("coded"),
        raw: String::new(),
    }
}

/// The formula for days with few reports, where its offset is less than one report. There, one report is the offset:
/// otherwise a country's first mention in months would be the largest rise of all.
pub fn for_density(formula: &Formula, days: &CodedDays) -> Formula {
    let mut reports: Vec<f64> = days.values().map(|d| d.reports).filter(|n| *n > 0.0).collect();
    let one = median(&mut reports).map_or(0.0, |usual| 100.0 / usual);
    let mut formula = formula.clone();
    if let Formula::CountrySurprise { offset, .. } = &mut formula {
        *offset = offset.max(one);
    }
    formula
}

/// The value of the country that rises most, day by day, by the formula of `country_surprise` or one like it. Empty
/// for any other formula.
pub fn rises(days: &CodedDays, formula: &Formula) -> Vec<(Day, f64)> {
    let mut table = SeriesTable::new();
    tallies(days).iter().for_each(|tally| table.insert(tally));
    let Some(mut rise) = CountryRise::new(formula) else { return Vec::new() };
    rise.learn(&CountryTallies::known_before(&table, Timestamp::MAX.unix()));
    let day = |end: i64| Timestamp::from_unix(end - 1).day();
    rise.history().iter().map(|(end, value)| (day(*end), *value)).collect()
}

/// The same for one country.
pub fn rises_of(country: CountryCode, days: &CodedDays, formula: &Formula) -> Vec<(Day, f64)> {
    let only = days.iter().map(|(day, coded)| {
        let violent = coded.violent.get(&country).map(|n| (country, *n));
        // A country without a report on a day had none.
        let violent = BTreeMap::from([violent.unwrap_or((country, 0.0))]);
        (*day, CodedDay { reports: coded.reports, violent, ..CodedDay::default() })
    });
    rises(&only.collect(), formula)
}

/// A dated event of a list, by its first day.
#[derive(Clone, Debug, PartialEq)]
pub struct Onset {
    pub name: String,
    pub day: Day,
    pub country: Option<CountryCode>,
}

/// The share of earlier weeks whose highest value is below that of the first week; ties count half. `None` without
/// enough history.
pub fn rank_onset(values: &[(Day, f64)], onset: Day) -> Option<f64> {
    let week = |from: i32| -> Option<f64> {
        let begin = values.partition_point(|(day, _)| day.0 < from);
        let inside = values[begin..].iter().take_while(|(day, _)| day.0 < from + WEEK);
        inside.map(|(_, value)| *value).max_by(f64::total_cmp)
    };
    let first = week(onset.0)?;
    let past: Vec<f64> = (1..=PAST_WEEKS).filter_map(|back| week(onset.0 - back * WEEK)).collect();
    if past.len() < MIN_PAST_WEEKS {
        return None;
    }
    let below = past.iter().filter(|v| **v < first).count() as f64;
    let tied = past.iter().filter(|v| **v == first).count() as f64;
    Some((below + 0.5 * tied) / past.len() as f64)
}

/// A mean over onsets with its 90 % interval from resampled onsets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanRank {
    pub onsets: usize,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// Share of onsets in the top twentieth.
    pub top: f64,
}

/// `None` without a rank.
pub fn mean_rank(ranks: &[f64]) -> Option<MeanRank> {
    if ranks.is_empty() {
        return None;
    }
    let n = ranks.len();
    let mean = |sum: f64| sum / n as f64;
    let mut draws = Draws::new(SEED);
    let mut means: Vec<f64> = (0..DRAWS).map(|_| mean((0..n).map(|_| ranks[draws.below(n)]).sum())).collect();
    means.sort_by(f64::total_cmp);
    Some(MeanRank {
        onsets: n,
        mean: mean(ranks.iter().sum()),
        low: means[DRAWS / 20],
        high: means[DRAWS - 1 - DRAWS / 20],
        top: mean(ranks.iter().filter(|r| **r >= TOP).count() as f64),
    })
}

/// Days on which an alarm begins: the value reaches the level, and did not for `quiet_days` before.
pub fn alarms(values: &[(Day, f64)], level: f64, quiet_days: i32) -> Vec<Day> {
    let mut begun = Vec::new();
    let mut last: Option<Day> = None;
    for (day, _) in values.iter().filter(|(_, value)| *value >= level) {
        if last.is_none_or(|last| day.0 - last.0 > quiet_days) {
            begun.push(*day);
        }
        last = Some(*day);
    }
    begun
}

/// The lowest level with at most `alarms_per_year` alarms a year on these days.
pub fn level_for(values: &[(Day, f64)], alarms_per_year: f64, quiet_days: i32) -> Option<f64> {
    let (first, last) = (values.first()?.0, values.last()?.0);
    let most = alarms_per_year * f64::from(last.0 - first.0 + 1) / 365.25;
    let mut levels: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    levels.sort_by(f64::total_cmp);
    // From the top down, alarms first become more; the result is the last level before they are too many.
    let mut best = None;
    for level in levels.into_iter().rev() {
        if alarms(values, level, quiet_days).len() as f64 > most {
            break;
        }
        best = Some(level);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURPRISE: Formula = Formula::CountrySurprise {
        half_life_days: 2.0,
        offset: 0.05,
        days: 90,
        min_days: 14,
        gap_days: 7,
        mean_days: 7,
    };

    fn country(code: &str) -> CountryCode {
        CountryCode::from_iso2(code).unwrap()
    }

    /// 400 days; in Mali violence rises tenfold from day 360 on.
    fn days() -> CodedDays {
        (0..400)
            .map(|d| {
                let mali = if d >= 360 { 20.0 } else { 1.0 + f64::from(d % 3) };
                let violent = BTreeMap::from([(country("ML"), mali), (country("SY"), 50.0)]);
                (Day(d), CodedDay { reports: 1_000.0, violent, ..CodedDay::default() })
            })
            .collect()
    }

    #[test]
    fn an_onset_ranks_high_where_it_happened() {
        let world = rises(&days(), &SURPRISE);
        assert_eq!(rank_onset(&world, Day(360)), Some(1.0));
        let ordinary = rank_onset(&world, Day(300)).unwrap();
        assert!((0.2..=0.8).contains(&ordinary), "{ordinary}");
        assert_eq!(rank_onset(&rises_of(country("ML"), &days(), &SURPRISE), Day(360)), Some(1.0));
        let elsewhere = rises_of(country("SY"), &days(), &SURPRISE);
        assert!(elsewhere.iter().all(|(_, value)| value.abs() < 1e-9), "a war as ever is no surprise");
        assert_eq!(rank_onset(&world, Day(60)), None, "too little is known");
        assert_eq!(rank_onset(&world, Day(500)), None, "nothing is known");
    }

    #[test]
    fn alarms_are_counted_once_and_levels_chosen_by_them() {
        let values: Vec<(Day, f64)> =
            (0..731).map(|d| (Day(d), if d % 100 < 3 { f64::from(d / 100) } else { 0.0 })).collect();
        assert_eq!(alarms(&values, 5.0, 30).len(), 3);
        assert_eq!(alarms(&values, 5.0, 1).len(), 3, "three days on end are one alarm");
        let level = level_for(&values, 1.5, 30).unwrap();
        assert_eq!((level, alarms(&values, level, 30).len()), (5.0, 3));
        assert_eq!(level_for(&[], 1.0, 30), None);
    }

    #[test]
    fn intervals_hold_the_mean() {
        let rank = mean_rank(&[0.2, 0.9, 1.0, 0.97, 0.5]).unwrap();
        assert!((rank.mean - 0.714).abs() < 1e-9 && rank.top == 0.4);
        assert!(rank.low < rank.mean && rank.mean < rank.high);
        assert_eq!(mean_rank(&[]), None);
    }
}
