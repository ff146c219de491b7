//! The filters of the list of countries.

use crate::request::parameters::{AsOf, Paging, read_number, schema_of};
use gsi_model::Pillar;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

pub type CountriesQuery = (Paging, CountryFilters, AsOf);

/// The filters of the list of countries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CountryFilters {
    /// This score or more.
    #[param(inline)]
    pub min_score: Option<MinScore>,
    /// Ranked and filtered by this pillar.
    #[param(inline)]
    pub pillar: Option<Pillar>,
}

#[derive(Clone, Copy)]
pub struct MinScore(pub f64);

impl<'de> Deserialize<'de> for MinScore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer, 100.0).map(MinScore)
    }
}

impl PartialSchema for MinScore {
    fn schema() -> RefOr<Schema> {
        schema_of(json!({ "type": "number", "minimum": 0, "maximum": 100 }))
    }
}

impl ToSchema for MinScore {}
