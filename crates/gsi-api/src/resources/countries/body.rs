//! The bodies of the list of countries, of one country and of its explanation. Shown parts add exactly to shown totals.

use crate::representation::Number;
use crate::representation::apportion;
use crate::representation::table::{CsvCell, CsvRow};
use crate::resources::events::body::ConflictEvent;
use crate::resources::explain::body::MethodReference;
use crate::resources::history::body::{HistoryBucket, HistoryStep, is_late};
use crate::resources::scores::body::{IndicatorReading, shown_score};
use gsi_model::{
    CountryIndicator, CountryScore, CountrySnapshot, CountryStanding, Pillar, Timestamp, Trend,
    round_half_away,
};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Contributions and changes are shown to a thousandth of a point.
const UNIT: f64 = 1000.0;
const PLACES: u32 = 3;

/// Countries with a score, worst first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Countries)]
pub struct CountriesBody {
    pub countries: Vec<CountryEntry>,
    /// The number of countries without a score at this tick, by reason.
    pub not_scored: NotScored,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    /// Send as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// Countries without a score. A missing score does not mean that a country is calm.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotScored {
    /// Too little news coverage.
    #[schema(format = Int32, example = 31)]
    pub unmonitored: usize,
    /// Too little data.
    #[schema(format = Int32, example = 4)]
    pub thin: usize,
}

/// One country in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Country)]
pub struct CountryEntry {
    /// ISO 3166-1 alpha-2.
    #[schema(example = "UA", pattern = "^[A-Z]{2}$")]
    pub country: String,
    #[schema(example = "Ukraine")]
    pub name: &'static str,
    /// 0 to 100, lower is more stable. One decimal.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 71.4)]
    pub score: Number,
    /// Against the mean of the last three daily closes.
    pub trend: Trend,
    /// Null while there is no score of a day ago.
    #[schema(value_type = Option<f64>, required = true, minimum = -100, maximum = 100, example = 1.2)]
    pub delta_24h: Option<Number>,
    /// Only those with data.
    #[schema(value_type = BTreeMap<String, f64>, example = json!({"conflict": 78.1, "cyber": 12.0}))]
    pub pillars: BTreeMap<&'static str, Number>,
    /// Share of all weight that has fresh data.
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.62)]
    pub coverage: Number,
}

impl CountryEntry {
    /// `None` for a country without a score.
    pub fn of(c: &CountryScore) -> Option<Self> {
        Some(CountryEntry {
            country: c.country.to_string(),
            name: c.country.name(),
            score: shown_score(c.score?)?,
            trend: c.trend,
            delta_24h: c.shown_delta().and_then(|d| Number::decimals(d, 1)),
            pillars: pillars(c),
            coverage: share(c.coverage),
        })
    }
}

impl CsvRow for CountryEntry {
    const COLUMNS: &'static [&'static str] = &[
        "country",
        "name",
        "score",
        "trend",
        "delta_24h",
        "coverage",
        "conflict",
        "cyber",
        "supply_chain",
        "macro",
    ];

    fn cells(&self) -> Vec<CsvCell<'_>> {
        let mut cells = vec![
            CsvCell::plain(&*self.country),
            CsvCell::text(self.name),
            CsvCell::number(&self.score),
            CsvCell::plain(self.trend.key()),
            CsvCell::maybe(self.delta_24h.as_ref()),
            CsvCell::number(&self.coverage),
        ];
        cells.extend(Pillar::ALL.map(|pillar| CsvCell::maybe(self.pillars.get(pillar.key()))));
        cells
    }
}

fn pillars(c: &CountryScore) -> BTreeMap<&'static str, Number> {
    c.pillars.iter().filter_map(|p| Some((p.pillar.key(), shown_score(p.score)?))).collect()
}

fn share(value: f64) -> Number {
    Number::decimals(value.clamp(0.0, 1.0), 4).unwrap_or_else(Number::zero)
}

impl NotScored {
    pub fn of(snapshot: &CountrySnapshot) -> Self {
        let count = |standing| snapshot.countries.iter().filter(|c| c.standing == standing).count();
        NotScored { unmonitored: count(CountryStanding::Unmonitored), thin: count(CountryStanding::Thin) }
    }
}

/// The score by which a list is ranked and filtered.
pub fn ranking_score(c: &CountryScore, pillar: Option<Pillar>) -> Option<f64> {
    let score = match pillar {
        None => c.score,
        Some(pillar) => c.score.and_then(|_| c.pillars.iter().find(|p| p.pillar == pillar)).map(|p| p.score),
    };
    score.map(|score| round_half_away(score, 1))
}

/// One country.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CountryDetail)]
pub struct CountryBody {
    #[schema(example = "UA", pattern = "^[A-Z]{2}$")]
    pub country: String,
    #[schema(example = "Ukraine")]
    pub name: &'static str,
    pub standing: CountryStanding,
    /// Null without a score.
    #[schema(value_type = Option<f64>, required = true, minimum = 0, maximum = 100, example = 71.4)]
    pub score: Option<Number>,
    pub trend: Trend,
    #[schema(value_type = Option<f64>, required = true, minimum = -100, maximum = 100, example = 1.2)]
    pub delta_24h: Option<Number>,
    #[schema(value_type = BTreeMap<String, f64>, example = json!({"conflict": 78.1, "cyber": 12.0}))]
    pub pillars: BTreeMap<&'static str, Number>,
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.62)]
    pub coverage: Number,
    /// The country's reports stopped while the world's continue, so its last readings are held.
    pub silent: bool,
    pub indicators: Vec<IndicatorReading>,
    /// Place among the countries with a score, the worst first; null without a score.
    #[schema(required = true, format = Int32, minimum = 1, example = 3)]
    pub rank: Option<usize>,
    /// Countries with a score.
    #[schema(format = Int32, example = 168)]
    pub ranked: usize,
    /// The share of the country's daily closes of the last year that are below this score, in percent; null with too little history.
    #[schema(value_type = Option<f64>, required = true, minimum = 0, maximum = 100, example = 88.2)]
    pub year_percentile: Option<Number>,
    /// Its newest events of the last seven days, at most ten. Empty for a caller without the scope `events:read`.
    pub events: Vec<ConflictEvent>,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    #[schema(example = "2026-11-14T23:45:04Z")]
    pub published_at: Timestamp,
    pub late: bool,
}

impl CountryBody {
    pub fn of(
        snapshot: &CountrySnapshot,
        c: &CountryScore,
        published_at: Timestamp,
        events: Vec<ConflictEvent>,
    ) -> Self {
        let ranked = snapshot.ranked();
        let reading = |i: &CountryIndicator| {
            Some(IndicatorReading { key: i.key.clone(), value: Number::significant(i.value, 4)? })
        };
        CountryBody {
            country: c.country.to_string(),
            name: c.country.name(),
            standing: c.standing,
            score: c.score.and_then(shown_score),
            trend: c.trend,
            delta_24h: c.shown_delta().and_then(|d| Number::decimals(d, 1)),
            pillars: pillars(c),
            coverage: share(c.coverage),
            silent: c.silent,
            indicators: c.indicators().filter_map(reading).collect(),
            rank: ranked.iter().position(|r| r.country == c.country).map(|at| at + 1),
            ranked: ranked.len(),
            year_percentile: c.year_share_below.and_then(|s| Number::decimals(100.0 * s, 1)),
            events,
            as_of: snapshot.tick,
            published_at,
            late: is_late(snapshot.tick, published_at),
        }
    }
}

/// Published scores of one country, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CountryHistory)]
pub struct CountryHistoryBody {
    #[schema(example = "UA", pattern = "^[A-Z]{2}$")]
    pub country: String,
    #[schema(example = "2026-11-07T00:00:00Z")]
    pub from: Timestamp,
    #[schema(example = "2026-11-14T00:00:00Z")]
    pub to: Timestamp,
    pub step: HistoryStep,
    /// Buckets in which it had a score; an empty one is left out.
    pub points: Vec<HistoryBucket>,
}

/// The explanation of a country's score. Contributions add to the score, changes to the 24 h change.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountryExplanation {
    #[schema(example = "UA", pattern = "^[A-Z]{2}$")]
    pub country: String,
    #[schema(example = "Ukraine")]
    pub name: &'static str,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    /// The method for countries, which `/v1/method` has under `countries`.
    pub method: MethodReference,
    pub standing: CountryStanding,
    #[schema(value_type = Option<f64>, required = true, minimum = 0, maximum = 100, example = 71.4)]
    pub score: Option<Number>,
    #[schema(value_type = Option<f64>, required = true, minimum = -100, maximum = 100, example = 1.2)]
    pub delta_24h: Option<Number>,
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.62)]
    pub coverage: Number,
    pub silent: bool,
    pub pillars: Vec<CountryPillarExplanation>,
    /// Indicators that the country had a day ago and no longer has, with their part of the change.
    pub left: Vec<LeftExplanation>,
}

/// One pillar's part in a country's score.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountryPillarExplanation {
    pub pillar: Pillar,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 78.1)]
    pub score: Number,
    /// Among the pillars that the country has.
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub weight: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub coverage: Number,
    /// Points of the country's score; null without one.
    #[schema(value_type = Option<f64>, required = true, example = 60.1)]
    pub contribution: Option<Number>,
    pub indicators: Vec<CountryIndicatorExplanation>,
}

/// One indicator's part in a country's score.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountryIndicatorExplanation {
    #[schema(example = "attention_surprise", pattern = "^[a-z0-9_]+$")]
    pub key: String,
    #[schema(value_type = f64)]
    pub value: Number,
    /// 0 to 100 on the common scale.
    #[schema(value_type = f64, minimum = 0, maximum = 100)]
    pub score: Number,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub period_end: Timestamp,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub freshness: Number,
    /// Within the pillar, after age.
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub weight: Number,
    /// Points of the country's score; null without one.
    #[schema(value_type = Option<f64>, required = true)]
    pub contribution: Option<Number>,
    /// Points of the country's 24 h change; null without a score of a day ago.
    #[schema(value_type = Option<f64>, required = true)]
    pub change_24h: Option<Number>,
    /// The last reading is held, because its source is silent.
    pub held: bool,
    /// Days of the country's history that the value was ranked in.
    pub sample_days: u32,
}

/// An indicator that the country no longer has.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftExplanation {
    #[schema(example = "internet_outage", pattern = "^[a-z0-9_]+$")]
    pub key: String,
    #[schema(value_type = f64)]
    pub change_24h: Number,
}

impl CountryExplanation {
    pub fn of(snapshot: &CountrySnapshot, c: &CountryScore) -> Self {
        let units = |shown: f64| (round_half_away(shown, 1) * UNIT).round() as i64;
        let fixed = |units: i64| Number::fixed(units, PLACES);
        let contributions = c.score.map(|score| {
            let parts: Vec<f64> = c.indicators().map(|i| i.contribution * UNIT).collect();
            apportion(units(score), &parts)
        });
        let changes = c.shown_delta().map(|delta| {
            let here = c.indicators().map(|i| i.change_24h.unwrap_or_default() * UNIT);
            let parts: Vec<f64> = here.chain(c.left.iter().map(|l| l.change_24h * UNIT)).collect();
            apportion(units(delta), &parts)
        });
        let part = |shown: &Option<Vec<i64>>, at: usize| shown.as_ref().map(|parts| parts[at]);
        let mut at = 0;
        let mut pillars = Vec::new();
        for p in &c.pillars {
            let first = at;
            let mut indicators = Vec::new();
            for i in &p.indicators {
                indicators.push(CountryIndicatorExplanation {
                    key: i.key.clone(),
                    value: Number::significant(i.value, 4).unwrap_or_else(Number::zero),
                    score: shown_score(i.score).unwrap_or_else(Number::zero),
                    period_end: i.period_end,
                    freshness: share(i.freshness),
                    weight: share(i.weight),
                    contribution: part(&contributions, at).map(fixed),
                    change_24h: part(&changes, at).map(fixed),
                    held: i.held,
                    sample_days: i.sample_days,
                });
                at += 1;
            }
            pillars.push(CountryPillarExplanation {
                pillar: p.pillar,
                score: shown_score(p.score).unwrap_or_else(Number::zero),
                weight: share(p.weight),
                coverage: share(p.coverage),
                contribution: contributions.as_ref().map(|all| fixed(all[first..at].iter().sum())),
                indicators,
            });
        }
        let left = c.left.iter().enumerate().map(|(n, l)| LeftExplanation {
            key: l.key.clone(),
            change_24h: part(&changes, at + n).map_or_else(Number::zero, fixed),
        });
        CountryExplanation {
            country: c.country.to_string(),
            name: c.country.name(),
            as_of: snapshot.tick,
            method: MethodReference {
                version: snapshot.method_version.clone(),
                digest: snapshot.method_digest.clone(),
            },
            standing: c.standing,
            score: c.score.and_then(shown_score),
            delta_24h: c.shown_delta().and_then(|d| Number::decimals(d, 1)),
            coverage: share(c.coverage),
            silent: c.silent,
            left: left.collect(),
            pillars,
        }
    }
}
