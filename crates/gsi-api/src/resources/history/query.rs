//! The window of a history, and what it is a history of.

use crate::request::parameters::{MethodVersion, RequestTime, schema_of};
use crate::resources::history::body::HistoryStep;
use gsi_model::Timestamp;
use serde::Deserialize;
use serde_json::json;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// The default window, in steps before its end.
const DEFAULT_POINTS: i64 = 168;

/// The window of a history, and the width of its buckets.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryWindow {
    /// From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.
    #[param(inline)]
    from: Option<RequestTime>,
    /// Up to this time, exclusive. Default: just after the newest tick.
    #[param(inline)]
    to: Option<RequestTime>,
    /// Width of a bucket.
    #[serde(default)]
    #[param(inline)]
    step: StepParameter,
}

impl HistoryWindow {
    pub fn step(&self) -> HistoryStep {
        self.step.0
    }

    pub fn has_from(&self) -> bool {
        self.from.is_some()
    }

    /// The beginning of the window when `tick` is the newest.
    pub fn from(&self, tick: Timestamp) -> Timestamp {
        let default = self.to(tick).minus(DEFAULT_POINTS * self.step().seconds());
        self.from.map_or(default, Timestamp::from)
    }

    /// The end of the window when `tick` is the newest.
    pub fn to(&self, tick: Timestamp) -> Timestamp {
        self.to.map_or(tick.plus(1), Timestamp::from)
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
struct StepParameter(HistoryStep);

impl PartialSchema for StepParameter {
    fn schema() -> RefOr<Schema> {
        let steps = HistoryStep::ALL.map(HistoryStep::key);
        schema_of(json!({ "type": "string", "enum": steps, "default": HistoryStep::default().key() }))
    }
}

impl ToSchema for StepParameter {}

/// The method whose scores are asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryMethod {
    /// Only scores by this version of the method, current or previous. At most 33 days. None stored then: 404.
    #[param(inline)]
    method: Option<MethodVersion>,
}

impl HistoryMethod {
    pub fn version(&self) -> Option<&str> {
        self.method.as_ref().map(|method| method.0.as_str())
    }
}

/// The series of the answer.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistorySeries {
    /// `all`: the composite and the four pillars, in the same buckets.
    #[serde(default)]
    #[param(inline)]
    series: SeriesParameter,
}

impl HistorySeries {
    pub fn has_pillars(&self) -> bool {
        self.series == SeriesParameter::All
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(default = "composite")]
enum SeriesParameter {
    #[default]
    Composite,
    All,
}
