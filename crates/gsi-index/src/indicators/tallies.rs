//! Daily tallies of coded news by country, and how far the present is above them.
//!
//! The tallies are ordinary observations, one row per country and day. The service writes them at each day's last
//! tick; a back-fill may write years of them. Everything here is computed from them alone, so imported tallies give
//! the indicators a history.

use crate::arithmetic::median;
use crate::catalogue::{Formula, NewsTopic};
use crate::series::derived::{ARTICLES_SERIES, CONFLICT_BY_COUNTRY_SERIES, DERIVED_FEED};
use crate::series::table::SeriesTable;
use gsi_model::{CountryCode, Day, FeedId, NewsSlot, Observation, Timestamp};
use std::collections::BTreeMap;

/// The tallies of a UTC day of files, as they are stored: articles, the share of each topic, and conflict by country.
/// They become known at the day's end. Empty without articles.
pub fn tallies_of_day(day: Day, slots: &[NewsSlot]) -> Vec<Observation> {
    let articles: f64 = slots.iter().map(|s| f64::from(s.articles)).sum();
    if articles <= 0.0 {
        return Vec::new();
    }
    let row = |series: &str, entity: &str, value: f64| Observation {
        series: series.to_owned(),
        entity: entity.to_owned(),
        period_start: day.start(),
        period_end: day.end(),
        value,
        known_at: day.end(),
        ingested_at: day.end(),
        revision: 0,
        quality: 1.0,
        feed: FeedId::new(DERIVED_FEED),
        raw: String::new(),
    };
    let mut rows = vec![row(ARTICLES_SERIES, "", articles)];
    for topic in NewsTopic::ALL {
        let sum: f64 = slots
            .iter()
            .map(|s| match topic {
                NewsTopic::Conflict => s.conflict,
                NewsTopic::Threat => s.threat,
                NewsTopic::Cyber => f64::from(s.cyber),
                NewsTopic::Supply => f64::from(s.supply),
            })
            .sum();
        rows.push(row(topic.close_series(), "", 100.0 * sum / articles));
    }
    let mut countries: BTreeMap<CountryCode, f64> = BTreeMap::new();
    for country in slots.iter().flat_map(|s| &s.countries) {
        *countries.entry(country.country).or_default() += country.conflict;
    }
    let some = countries.into_iter().filter(|(_, conflict)| *conflict > 0.0);
    rows.extend(
        some.map(|(country, n)| row(CONFLICT_BY_COUNTRY_SERIES, country.as_str(), 100.0 * n / articles)),
    );
    rows
}

/// The complete days known before a moment, oldest first, with every country's percentage on each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CountryTallies {
    days: Vec<i32>,
    shares: BTreeMap<CountryCode, Vec<f64>>,
    /// Rows up to and with each day, so that a reader can detect changes in the past.
    rows_through: Vec<usize>,
}

impl CountryTallies {
    pub fn known_before(table: &SeriesTable, horizon: i64) -> CountryTallies {
        let day_of = |end: i64| Timestamp::from_unix(end - 1).day().0;
        let Some(articles) = table.column(ARTICLES_SERIES, "") else { return CountryTallies::default() };
        let complete = articles.rows().iter().filter(|r| r.known_at() < horizon && r.value > 0.0);
        let days: Vec<i32> = complete.map(|r| day_of(r.end())).collect();
        let mut rows_on = vec![0usize; days.len()];
        let mut shares = BTreeMap::new();
        for (name, column) in table.entities(CONFLICT_BY_COUNTRY_SERIES) {
            let Some(country) = CountryCode::from_iso2(name) else { continue };
            let mut by_day = vec![0.0; days.len()];
            let mut at = 0;
            for row in column.rows().iter().filter(|r| r.known_at() < horizon) {
                let day = day_of(row.end());
                at += days[at..].partition_point(|d| *d < day);
                if days.get(at) == Some(&day) {
                    by_day[at] = row.value;
                    rows_on[at] += 1;
                }
            }
            shares.insert(country, by_day);
        }
        let mut total = 0;
        let rows_through = rows_on
            .iter()
            .map(|rows| {
                total += rows;
                total
            })
            .collect();
        CountryTallies { days, shares, rows_through }
    }
}

/// How far the country that rises most is above its usual level: one number for the world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CountryRise {
    rule: RiseRule,
    /// The value of every complete day that had enough days before it: (day's end, value).
    history: Vec<(i64, f64)>,
    countries: BTreeMap<CountryCode, Usual>,
    /// Complete days known.
    days: usize,
    /// What the history was computed from: complete days, the last of them, rows through it.
    seen: Option<(usize, i32, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct RiseRule {
    /// The share of yesterday's average that is kept.
    keep: f64,
    offset: f64,
    days: usize,
    min_days: usize,
    gap_days: usize,
    mean_days: usize,
    /// Divides the natural logarithm.
    unit: f64,
}

/// The history of a country on the day that is being scored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Usual {
    /// The running average through the last complete day, and through the one before.
    average: f64,
    average_before: f64,
    usual: f64,
}

impl RiseRule {
    fn from_formula(formula: &Formula) -> Option<RiseRule> {
        let count = |n: u32| n as usize;
        match *formula {
            Formula::CountrySurprise { half_life_days, offset, days, min_days, gap_days, mean_days } => {
                Some(RiseRule {
                    keep: libm::exp2(-1.0 / half_life_days),
                    offset,
                    days: count(days),
                    min_days: count(min_days),
                    gap_days: count(gap_days),
                    mean_days: count(mean_days),
                    unit: 1.0,
                })
            }
            Formula::ReportVelocity { offset, days, min_days, gap_days } => Some(RiseRule {
                keep: 0.0,
                offset,
                days: count(days),
                min_days: count(min_days),
                gap_days: count(gap_days),
                mean_days: 1,
                unit: std::f64::consts::LN_2,
            }),
            _ => None,
        }
    }

    /// The positions of the days whose means define the usual level at position `at`; `None` while there are too few.
    fn window(&self, at: usize) -> Option<std::ops::RangeInclusive<usize>> {
        let last = at.checked_sub(self.gap_days)?;
        let first = (self.mean_days - 1).max((last + 1).saturating_sub(self.days));
        (last + 1 >= first + self.min_days).then_some(first..=last)
    }

    fn usual(&self, shares: &[f64], at: usize) -> Option<f64> {
        let window = self.window(at)?;
        let mean = |j: usize| shares[j + 1 - self.mean_days..=j].iter().sum::<f64>() / self.mean_days as f64;
        let mut means: Vec<f64> = window.map(mean).collect();
        median(&mut means)
    }

    fn rise(&self, now: f64, usual: f64) -> f64 {
        libm::log((now + self.offset) / (usual + self.offset)) / self.unit
    }
}

impl CountryRise {
    pub fn new(formula: &Formula) -> Option<CountryRise> {
        let rule = RiseRule::from_formula(formula)?;
        Some(CountryRise { rule, history: Vec::new(), countries: BTreeMap::new(), days: 0, seen: None })
    }

    /// Learns from the tallies known before a day. Unchanged days that were learnt before are kept.
    pub fn learn(&mut self, tallies: &CountryTallies) {
        let known = tallies.days.len();
        let unchanged = self.seen.is_some_and(|(days, last, rows)| {
            days <= known && tallies.days[days - 1] == last && tallies.rows_through[days - 1] == rows
        });
        if !unchanged {
            (self.history, self.countries, self.seen) = (Vec::new(), BTreeMap::new(), None);
        }
        let from = self.seen.map_or(0, |(days, ..)| days);
        for country in tallies.shares.keys() {
            self.countries.entry(*country).or_default();
        }
        for at in from..known {
            let mut largest: Option<f64> = None;
            for (country, shares) in &tallies.shares {
                let Some(kept) = self.countries.get_mut(country) else { continue };
                kept.average_before = kept.average;
                let today = shares[at];
                kept.average = if at == 0 {
                    today
                } else {
                    self.rule.keep * kept.average + (1.0 - self.rule.keep) * today
                };
                if let Some(usual) = self.rule.usual(shares, at) {
                    let rise = self.rule.rise(kept.average, usual);
                    largest = Some(largest.map_or(rise, |l: f64| l.max(rise)));
                }
            }
            if let Some(value) = largest {
                self.history.push((Day(tallies.days[at]).end().unix(), value));
            }
        }
        for (country, kept) in &mut self.countries {
            let shares = tallies.shares.get(country).map(Vec::as_slice).unwrap_or_default();
            kept.usual = self.rule.usual(shares, known).unwrap_or_default();
        }
        self.days = known;
        self.seen = (known > 0).then(|| (known, tallies.days[known - 1], tallies.rows_through[known - 1]));
    }

    pub fn history(&self) -> &[(i64, f64)] {
        &self.history
    }

    /// The value `of_day` (0 to 1) into a day, from the percentages of the 24 h before; `None` while too few days are known.
    ///
    /// At a day's end it is that day's value in the history. Before, the average of complete days is taken at the same
    /// hour of the day before, so that the 24 h and the days before them meet without overlap.
    pub fn at(&self, last_24h: &BTreeMap<CountryCode, f64>, of_day: f64) -> Option<f64> {
        self.rule.window(self.days)?;
        let rise = |country: &CountryCode| {
            let kept = self.countries.get(country).copied().unwrap_or_default();
            let before = (1.0 - of_day) * kept.average_before + of_day * kept.average;
            let now = last_24h.get(country).copied().unwrap_or_default();
            self.rule.rise(self.rule.keep * before + (1.0 - self.rule.keep) * now, kept.usual)
        };
        let all = self.countries.keys().chain(last_24h.keys().filter(|c| !self.countries.contains_key(*c)));
        all.map(rise).max_by(f64::total_cmp)
    }
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

    fn row(series: &str, entity: &str, day: i32, value: f64) -> Observation {
        Observation {
            series: series.into(),
            entity: entity.into(),
            period_start: Day(day).start(),
            period_end: Day(day).end(),
            value,
            known_at: Day(day).end().minus(900),
            ingested_at: Day(day).end(),
            revision: 0,
            quality: 1.0,
            feed: FeedId::new("index"),
            raw: String::new(),
        }
    }

    /// `days` days of news: one country at war all along, one where a war begins on day 40.
    fn table(days: i32) -> SeriesTable {
        let mut table = SeriesTable::new();
        for d in 0..days {
            table.insert(&row(ARTICLES_SERIES, "", d, 20_000.0));
            table.insert(&row(CONFLICT_BY_COUNTRY_SERIES, "UA", d, 2.0));
            if d >= 40 {
                table.insert(&row(CONFLICT_BY_COUNTRY_SERIES, "ER", d, 3.0));
            }
        }
        table
    }

    fn learnt(table: &SeriesTable, day: i32) -> CountryRise {
        let mut rise = CountryRise::new(&SURPRISE).unwrap();
        rise.learn(&CountryTallies::known_before(table, Day(day).start().unix()));
        rise
    }

    #[test]
    fn a_new_war_rises_and_an_old_one_does_not() {
        let rise = learnt(&table(45), 45);
        let on = |day: i32| {
            let end = Day(day).end().unix();
            rise.history().iter().find(|(e, _)| *e == end).map(|(_, v)| *v)
        };
        assert_eq!(on(25), None, "too few days");
        assert!(on(39).unwrap().abs() < 1e-9, "a war as usual is no surprise");
        // Day one of the war: (1 - 2^-½) of three percent against nothing.
        let keep = libm::exp2(-0.5);
        let want = libm::log(((1.0 - keep) * 3.0 + 0.05) / 0.05);
        assert!((on(40).unwrap() - want).abs() < 1e-9, "{:?} {want}", on(40));
        assert!(on(44).unwrap() > on(40).unwrap());
    }

    #[test]
    fn days_learnt_one_by_one_are_the_same_as_all_at_once() {
        let table = table(60);
        let mut step = CountryRise::new(&SURPRISE).unwrap();
        for day in 0..=60 {
            step.learn(&CountryTallies::known_before(&table, Day(day).start().unix()));
        }
        assert_eq!(step, learnt(&table, 60));
        // A day of the past that is imported later is noticed.
        let mut changed = table.clone();
        changed.insert(&row(CONFLICT_BY_COUNTRY_SERIES, "ML", 20, 9.0));
        step.learn(&CountryTallies::known_before(&changed, Day(60).start().unix()));
        assert_eq!(step, learnt(&changed, 60));
    }

    #[test]
    fn the_value_within_a_day_becomes_the_value_of_its_end() {
        let table = table(46);
        let rise = learnt(&table, 45);
        let full =
            BTreeMap::from([("UA", 2.0), ("ER", 3.0)].map(|(c, v)| (CountryCode::from_iso2(c).unwrap(), v)));
        let end = learnt(&table, 46).history().last().unwrap().1;
        assert!((rise.at(&full, 1.0).unwrap() - end).abs() < 1e-12);
        let start = rise.at(&full, 0.0).unwrap();
        let yesterday = rise.history().last().unwrap().1;
        assert!((yesterday..=end).contains(&start), "{yesterday} {start} {end}");
        assert_eq!(learnt(&table, 10).at(&full, 0.5), None, "too few days");
    }
}
