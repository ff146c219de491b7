//! Indicators over coded news: shares of a day's articles, their spread over countries, and the pace of events.
//!
//! All of them move only when a new file has arrived. While the publisher is silent the last reading is held, so that
//! silence never looks like calm.

use crate::arithmetic::{median, smoothing};
use crate::catalogue::{Formula, Indicator, NewsTopic};
use crate::table::{Column, SeriesTable, Slot};
use crate::weekday::Pattern;
use gsi_model::{CountryCode, DAY, Day, HOUR, TICK, Timestamp};
use std::collections::BTreeMap;

/// Files in a full day.
const SLOTS_PER_DAY: f64 = (DAY / TICK) as f64;
/// Below this share of the usual volume a day is partial …
const VOLUME_LOW: f64 = 0.3;
/// … and below this one it says nothing.
const VOLUME_NONE: f64 = 0.1;
const PARTIAL_QUALITY: f64 = 0.5;
/// Days over which the usual volume is taken, and how many must be known.
const VOLUME_DAYS: i64 = 28;
const VOLUME_DAYS_NEEDED: usize = 7;
/// Event pace: same-hour values of this many days, the newest two days old.
const PACE_DAYS: i64 = 28;
const PACE_GAP_DAYS: i64 = 2;
const PACE_DAYS_NEEDED: usize = 7;
/// A tick that was missed is replaced by one at most this much earlier.
const PACE_TOLERANCE: i64 = HOUR;
/// The damping constant as a share of the typical intensity, taken over a year.
const PACE_DAMPING: f64 = 0.25;
const YEAR_DAYS: i64 = 365;

pub(crate) const ARTICLES_SERIES: &str = "news.articles";
pub(crate) const COUNTRY_SERIES: &str = "news.country_conflict";
pub(crate) const HEAT_SERIES: &str = "index.event_heat";

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
            let Slot { articles, conflict, threat, cyber, supply, .. } = slot;
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

/// Conflict share and articles of each country over the 24 h that end at `to`, for those with enough articles.
pub(crate) fn country_shares(
    table: &SeriesTable,
    to: i64,
    known_by: i64,
    min_articles: u32,
) -> Vec<(CountryCode, f64)> {
    let mut totals: BTreeMap<CountryCode, (u64, f64)> = BTreeMap::new();
    for (_, slot) in table.slots(to - DAY, to, known_by) {
        for (country, articles, conflict) in &slot.countries {
            let total = totals.entry(*country).or_default();
            total.0 += u64::from(*articles);
            total.1 += conflict;
        }
    }
    let enough = totals.into_iter().filter(|(_, (articles, _))| *articles >= u64::from(min_articles.max(1)));
    enough.map(|(country, (articles, conflict))| (country, 100.0 * conflict / articles as f64)).collect()
}

/// A reading of one fast indicator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FastReading {
    pub value: f64,
    /// What is scored, where it differs from what is shown.
    pub scored: f64,
    pub quality: f64,
    /// The newest row of the per-tick series, when one was read: (period end, revision).
    pub row: Option<(i64, u32)>,
}

/// What is learnt from the past once a day, from what was known before the day began.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewsContext {
    day: Option<i32>,
    insertions: u64,
    patterns: [Pattern; 4],
    usual_articles: Option<f64>,
    country_limits: BTreeMap<CountryCode, f64>,
    heat_damping: Option<f64>,
    heat_pattern: Pattern,
}

/// Values of a derived daily series known before `horizon`, of the last `days`, as (day, value), oldest first.
fn closes(column: Option<&Column>, horizon: i64, days: i64) -> Vec<(i32, f64)> {
    let Some(column) = column else { return Vec::new() };
    let from = column.rows().partition_point(|r| r.end <= horizon - days * DAY);
    let known = column.rows()[from..].iter().filter(|r| r.known_at < horizon);
    known.map(|r| (Timestamp::from_unix(r.end - 1).day().0, r.value)).collect()
}

impl NewsContext {
    /// Learns anew when the day has changed or a close of the past was added.
    pub fn advance(&mut self, table: &SeriesTable, day: Day, spread: Option<(u32, u32, f64)>) {
        let derived = NewsTopic::ALL.map(NewsTopic::close_series);
        let columns = derived.iter().copied().chain([ARTICLES_SERIES, HEAT_SERIES]);
        let mut insertions: u64 = columns.filter_map(|s| table.column(s, "")).map(Column::insertions).sum();
        insertions += table.entities(COUNTRY_SERIES).map(|(_, c)| c.insertions()).sum::<u64>();
        if self.day == Some(day.0) && self.insertions == insertions {
            return;
        }
        self.day = Some(day.0);
        self.insertions = insertions;
        let horizon = day.start().unix();
        for (pattern, series) in self.patterns.iter_mut().zip(derived) {
            *pattern = Pattern::fit(&closes(table.column(series, ""), horizon, YEAR_DAYS));
        }
        let volumes = closes(table.column(ARTICLES_SERIES, ""), horizon, VOLUME_DAYS);
        self.usual_articles = (volumes.len() >= VOLUME_DAYS_NEEDED)
            .then(|| median(&mut volumes.iter().map(|(_, v)| *v).collect::<Vec<_>>()))
            .flatten();
        let heat = closes(table.column(HEAT_SERIES, ""), horizon, YEAR_DAYS);
        self.heat_damping = damping(heat.iter().map(|(_, v)| *v));
        let damping = self.heat_damping.unwrap_or_default();
        let damped: Vec<(i32, f64)> = heat.iter().map(|(d, v)| (*d, v + damping)).collect();
        self.heat_pattern = Pattern::fit(&damped);
        self.country_limits.clear();
        if let Some((days, min_days, quantile)) = spread {
            for (name, column) in table.entities(COUNTRY_SERIES) {
                let mut values: Vec<f64> =
                    closes(Some(column), horizon, i64::from(days)).into_iter().map(|(_, v)| v).collect();
                if values.len() < min_days as usize {
                    continue;
                }
                values.sort_by(f64::total_cmp);
                let rank = ((quantile * values.len() as f64) as usize).min(values.len() - 1);
                if let Some(code) = CountryCode::from_iso2(name) {
                    self.country_limits.insert(code, values[rank]);
                }
            }
        }
    }

    /// 1 for a full day of files, ½ for a partial one, `None` for one that says nothing.
    fn volume_quality(&self, day: &DayOfNews) -> Option<f64> {
        let by_files = f64::from(day.slots) / SLOTS_PER_DAY;
        let by_articles = match self.usual_articles {
            Some(usual) if usual > 0.0 => day.articles as f64 / usual,
            _ => 1.0,
        };
        match by_files.min(by_articles) {
            share if share < VOLUME_NONE => None,
            share if share < VOLUME_LOW => Some(PARTIAL_QUALITY),
            _ => Some(1.0),
        }
    }

    /// The reading at `tick`. `smoothed` is the indicator's previous value and when it was taken, for shares.
    pub fn read(
        &self,
        indicator: &Indicator,
        table: &SeriesTable,
        tick: i64,
        day: &DayOfNews,
        smoothed: Option<(f64, i64)>,
    ) -> Result<FastReading, &'static str> {
        let volume = self.volume_quality(day).ok_or("volume_too_low")?;
        match &indicator.formula {
            Formula::NewsShare { topic, half_life_hours } => {
                let share = day.share(*topic).ok_or("no_articles")?;
                let pattern = &self.patterns[*topic as usize];
                let now = Timestamp::from_unix(tick);
                let of_day = now.second_of_day() as f64 / DAY as f64;
                let adjusted = pattern.adjust(share, now.day().0, of_day).max(0.0);
                let value = match smoothed {
                    None => adjusted,
                    Some((before, at)) => {
                        let step = smoothing((tick - at) as f64 / HOUR as f64, *half_life_hours);
                        before + step * (adjusted - before)
                    }
                };
                Ok(FastReading { value, scored: value, quality: volume, row: None })
            }
            Formula::ConflictSpread { min_articles, .. } => {
                let mut known = 0u32;
                let mut beyond = 0u32;
                for (country, share) in country_shares(table, tick, tick, *min_articles) {
                    if let Some(limit) = self.country_limits.get(&country) {
                        known += 1;
                        beyond += u32::from(share > *limit);
                    }
                }
                if known == 0 {
                    return Err("warming_up");
                }
                let value = 100.0 * f64::from(beyond) / f64::from(known);
                Ok(FastReading { value, scored: value, quality: volume, row: None })
            }
            Formula::EventVelocity { series } => self.velocity(table, series, tick, volume),
            Formula::EventLevel { series, scored } => {
                let (value, row) = newest(table, series, tick).ok_or("no_data")?;
                let twin = match scored {
                    None => value,
                    Some(name) => newest(table, name, tick).ok_or("no_data")?.0,
                };
                Ok(FastReading { value, scored: twin, quality: volume, row: Some(row) })
            }
            _ => Err("no_data"),
        }
    }

    fn velocity(
        &self,
        table: &SeriesTable,
        series: &str,
        tick: i64,
        volume: f64,
    ) -> Result<FastReading, &'static str> {
        let column = table.column(series, "").ok_or("no_data")?;
        let (heat, row) = newest(table, series, tick).ok_or("no_data")?;
        let at = row.0;
        let mut past: Vec<(i32, f64)> = (PACE_GAP_DAYS..PACE_GAP_DAYS + PACE_DAYS)
            .filter_map(|back| {
                let target = at - back * DAY;
                let rows = &column.rows()[..column.rows().partition_point(|r| r.end <= target)];
                let row = rows.last().filter(|r| r.end > target - PACE_TOLERANCE && r.known_at <= tick)?;
                Some((Timestamp::from_unix(target).day().0, row.value))
            })
            .collect();
        let mut quality = volume;
        if past.len() < PACE_DAYS_NEEDED {
            // Too young for same-hour values: whatever was seen so far is the past, and counts half.
            quality = quality.min(PARTIAL_QUALITY);
            let week = at - PACE_DAYS_NEEDED as i64 * DAY;
            let seen = column.rows().iter().filter(|r| r.end > week && r.end <= at && r.known_at <= tick);
            past = seen.map(|r| (Timestamp::from_unix(r.end).day().0, r.value)).collect();
        }
        let damping = match self.heat_damping {
            Some(known) => known,
            None => damping(past.iter().map(|(_, v)| *v)).ok_or("warming_up")?,
        };
        let moment = Timestamp::from_unix(at);
        let of_day = moment.second_of_day() as f64 / DAY as f64;
        let factor = |day: i32| self.heat_pattern.factor(day, of_day);
        let mut logs: Vec<f64> = past
            .iter()
            .map(|(day, v)| libm::log((v + damping).max(f64::MIN_POSITIVE)) - factor(*day))
            .collect();
        let usual = median(&mut logs).ok_or("warming_up")? + factor(moment.day().0);
        let value = libm::log2((heat + damping).max(f64::MIN_POSITIVE)) - usual / std::f64::consts::LN_2;
        Ok(FastReading { value, scored: value, quality, row: Some(row) })
    }
}

/// A quarter of the median intensity, but never nothing.
fn damping(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    median(&mut values).map(|m| (PACE_DAMPING * m).max(1e-3))
}

/// The newest value of a per-tick series known by `tick`: (value, (period end, revision)).
pub(crate) fn newest(table: &SeriesTable, series: &str, tick: i64) -> Option<(f64, (i64, u32))> {
    let vintage = table.latest(series, "", Timestamp::from_unix(tick))?;
    Some((vintage.value, (vintage.period_end.unix(), vintage.revision)))
}
