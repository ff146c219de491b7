//! The place of a score among the days before it.

use crate::representation::Number;
use crate::resources::likeness::body::LevelBody;
use crate::resources::scores::body::shown_score;
use gsi_model::{DayPlace, HighDays, ScoreContext};
use serde::Serialize;
use utoipa::ToSchema;

/// The place of a score among the days before it. Scores are compared as shown, to a tenth. Published and reconstructed days
/// are never mixed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ScoreContext)]
pub struct ScoreContextBody {
    /// Among the days that this service published, each by its last score; null before there was one.
    #[schema(required = true)]
    pub published: Option<DayPlaceBody>,
    /// Among the days of the reconstruction; null where this world is not compared with the real past, such as a simulated world
    /// without the history.
    #[schema(required = true)]
    pub reconstruction: Option<DayPlaceBody>,
    /// The method of the reconstruction.
    #[schema(required = true, example = "3.0.0")]
    pub reconstruction_method: Option<String>,
    /// What this band has meant on reconstructed days; null where it is not compared with them.
    #[schema(required = true)]
    pub level: Option<LevelBody>,
    /// The statement that the score does not forecast, with figures; null where it is not compared with the real past.
    #[schema(required = true)]
    pub forecast: Option<String>,
}

/// A score's place among days.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DayPlace)]
pub struct DayPlaceBody {
    /// The first and the last day it is compared with.
    #[schema(format = Date, example = "2000-01-01")]
    pub from: String,
    #[schema(format = Date, example = "2024-12-31")]
    pub to: String,
    /// The number of these days that have a score.
    #[schema(minimum = 1, example = 9132)]
    pub days: u32,
    /// The share of them with a lower score.
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.6412)]
    pub share_lower: Number,
    /// Published days in a row, up to yesterday, with a score at least this high; 0 among reconstructed days.
    #[schema(minimum = 0, example = 3)]
    pub days_this_high: u32,
    /// The last earlier days with a score at least this high; null when there are none.
    #[schema(required = true)]
    pub last_this_high: Option<HighDaysBody>,
}

/// Days in a row with a score at least as high.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = HighDays)]
pub struct HighDaysBody {
    #[schema(format = Date, example = "2024-10-10")]
    pub from: String,
    #[schema(format = Date, example = "2024-10-21")]
    pub to: String,
    #[schema(minimum = 1, example = 12)]
    pub days: u32,
    /// The highest score of these days.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 47.3)]
    pub highest: Number,
}

impl ScoreContextBody {
    pub fn of(context: &ScoreContext) -> Option<Self> {
        let place = |place: &Option<DayPlace>| match place {
            Some(place) => DayPlaceBody::of(place).map(Some),
            None => Some(None),
        };
        Some(ScoreContextBody {
            published: place(&context.published)?,
            reconstruction: place(&context.reconstructed)?,
            reconstruction_method: context.line.as_ref().map(|line| line.method_version.clone()),
            level: match &context.level {
                Some(level) => Some(LevelBody::of(level)?),
                None => None,
            },
            forecast: context.forecast.clone(),
        })
    }
}

impl DayPlaceBody {
    fn of(place: &DayPlace) -> Option<Self> {
        let high = |high: HighDays| {
            Some(HighDaysBody {
                from: high.from.to_string(),
                to: high.to.to_string(),
                days: high.days(),
                highest: shown_score(high.highest)?,
            })
        };
        Some(DayPlaceBody {
            from: place.from.to_string(),
            to: place.to.to_string(),
            days: place.days,
            share_lower: Number::decimals(place.share_lower(), 4)?,
            days_this_high: place.run,
            last_this_high: match place.last_high {
                Some(days) => Some(high(days)?),
                None => None,
            },
        })
    }
}
