//! Indicators over coded news: shares of a day's articles, their spread over countries, and the country that rises
//! most.
//!
//! All of them move only when a new file has arrived. While the publisher is silent the last reading is held, so that
//! silence never looks like calm.

use crate::arithmetic::median;
use crate::catalogue::{Formula, Indicator, NewsParameters, NewsTopic};
use crate::indicators::tallies::{CountryRise, CountryTallies};
use crate::indicators::weekday::Pattern;
use crate::method::Method;
use crate::method::algebra::NEWS_YEAR_DAYS;
use crate::series::derived::{ARTICLES_SERIES, CONFLICT_BY_COUNTRY_SERIES, COUNTRY_SERIES};
use crate::series::table::{Column, SeriesTable, SlotCounts};
use gsi_model::{CountryCode, DAY, Day, TICK, Timestamp};
use std::collections::BTreeMap;

/// Files in a full day.
const SLOTS_PER_DAY: f64 = (DAY / TICK) as f64;

/// Counts over the 24 h of files that end at `to`.
#[derive(Clone, Debug, Default)]
pub(crate) struct DayOfNews {
    pub slots: u32,
    pub articles: u64,
    sums: [f64; 4],
    pub newest: i64,
}

impl DayOfNews {
    pub fn ending(table: &SeriesTable, to: i64, known_by: i64) -> DayOfNews {
        let mut day = DayOfNews::default();
        for (stamp, slot) in table.slots(to - DAY, to, known_by) {
            let SlotCounts { articles, conflict, threat, cyber, supply, .. } = slot;
            day.slots += 1;
            day.articles += u64::from(*articles);
            day.newest = stamp;
            for (sum, part) in
                day.sums.iter_mut().zip([*conflict, *threat, f64::from(*cyber), f64::from(*supply)])
            {
                *sum += part;
            }
        }
        day
    }

    /// Percent of the day's articles; `None` without articles.
    pub fn share(&self, topic: NewsTopic) -> Option<f64> {
        let at = NewsTopic::ALL.iter().position(|t| *t == topic)?;
        (self.articles > 0).then(|| 100.0 * self.sums[at] / self.articles as f64)
    }
}

/// The news about one country in the files of 24 h.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CountryDay {
    pub articles: u64,
    /// Articles that report conflict, each counted by the share of its rows.
    pub conflict: f64,
}

/// The countries of the 24 h of files that end at `to`.
pub(crate) fn countries_of_day(
    table: &SeriesTable,
    to: i64,
    known_by: i64,
) -> BTreeMap<CountryCode, CountryDay> {
    let mut totals: BTreeMap<CountryCode, CountryDay> = BTreeMap::new();
    for (_, slot) in table.slots(to - DAY, to, known_by) {
        for (country, articles, conflict) in &slot.countries {
            let total = totals.entry(*country).or_default();
            total.articles += u64::from(*articles);
            total.conflict += conflict;
        }
    }
    totals
}

/// Conflict share of each country's own articles, in percent, for those with enough articles.
pub(crate) fn own_shares(
    countries: &BTreeMap<CountryCode, CountryDay>,
    min_articles: u32,
) -> impl Iterator<Item = (CountryCode, f64)> {
    let enough = countries.iter().filter(move |(_, day)| day.articles >= u64::from(min_articles.max(1)));
    enough.map(|(country, day)| (*country, 100.0 * day.conflict / day.articles as f64))
}

/// The percentage of all articles that report conflict in each country, for those with any.
pub(crate) fn shares_of_all(
    countries: &BTreeMap<CountryCode, CountryDay>,
    articles: u64,
) -> BTreeMap<CountryCode, f64> {
    let some = countries.iter().filter(|(_, day)| day.conflict > 0.0 && articles > 0);
    some.map(|(country, day)| (*country, 100.0 * day.conflict / articles as f64)).collect()
}

/// Everything that a tick reads from the last 24 h of files.
pub(crate) struct LastDay {
    pub tick: i64,
    pub news: DayOfNews,
    pub countries: BTreeMap<CountryCode, CountryDay>,
    shares: BTreeMap<CountryCode, f64>,
}

impl LastDay {
    pub fn ending(table: &SeriesTable, tick: i64) -> LastDay {
        let news = DayOfNews::ending(table, tick, tick);
        let countries = countries_of_day(table, tick, tick);
        let shares = shares_of_all(&countries, news.articles);
        LastDay { tick, news, countries, shares }
    }

    /// The share of the UTC day that the 24 h reach into.
    fn of_day(&self) -> f64 {
        Timestamp::from_unix(self.tick).second_of_day() as f64 / DAY as f64
    }
}

/// A reading of one fast indicator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FastReading {
    pub value: f64,
    /// The scored value, where it differs from the shown one.
    pub scored: f64,
    pub quality: f64,
    /// The newest row of the per-tick series, when one was read: (period end, revision).
    pub row: Option<(i64, u32)>,
}

/// Learnt once a day from what was known before the day began.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewsContext {
    day: Option<i32>,
    insertions: u64,
    patterns: [Pattern; 4],
    usual_articles: Option<f64>,
    country_limits: BTreeMap<CountryCode, f64>,
    /// By the indicator's key.
    rises: BTreeMap<String, CountryRise>,
}

/// Values of a derived daily series known before `horizon`, of the last `days`, as (day, value), oldest first.
fn closes(column: Option<&Column>, horizon: i64, days: i64) -> Vec<(i32, f64)> {
    let Some(column) = column else { return Vec::new() };
    let from = column.rows().partition_point(|r| r.end() <= horizon.saturating_sub(days.saturating_mul(DAY)));
    let known = column.rows()[from..].iter().filter(|r| r.known_at() < horizon);
    known.map(|r| (Timestamp::from_unix(r.end() - 1).day().0, r.value)).collect()
}

impl NewsContext {
    /// Learns again when the day has changed or a close of the past was added, and returns whether it did.
    pub fn advance(&mut self, method: &Method, table: &SeriesTable, day: Day) -> bool {
        let derived = NewsTopic::ALL.map(NewsTopic::close_series);
        let columns = derived.iter().copied().chain([ARTICLES_SERIES]);
        let mut insertions: u64 = columns.filter_map(|s| table.column(s, "")).map(Column::insertions).sum();
        for series in [COUNTRY_SERIES, CONFLICT_BY_COUNTRY_SERIES] {
            insertions += table.entities(series).map(|(_, c)| c.insertions()).sum::<u64>();
        }
        if self.day == Some(day.0) && self.insertions == insertions {
            return false;
        }
        self.day = Some(day.0);
        self.insertions = insertions;
        let horizon = day.start().unix();
        for (pattern, series) in self.patterns.iter_mut().zip(derived) {
            *pattern = Pattern::fit(&closes(table.column(series, ""), horizon, NEWS_YEAR_DAYS));
        }
        let p = &method.parameters().news;
        let volumes = closes(table.column(ARTICLES_SERIES, ""), horizon, i64::from(p.volume_days));
        self.usual_articles = (volumes.len() >= p.volume_days_needed as usize)
            .then(|| median(&mut volumes.iter().map(|(_, v)| *v).collect::<Vec<_>>()))
            .flatten();
        let tallies = CountryTallies::known_before(table, horizon);
        for indicator in method.indicators() {
            if let Formula::ConflictSpread { days, min_days, quantile, .. } = &indicator.formula {
                self.country_limits = country_limits(table, horizon, *days, *min_days, *quantile);
            }
            if !self.rises.contains_key(&indicator.key)
                && let Some(rise) = CountryRise::new(&indicator.formula)
            {
                self.rises.insert(indicator.key.clone(), rise);
            }
        }
        self.rises.values_mut().for_each(|rise| rise.learn(&tallies));
        true
    }

    /// The values of an indicator over tallies on the days it was learnt from, as (day's end, value), oldest first.
    pub fn history(&self, indicator: &Indicator, table: &SeriesTable) -> Vec<(i64, f64)> {
        if let Formula::NewsShare { topic } = &indicator.formula {
            let horizon = self.day.map_or(i64::MIN, |d| Day(d).start().unix());
            let pattern = &self.patterns[*topic as usize];
            let closes = closes(table.column(topic.close_series(), ""), horizon, i64::MAX / DAY);
            let adjusted = |(day, share): (i32, f64)| {
                (Day(day).end().unix(), pattern.adjust(share, day, 1.0).max(0.0) + 0.0)
            };
            return closes.into_iter().map(adjusted).collect();
        }
        self.rises.get(&indicator.key).map(|rise| rise.history().to_vec()).unwrap_or_default()
    }

    /// 1 for a full day of files, less for a partial one, `None` for one with too few articles.
    pub fn volume_quality(&self, p: &NewsParameters, day: &DayOfNews) -> Option<f64> {
        let by_files = f64::from(day.slots) / SLOTS_PER_DAY;
        let by_articles = match self.usual_articles {
            Some(usual) if usual > 0.0 => day.articles as f64 / usual,
            _ => 1.0,
        };
        match by_files.min(by_articles) {
            share if share < p.volume_none => None,
            share if share < p.volume_low => Some(p.partial_quality),
            _ => Some(1.0),
        }
    }

    /// The reading of one indicator over the last 24 h of files.
    pub fn read(
        &self,
        indicator: &Indicator,
        p: &NewsParameters,
        table: &SeriesTable,
        last: &LastDay,
    ) -> Result<FastReading, &'static str> {
        let quality = self.volume_quality(p, &last.news).ok_or("volume_too_low")?;
        // Removes the sign of zero: which of the two a maximum returns is not defined, and the snapshot's id would
        // differ.
        let plain = |value: f64| {
            let value = value + 0.0;
            FastReading { value, scored: value, quality, row: None }
        };
        match &indicator.formula {
            Formula::NewsShare { topic } => {
                let share = last.news.share(*topic).ok_or("no_articles")?;
                let day = Timestamp::from_unix(last.tick).day().0;
                Ok(plain(self.patterns[*topic as usize].adjust(share, day, last.of_day()).max(0.0)))
            }
            Formula::ConflictSpread { min_articles, .. } => {
                let mut known = 0u32;
                let mut beyond = 0u32;
                for (country, share) in own_shares(&last.countries, *min_articles) {
                    if let Some(limit) = self.country_limits.get(&country) {
                        known += 1;
                        beyond += u32::from(share > *limit);
                    }
                }
                if known == 0 {
                    return Err("warming_up");
                }
                Ok(plain(100.0 * f64::from(beyond) / f64::from(known)))
            }
            Formula::CountrySurprise { .. } | Formula::ReportVelocity { .. } => {
                let rise = self.rises.get(&indicator.key).ok_or("warming_up")?;
                Ok(plain(rise.at(&last.shares, last.of_day()).ok_or("warming_up")?))
            }
            Formula::EventLevel { series, scored } => {
                let (value, row) = newest(table, series, last.tick).ok_or("no_data")?;
                let twin = match scored {
                    None => value,
                    Some(name) => newest(table, name, last.tick).ok_or("no_data")?.0,
                };
                Ok(FastReading { value, scored: twin, quality, row: Some(row) })
            }
            _ => Err("no_data"),
        }
    }
}

/// For each country with enough history, the share exceeded on at most `days` of its days.
fn country_limits(
    table: &SeriesTable,
    horizon: i64,
    days: u32,
    min_days: u32,
    quantile: f64,
) -> BTreeMap<CountryCode, f64> {
    let mut limits = BTreeMap::new();
    for (name, column) in table.entities(COUNTRY_SERIES) {
        let mut values: Vec<f64> =
            closes(Some(column), horizon, i64::from(days)).into_iter().map(|(_, v)| v).collect();
        if values.len() < min_days as usize {
            continue;
        }
        values.sort_by(f64::total_cmp);
        let rank = ((quantile * values.len() as f64) as usize).min(values.len() - 1);
        if let Some(code) = CountryCode::from_iso2(name) {
            limits.insert(code, values[rank]);
        }
    }
    limits
}

/// The newest value of a per-tick series known by `tick`: (value, (period end, revision)).
pub(crate) fn newest(table: &SeriesTable, series: &str, tick: i64) -> Option<(f64, (i64, u32))> {
    let vintage = table.latest(series, "", Timestamp::from_unix(tick))?;
    Some((vintage.value, (vintage.period_end.unix(), vintage.revision)))
}
