//! The body of the layers of the map.

use crate::representation::Number;
use gsi_model::{LayerKey, LayerMark, LayerReading, LayerStatus, MapLayer, Origin, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// The layers of the map, as known at a tick.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Layers)]
pub struct LayersBody {
    pub layers: Vec<LayerBody>,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
}

/// One kind of thing on the map, all of it from one feed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Layer)]
pub struct LayerBody {
    pub key: LayerKey,
    #[schema(example = "Earthquakes")]
    pub title: &'static str,
    /// The meaning of a mark's value.
    pub about: &'static str,
    /// The unit of the values.
    #[schema(example = "magnitude")]
    pub unit: &'static str,
    #[schema(example = "usgs")]
    pub feed: &'static str,
    pub publisher: &'static str,
    /// The credit that must be shown to readers.
    pub attribution: &'static str,
    pub licence: &'static str,
    /// Further conditions of the licence, or empty.
    pub licence_note: &'static str,
    /// `stale` when the newest day is too old. With `no_data`, missing marks do not mean that nothing happened.
    pub status: LayerStatus,
    /// The newest day with data, UTC.
    #[schema(format = Date, required = true, example = "2026-11-13")]
    pub newest_day: Option<String>,
    /// The gravest first, then by id.
    pub marks: Vec<MarkBody>,
}

/// One place, country or happening.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Mark)]
pub struct MarkBody {
    /// Unique in its layer, and the same from tick to tick.
    #[schema(example = "us7000abcd")]
    pub id: String,
    #[schema(example = "Earthquake")]
    pub name: String,
    /// ISO 3166-1 alpha-2. A mark without coordinates is about the whole country.
    #[schema(required = true, example = "JP", pattern = "^[A-Z]{2}$")]
    pub country: Option<String>,
    #[schema(value_type = Option<f64>, required = true, minimum = -90, maximum = 90, example = 38.3)]
    pub lat: Option<Number>,
    #[schema(value_type = Option<f64>, required = true, minimum = -180, maximum = 180, example = 142.4)]
    pub lon: Option<Number>,
    /// Null where the licence lets only the severity be shown.
    #[schema(value_type = Option<f64>, required = true, example = 6.1)]
    pub value: Option<Number>,
    /// The severity in the layer's words.
    #[schema(example = "strong")]
    pub severity: &'static str,
    /// The severity from 0 (ordinary) to 3 (gravest), on the same scale for all layers.
    #[schema(minimum = 0, maximum = 3, example = 2)]
    pub level: u8,
    /// The day of the value, or the last of several days, UTC.
    #[schema(format = Date, example = "2026-11-13")]
    pub day: String,
}

impl LayerBody {
    /// `withheld` leaves out values that may not be passed on.
    pub fn of(
        layer: &MapLayer,
        origin: &Origin,
        reading: &LayerReading,
        at: Timestamp,
        withheld: bool,
    ) -> Self {
        let mark = |mark: &LayerMark| MarkBody::of(mark, (!withheld).then_some(layer.decimals));
        LayerBody {
            key: layer.key,
            title: layer.title,
            about: layer.about,
            unit: layer.unit,
            feed: layer.feed,
            publisher: origin.publisher,
            attribution: origin.attribution,
            licence: origin.licence.name,
            licence_note: origin.licence.note,
            status: layer.status(reading, at),
            newest_day: reading.newest_day.map(|day| day.to_string()),
            marks: reading.marks.iter().map(mark).collect(),
        }
    }
}

impl MarkBody {
    fn of(mark: &LayerMark, decimals: Option<u32>) -> Self {
        MarkBody {
            id: mark.id.clone(),
            name: mark.name.clone(),
            country: mark.country.map(|country| country.to_string()),
            lat: mark.position.and_then(|(latitude, _)| Number::decimals(latitude, 4)),
            lon: mark.position.and_then(|(_, longitude)| Number::decimals(longitude, 4)),
            value: decimals.and_then(|decimals| Number::decimals(mark.value, decimals)),
            severity: mark.severity.word,
            level: mark.severity.level,
            day: mark.day.to_string(),
        }
    }
}
