//! The filters of the list of events.

use crate::request::list_walk::sorted;
use crate::request::parameters::{
    AsOf, MAX_TEXT, Paging, RequestTime, Window, read_number, read_value, schema_of,
};
use gsi_model::{Category, CountryCode, EventStatus};
use serde::{Deserialize, Deserializer};
use serde_json::json;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// Longest area: four numbers with all their digits.
const MAX_AREA: usize = 103;
/// Four plain decimal numbers within the degrees of the globe.
const AREA_PATTERN: &str = concat!(
    "^(-?(0|[1-9][0-9]?|1[0-7][0-9])(\\.[0-9]{1,20})?|-?180(\\.0{1,20})?),",
    "(-?(0|[1-8]?[0-9])(\\.[0-9]{1,20})?|-?90(\\.0{1,20})?),",
    "(-?(0|[1-9][0-9]?|1[0-7][0-9])(\\.[0-9]{1,20})?|-?180(\\.0{1,20})?),",
    "(-?(0|[1-8]?[0-9])(\\.[0-9]{1,20})?|-?90(\\.0{1,20})?)$"
);
/// The statuses of a list that asks for none.
const DEFAULT_STATUSES: [EventStatus; 2] = [EventStatus::Confirmed, EventStatus::Reported];

pub type EventsQuery = (Paging, Window, EventFilters, AsOf);

/// The filters of the list of events. They combine; several values of one filter mean any of them.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventFilters {
    /// Any of these categories.
    #[serde(default)]
    #[param(inline, style = Form, explode, max_items = 50)]
    pub category: Vec<Category>,
    /// Any of these countries, ISO 3166-1 alpha-2.
    #[serde(default)]
    #[param(inline, style = Form, explode, max_items = 50)]
    pub country: Vec<CountryCode>,
    /// Part of an actor label, in any case.
    #[param(inline)]
    pub actor: Option<ActorText>,
    /// This escalation or more.
    #[param(inline)]
    pub min_escalation: Option<MinEscalation>,
    /// west,south,east,north in degrees, south not above north; west above east crosses the antimeridian.
    #[param(inline)]
    pub bbox: Option<Area>,
    /// Last active at this time or later: its `last_activity`.
    #[param(inline)]
    pub active_since: Option<RequestTime>,
    /// Any of these statuses. Default: confirmed and reported.
    #[serde(default)]
    #[param(inline, style = Form, explode, max_items = 50)]
    status: Vec<EventStatus>,
}

impl EventFilters {
    /// The statuses in order, or the default ones.
    pub fn statuses(&self) -> Vec<EventStatus> {
        if self.status.is_empty() { DEFAULT_STATUSES.to_vec() } else { sorted(self.status.clone()) }
    }

    /// Whether events of the window may be skipped to fill a page.
    pub fn is_filtered(&self) -> bool {
        !self.category.is_empty()
            || !self.country.is_empty()
            || self.statuses() != DEFAULT_STATUSES
            || self.actor.is_some()
            || self.min_escalation.is_some()
            || self.bbox.is_some()
            || self.active_since.is_some()
    }
}

#[derive(ToSchema)]
#[schema(
    min_length = 1,
    max_length = 100,
    pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
    example = "military"
)]
pub struct ActorText(pub String);

impl<'de> Deserialize<'de> for ActorText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let allowed = format!("1 to {MAX_TEXT} characters of an actor label");
        read_value(deserializer, &allowed, |text| {
            let count = text.chars().count();
            if text.chars().any(char::is_control) {
                Err("has control characters")
            } else if count == 0 || count > MAX_TEXT {
                Err("is empty or too long")
            } else {
                Ok(ActorText(text.to_owned()))
            }
        })
    }
}

#[derive(Clone, Copy)]
pub struct MinEscalation(pub f64);

impl<'de> Deserialize<'de> for MinEscalation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer, 1.0).map(MinEscalation)
    }
}

impl PartialSchema for MinEscalation {
    fn schema() -> RefOr<Schema> {
        schema_of(json!({ "type": "number", "minimum": 0, "maximum": 1 }))
    }
}

impl ToSchema for MinEscalation {}

// West, south, east and north, in degrees.
#[derive(Clone, Copy)]
pub struct Area(pub [f64; 4]);

impl<'de> Deserialize<'de> for Area {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let allowed = "west,south,east,north in degrees: longitudes from -180 to 180, latitudes from -90 to 90, south not above north";
        read_value(deserializer, allowed, |text| {
            let degrees: Option<Vec<f64>> = text.split(',').map(decimal).collect();
            let Some(&[west, south, east, north]) = degrees.as_deref() else {
                return Err("is not four decimal numbers");
            };
            let has_longitudes = [west, east].iter().all(|d| (-180.0..=180.0).contains(d));
            let has_latitudes = [south, north].iter().all(|d| (-90.0..=90.0).contains(d));
            if !has_longitudes || !has_latitudes {
                return Err("is out of range");
            }
            if south > north {
                return Err("has south above north");
            }
            Ok(Area([west, south, east, north]))
        })
    }
}

impl PartialSchema for Area {
    fn schema() -> RefOr<Schema> {
        schema_of(json!({
            "type": "string", "pattern": AREA_PATTERN, "maxLength": MAX_AREA, "example": "22.1,44.3,40.2,52.4",
        }))
    }
}

impl ToSchema for Area {}

/// Reads plain decimal notation: no exponent, no `inf`, no `nan`, no leading plus or zeros.
fn decimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_plain = |s: &str| !s.is_empty() && s.len() <= 20 && s.bytes().all(|b| b.is_ascii_digit());
    let is_padded = whole.len() > 1 && whole.starts_with('0');
    if is_plain(whole) && is_plain(fraction) && !is_padded { text.parse().ok() } else { None }
}
