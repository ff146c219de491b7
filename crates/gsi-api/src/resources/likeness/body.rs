//! A day compared with the reconstructed past: the most similar days, and what its level has meant.

use crate::representation::Number;
use crate::resources::reconstruction::body::CrisisBody;
use crate::resources::scores::body::shown_score;
use gsi_model::{
    AFTERMATH_DAYS, Analogue, Band, CRISIS_LISTS, Day, FORECAST_DAYS, LevelMeaning, Pillar, PillarStatus,
    ReconstructedDay, Reconstruction, Snapshot,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether a day's figures were published then or are reconstructed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DayOrigin {
    Published,
    Reconstructed,
}

/// The requested day, published or reconstructed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskedDay {
    pub day: Day,
    pub origin: DayOrigin,
    pub score: f64,
    /// Current scores only. A held score is left out.
    pub pillars: [Option<f64>; 4],
}

impl AskedDay {
    pub fn published(snapshot: &Snapshot) -> Self {
        let current =
            |p: Pillar| snapshot.pillar(p).filter(|s| s.status != PillarStatus::Unavailable).map(|s| s.score);
        let (day, score) = (snapshot.tick.day(), snapshot.score);
        AskedDay { day, origin: DayOrigin::Published, score, pillars: Pillar::ALL.map(current) }
    }

    /// `None` for a day without a score.
    pub fn reconstructed(day: &ReconstructedDay) -> Option<Self> {
        let pillars = Pillar::ALL.map(|p| day.of(Some(p)).score);
        Some(AskedDay {
            day: day.day,
            origin: DayOrigin::Reconstructed,
            score: day.composite.score?,
            pillars,
        })
    }
}

/// The pillar scores of a day; null with too little data.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownPillars {
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 55.2)]
    pub conflict: Option<Number>,
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 38.0)]
    pub cyber: Option<Number>,
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 33.1)]
    pub supply_chain: Option<Number>,
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 36.4)]
    pub r#macro: Option<Number>,
}

impl KnownPillars {
    fn of(pillars: [Option<f64>; 4]) -> Self {
        let shown = |p: Pillar| pillars[p.index()].and_then(shown_score);
        KnownPillars {
            conflict: shown(Pillar::Conflict),
            cyber: shown(Pillar::Cyber),
            supply_chain: shown(Pillar::SupplyChain),
            r#macro: shown(Pillar::Macro),
        }
    }
}

/// The days of the reconstructed past whose pillars were nearest, one to an episode.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Analogues)]
pub struct AnaloguesBody {
    /// The requested day.
    #[schema(format = Date, example = "2026-11-14")]
    pub date: String,
    pub origin: DayOrigin,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 41.3)]
    pub score: Number,
    pub pillars: KnownPillars,
    /// The method of the reconstruction.
    #[schema(example = "3.0.0")]
    pub method_version: String,
    /// Nearest first. Days within 60 days of the requested day or of a listed day are left out.
    pub analogues: Vec<AnalogueBody>,
}

/// A past day and what followed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Analogue)]
pub struct AnalogueBody {
    #[schema(format = Date, example = "2011-08-08")]
    pub date: String,
    /// Root mean square difference of the pillars that both days have, in points.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 3.2)]
    pub distance: Number,
    /// The number of compared pillars.
    #[schema(format = Int32, minimum = 3, maximum = 4, example = 4)]
    pub pillars_compared: usize,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 44.1)]
    pub score: Number,
    pub pillars: KnownPillars,
    /// The listed crisis under way on that day, or null.
    #[schema(required = true)]
    pub crisis: Option<CrisisBody>,
    /// The score thirty days later; null where the past ends before.
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 39.0)]
    pub score_30_days_later: Option<Number>,
    /// The highest score within these thirty days.
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 52.7)]
    pub highest_in_30_days: Option<Number>,
}

const _: () = assert!(AFTERMATH_DAYS == 30 && FORECAST_DAYS == 14, "the fields' names say so");

impl AnaloguesBody {
    pub fn of(asked: &AskedDay, past: &Reconstruction, found: &[Analogue<'_>]) -> Option<Self> {
        let body = |a: &Analogue<'_>| {
            Some(AnalogueBody {
                date: a.day.day.to_string(),
                distance: Number::decimals(a.distance, 1)?,
                pillars_compared: a.pillars,
                score: shown_score(a.day.composite.score?)?,
                pillars: KnownPillars::of(Pillar::ALL.map(|p| a.day.of(Some(p)).score)),
                crisis: a.crisis.map(CrisisBody::of),
                score_30_days_later: a.after.and_then(shown_score),
                highest_in_30_days: a.highest_after.and_then(shown_score),
            })
        };
        Some(AnaloguesBody {
            date: asked.day.to_string(),
            origin: asked.origin,
            score: shown_score(asked.score)?,
            pillars: KnownPillars::of(asked.pillars),
            method_version: past.method_version.clone(),
            analogues: found.iter().map(body).collect::<Option<_>>()?,
        })
    }
}

/// What a level has meant: frequencies in the past, and their limits.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Meaning)]
pub struct MeaningBody {
    #[schema(format = Date, example = "2026-11-14")]
    pub date: String,
    pub origin: DayOrigin,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 41.3)]
    pub score: Number,
    /// The band of this score, without hysteresis.
    pub band: Band,
    /// Share of all reconstructed days with a lower score.
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.64)]
    pub share_of_days_lower: Number,
    /// The number of reconstructed days with a score.
    #[schema(format = Int32, minimum = 1, example = 9100)]
    pub days: usize,
    /// The last reconstructed day with a score at least this high; null when there is none.
    #[schema(required = true, format = Date, example = "2024-10-21")]
    pub last_day_as_high: Option<String>,
    /// The first and last day that the list of crises covers.
    #[schema(format = Date, example = "2008-01-01")]
    pub listed_from: String,
    #[schema(format = Date, example = "2024-12-31")]
    pub listed_to: String,
    /// Number of dated crises in the list that comes with the program.
    #[schema(format = Int32, minimum = 0, example = 52)]
    pub crises: usize,
    /// From the lowest band to the highest.
    pub levels: Vec<LevelBody>,
    /// The statement that the score does not forecast, with figures.
    #[schema(
        example = "The score tells the present and does not forecast: a listed crisis began within 14 days after 9 % of calm days, 11 % of guarded days."
    )]
    pub forecast: String,
    #[schema(example = "3.0.0")]
    pub method_version: String,
    /// The lists behind the ranges: the list that comes with the program, and stricter selections from it.
    pub lists: Vec<CrisisListBody>,
}

/// What past days in one band were like.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Level)]
pub struct LevelBody {
    pub band: Band,
    /// The lowest score of the band.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 33.0)]
    pub from: Number,
    /// The end of the band, exclusive.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 44.0)]
    pub to: Number,
    #[schema(minimum = 0, example = 2710)]
    pub days: u32,
    /// Share of them with a listed crisis under way; null without a day.
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 1, example = 0.38)]
    pub crisis_under_way: Option<Number>,
    /// Share of them with the beginning of another listed crisis within 14 days.
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 1, example = 0.09)]
    pub crisis_begins_within_14_days: Option<Number>,
    /// The lowest and the highest share with a crisis under way, over `lists`.
    #[schema(required = true)]
    pub crisis_under_way_range: Option<ShareRange>,
}

/// The lowest and the highest share.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareRange {
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.21)]
    pub low: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.38)]
    pub high: Number,
}

/// A list of dated crises, or a stricter selection from one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CrisisList)]
pub struct CrisisListBody {
    #[schema(example = "tiers A and B")]
    pub name: &'static str,
    #[schema(format = Int32, minimum = 0, example = 37)]
    pub crises: usize,
}

impl LevelBody {
    pub fn of(level: &LevelMeaning) -> Option<Self> {
        let share = |part: u32| {
            let share = (level.days > 0).then(|| f64::from(part) / f64::from(level.days));
            share.and_then(|share| Number::decimals(share, 2))
        };
        let range = share(level.fewest_in_crisis).zip(share(level.most_in_crisis));
        Some(LevelBody {
            band: level.band,
            from: Number::decimals(level.from, 1)?,
            to: Number::decimals(level.to, 1)?,
            days: level.days,
            crisis_under_way: share(level.in_crisis),
            crisis_begins_within_14_days: share(level.before_onset),
            crisis_under_way_range: range.map(|(low, high)| ShareRange { low, high }),
        })
    }
}

impl MeaningBody {
    /// `None` when there is no past to compare with.
    pub fn of(asked: &AskedDay, past: &Reconstruction) -> Option<Self> {
        let (below, days) = past.rank(asked.score)?;
        let listed = past.listed_days();
        let list = |(name, tiers): (&'static str, &'static [&'static str])| CrisisListBody {
            name,
            crises: past.crises.iter().filter(|crisis| tiers.contains(&crisis.tier.as_str())).count(),
        };
        Some(MeaningBody {
            date: asked.day.to_string(),
            origin: asked.origin,
            score: shown_score(asked.score)?,
            band: Band::ALL[past.band_edges.iter().filter(|edge| asked.score >= **edge).count()],
            share_of_days_lower: Number::decimals(below, 2)?,
            days,
            last_day_as_high: past.last_as_high(asked.score).map(|d| d.day.to_string()),
            listed_from: listed.first()?.day.to_string(),
            listed_to: listed.last()?.day.to_string(),
            crises: past.crises.len(),
            levels: past.levels().iter().map(LevelBody::of).collect::<Option<_>>()?,
            forecast: past.forecast(),
            method_version: past.method_version.clone(),
            lists: CRISIS_LISTS.map(list).to_vec(),
        })
    }
}
