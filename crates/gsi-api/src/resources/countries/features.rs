//! Countries as GeoJSON: the entries of the list with outlines.

use crate::resources::countries::body::{CountriesBody, CountryEntry, NotScored};
use crate::resources::countries::outlines;
use gsi_model::{CountryCode, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// The same countries as GeoJSON, for maps.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountryFeatures {
    #[serde(rename = "type")]
    #[schema(example = "FeatureCollection", pattern = "^FeatureCollection$")]
    pub kind: &'static str,
    pub features: Vec<CountryFeature>,
    pub not_scored: NotScored,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    /// The credit to show with a map of the outlines.
    #[schema(example = "Outlines: made with Natural Earth")]
    pub attribution: &'static str,
    /// Send as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// One country with its outline.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountryFeature {
    #[serde(rename = "type")]
    #[schema(example = "Feature", pattern = "^Feature$")]
    pub kind: &'static str,
    /// ISO 3166-1 alpha-2.
    #[schema(example = "UA", pattern = "^[A-Z]{2}$")]
    pub id: String,
    /// Null for a few territories that the atlas draws as part of another country.
    #[schema(required = true)]
    pub geometry: Option<CountryOutline>,
    pub properties: CountryEntry,
}

/// A GeoJSON MultiPolygon, simplified to about ten kilometres.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountryOutline {
    #[serde(rename = "type")]
    #[schema(example = "MultiPolygon", pattern = "^MultiPolygon$")]
    pub kind: &'static str,
    /// Polygons of rings of points: longitude, latitude.
    #[schema(value_type = Vec<Vec<Vec<Vec<f64>>>>)]
    pub coordinates: &'static outlines::Outline,
}

impl CountryFeatures {
    pub fn of(body: CountriesBody) -> Self {
        let CountriesBody { countries, not_scored, as_of, next_cursor } = body;
        let outline = |code: &str| outlines::outline(CountryCode::from_iso2(code)?);
        let feature = |entry: CountryEntry| CountryFeature {
            kind: "Feature",
            id: entry.country.clone(),
            geometry: outline(&entry.country)
                .map(|coordinates| CountryOutline { kind: "MultiPolygon", coordinates }),
            properties: entry,
        };
        let attribution = outlines::OUTLINES_ATTRIBUTION;
        let features = countries.into_iter().map(feature).collect();
        CountryFeatures { kind: "FeatureCollection", features, not_scored, as_of, attribution, next_cursor }
    }
}
