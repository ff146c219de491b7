//! Everything that a snapshot was computed from, as input for computing it again.

use gsi_model::{
    BesideSnapshot, CountryCode, CountryEvents, CountrySnapshot, FeedStanding, ScoreContext, Timestamp,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use utoipa::ToSchema;

use crate::resources::method::body::MethodBody;

/// Start from `state` and compute the `ticks` in order, each with the rows known at that time. The last one gives the snapshot.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// The version of this format.
    #[schema(example = 1)]
    pub format: u32,
    #[schema(example = "snp_0123456789ABCDEFGHJKMNPQRS")]
    pub snapshot: String,
    pub as_of: Timestamp,
    /// The time of publication. Inputs from older versions lack it.
    #[schema(value_type = String, format = DateTime, required = false)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    pub simulated: bool,
    /// The document that `/v1/method` returns.
    #[schema(value_type = MethodBody)]
    pub method: serde_json::Value,
    /// The engine's memory at the start; null starts from empty memory.
    #[schema(required = true)]
    pub state: Option<StateBody>,
    pub ticks: Vec<Timestamp>,
    /// The health of the feeds. Part of the record, not of the arithmetic.
    #[schema(value_type = Vec<BTreeMap<String, serde_json::Value>>)]
    pub feeds: Vec<FeedStanding>,
    /// The score among the days before it. Part of the record, not of the arithmetic.
    #[schema(value_type = BTreeMap<String, serde_json::Value>, required = false)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ScoreContext>,
    /// Scores by previous methods at the same tick. Part of the record, not of the arithmetic.
    #[schema(value_type = Vec<BTreeMap<String, serde_json::Value>>, required = false)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideSnapshot>,
    /// Series that may not be passed on; without them the snapshot cannot be computed again.
    pub withheld: Vec<String>,
    pub series: Vec<SeriesRows>,
    pub slots: Vec<SlotRow>,
    /// Further inputs of the countries of the same tick. Absent when none were computed, or by a method for countries other than
    /// the one in `method`.
    #[schema(value_type = InputCountries, required = false)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countries: Option<InputCountries>,
}

/// A tick's countries are a function of the rows, its events and the countries published before.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InputCountries {
    /// SHA-256 of the published record as JSON, in hexadecimal. Computing it again must give the same digest.
    pub digest: String,
    /// The tick's events by country.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, serde_json::Value>>)]
    pub events: BTreeMap<CountryCode, CountryEvents>,
    /// The record published before it.
    #[schema(value_type = Option<BTreeMap<String, serde_json::Value>>, required = true)]
    pub previous: Option<CountrySnapshot>,
    /// The record of a day before.
    #[schema(value_type = Option<BTreeMap<String, serde_json::Value>>, required = true)]
    pub day_ago: Option<CountrySnapshot>,
}

impl InputCountries {
    /// The digest of a record.
    pub fn digest_of(countries: &CountrySnapshot) -> String {
        let record = serde_json::to_vec(countries).unwrap_or_default();
        data_encoding::HEXLOWER.encode(&Sha256::digest(&record))
    }
}

impl Inputs {
    pub const FORMAT: u32 = 1;
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StateBody {
    pub tick: Timestamp,
    /// Base64.
    pub bytes: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesRows {
    #[schema(example = "gpr.total")]
    pub series: String,
    /// A country, a place or a currency; absent when the series has one entity.
    #[schema(required = false)]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub entity: String,
    pub feed: String,
    /// Period end, revision, known at, value, quality; times in seconds since 1970.
    #[schema(value_type = Vec<Vec<f64>>)]
    pub rows: Vec<InputRow>,
}

pub type InputRow = (i64, u32, i64, f64, f64);

/// Counts over one file of coded news.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotRow {
    pub stamp: i64,
    pub known_at: i64,
    pub articles: u32,
    pub conflict: f64,
    pub threat: f64,
    pub cyber: u32,
    pub supply: u32,
    /// Country, articles, conflict.
    #[schema(value_type = Vec<Vec<serde_json::Value>>)]
    pub countries: Vec<(String, u32, f64)>,
}
