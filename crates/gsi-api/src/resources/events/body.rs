//! The bodies of the list of conflict events, plain and as GeoJSON, and of one event.

use crate::representation::Number;
use crate::representation::table::{CsvCell, CsvRow};
use gsi_model::{Event, EventStatus, EventVersion, GeoPrecision, Timestamp};
use gsi_store::EventRecord;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of conflict events, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPage {
    pub events: Vec<ConflictEvent>,
    /// Send as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// One conflict event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConflictEvent {
    #[schema(example = "evt_0123456789ABCDEFGHJKMNPQRS", pattern = "^evt_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    #[schema(value_type = f64, minimum = -90, maximum = 90, example = 48.4647)]
    pub lat: Number,
    #[schema(value_type = f64, minimum = -180, maximum = 180, example = 35.0462)]
    pub lon: Number,
    /// Readable actor labels, no duplicates; empty when unknown.
    #[schema(example = json!(["Russia (military)", "Ukraine"]))]
    pub actors: Vec<String>,
    /// `kinetic`, `posture`, `threat`, `coercion` or `unrest`. Tolerate new values.
    #[schema(example = "kinetic", pattern = "^[a-z_]+$")]
    pub category: &'static str,
    /// 0 to 1, higher is worse. Three decimals.
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.613)]
    pub escalation: Number,
    #[schema(example = "2026-11-14T21:30:00Z")]
    pub occurred_at: Timestamp,
}

impl ConflictEvent {
    /// `None` when a number is not finite: such an event cannot be shown.
    pub fn of(event: &Event) -> Option<Self> {
        Some(ConflictEvent {
            id: event.id.to_string(),
            lat: Number::decimals(event.lat, 4)?,
            lon: Number::decimals(event.lon, 4)?,
            actors: distinct(&event.actors),
            category: event.category.key(),
            escalation: Number::decimals(event.escalation.clamp(0.0, 1.0), 3)?,
            occurred_at: event.occurred_at,
        })
    }
}

fn distinct(labels: &[String]) -> Vec<String> {
    let mut seen = Vec::with_capacity(labels.len());
    for label in labels {
        if !seen.contains(label) {
            seen.push(label.clone());
        }
    }
    seen
}

/// The same page as an RFC 7946 FeatureCollection.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventFeatures {
    #[serde(rename = "type")]
    #[schema(example = "FeatureCollection", pattern = "^FeatureCollection$")]
    pub kind: &'static str,
    pub features: Vec<EventFeature>,
    /// Send as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// One conflict event as a GeoJSON feature.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventFeature {
    #[serde(rename = "type")]
    #[schema(example = "Feature", pattern = "^Feature$")]
    pub kind: &'static str,
    #[schema(example = "evt_0123456789ABCDEFGHJKMNPQRS", pattern = "^evt_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    pub geometry: EventPoint,
    pub properties: EventProperties,
}

/// A GeoJSON point: longitude, latitude.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPoint {
    #[serde(rename = "type")]
    #[schema(example = "Point", pattern = "^Point$")]
    pub kind: &'static str,
    #[schema(value_type = Vec<f64>, min_items = 2, max_items = 2, example = json!([35.0462, 48.4647]))]
    pub coordinates: [Number; 2],
}

/// The properties of a feature.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventProperties {
    #[schema(example = json!(["Russia (military)", "Ukraine"]))]
    pub actors: Vec<String>,
    #[schema(example = "kinetic", pattern = "^[a-z_]+$")]
    pub category: &'static str,
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.613)]
    pub escalation: Number,
    #[schema(example = "2026-11-14T21:30:00Z")]
    pub occurred_at: Timestamp,
    /// ISO 3166-1 alpha-2, or null when not known.
    #[schema(required = true, example = "UA")]
    pub country: Option<String>,
    #[schema(example = "Dnipro, Dnipropetrovsk, Ukraine")]
    pub place: String,
    pub status: EventStatus,
}

impl EventFeatures {
    pub fn of(events: &[Event], next_cursor: Option<String>) -> Self {
        let feature = |EventRow { shown, country, place, status }| EventFeature {
            kind: "Feature",
            id: shown.id,
            geometry: EventPoint { kind: "Point", coordinates: [shown.lon, shown.lat] },
            properties: EventProperties {
                actors: shown.actors,
                category: shown.category,
                escalation: shown.escalation,
                occurred_at: shown.occurred_at,
                country,
                place,
                status,
            },
        };
        EventFeatures {
            kind: "FeatureCollection",
            features: events.iter().filter_map(EventRow::of).map(feature).collect(),
            next_cursor,
        }
    }
}

/// An event of the list with the additional columns of maps and tables.
pub struct EventRow {
    shown: ConflictEvent,
    country: Option<String>,
    place: String,
    status: EventStatus,
}

impl EventRow {
    /// `None` when a number is not finite: such an event cannot be shown.
    pub fn of(event: &Event) -> Option<Self> {
        Some(EventRow {
            shown: ConflictEvent::of(event)?,
            country: event.country.map(|c| c.to_string()),
            place: event.place.clone(),
            status: event.status,
        })
    }
}

impl CsvRow for EventRow {
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "occurred_at",
        "lat_degrees",
        "lon_degrees",
        "country",
        "place",
        "category",
        "status",
        "escalation",
        "actors",
    ];

    fn cells(&self) -> Vec<CsvCell<'_>> {
        let EventRow { shown, country, place, status } = self;
        vec![
            CsvCell::plain(&*shown.id),
            CsvCell::time(shown.occurred_at),
            CsvCell::number(&shown.lat),
            CsvCell::number(&shown.lon),
            country.as_deref().map_or(CsvCell::Empty, CsvCell::plain),
            CsvCell::text(&**place),
            CsvCell::plain(shown.category),
            CsvCell::plain(status.key()),
            CsvCell::number(&shown.escalation),
            CsvCell::text(shown.actors.join("; ")),
        ]
    }
}

/// Everything known about one event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventDetail {
    #[schema(example = "evt_0123456789ABCDEFGHJKMNPQRS", pattern = "^evt_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    #[schema(value_type = f64, minimum = -90, maximum = 90, example = 48.4647)]
    pub lat: Number,
    #[schema(value_type = f64, minimum = -180, maximum = 180, example = 35.0462)]
    pub lon: Number,
    pub precision: GeoPrecision,
    #[schema(example = "Dnipro, Dnipropetrovsk, Ukraine")]
    pub place: String,
    /// ISO 3166-1 alpha-2, or null when not known.
    #[schema(required = true, example = "UA")]
    pub country: Option<String>,
    pub actors: Vec<String>,
    #[schema(example = "kinetic", pattern = "^[a-z_]+$")]
    pub category: &'static str,
    pub status: EventStatus,
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.613)]
    pub escalation: Number,
    pub escalation_parts: EscalationPartsBody,
    /// The highest probability, by the event filter, that one of its articles reports a real and current event; null for events
    /// from before the filter.
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 1, example = 0.93)]
    pub probability: Option<Number>,
    #[schema(example = "2026-11-14T21:30:00Z")]
    pub occurred_at: Timestamp,
    #[schema(example = "2026-11-14T23:30:00Z")]
    pub last_activity: Timestamp,
    pub reports: u32,
    /// Distinct stories after syndicated copies are collapsed.
    pub stories: u32,
    /// Effective number of distinct source domains.
    pub domains: u32,
    pub closed: bool,
    pub sources: Vec<EventSourceBody>,
    /// Ids of events that were merged into this one.
    pub merged: Vec<String>,
    /// Every published version, oldest first.
    pub revisions: Vec<EventRevision>,
    /// Versions that were replaced before this time are no longer kept; null when all are listed.
    #[schema(required = true, example = "2026-11-01T00:00:00Z")]
    pub revisions_since: Option<Timestamp>,
}

/// The parts of the escalation score, each 0 to 1.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EscalationPartsBody {
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub intensity: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub tempo: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub corroboration: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub gravity: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub departure: Number,
    /// The factor that multiplies the others.
    #[schema(value_type = f64, minimum = 0)]
    pub reliability: Number,
}

/// One report.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventSourceBody {
    #[schema(example = "https://news.example/dnipro-strike")]
    pub url: String,
    #[schema(example = "news.example")]
    pub domain: String,
    #[schema(example = "2026-11-14T21:30:00Z")]
    pub first_seen: Timestamp,
}

/// The version of an event that one tick published.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventRevision {
    #[schema(example = "2026-11-14T21:30:00Z")]
    pub as_of: Timestamp,
    pub status: EventStatus,
    #[schema(example = "kinetic", pattern = "^[a-z_]+$")]
    pub category: &'static str,
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.402)]
    pub escalation: Number,
    pub reports: u32,
}

fn part(value: f64) -> Number {
    Number::decimals(value, 3).unwrap_or_else(Number::zero)
}

impl EventDetail {
    pub fn of(record: &EventRecord) -> Option<Self> {
        let e = &record.event;
        let listed = ConflictEvent::of(e)?;
        let source = |s: &gsi_model::EventSource| EventSourceBody {
            url: s.url.clone(),
            domain: s.domain.clone(),
            first_seen: s.first_seen,
        };
        let revision = |(tick, EventVersion { event: v, .. }): &(Timestamp, EventVersion)| EventRevision {
            as_of: *tick,
            status: v.status,
            category: v.category.key(),
            escalation: part(v.escalation.clamp(0.0, 1.0)),
            reports: v.reports,
        };
        Some(EventDetail {
            id: listed.id,
            lat: listed.lat,
            lon: listed.lon,
            precision: e.precision,
            place: e.place.clone(),
            country: e.country.map(|c| c.to_string()),
            actors: listed.actors,
            category: listed.category,
            status: e.status,
            escalation: listed.escalation,
            escalation_parts: EscalationPartsBody {
                intensity: part(e.parts.intensity),
                tempo: part(e.parts.tempo),
                corroboration: part(e.parts.corroboration),
                gravity: part(e.parts.gravity),
                departure: part(e.parts.departure),
                reliability: part(e.parts.reliability),
            },
            probability: e.probability.map(part),
            occurred_at: e.occurred_at,
            last_activity: e.last_activity,
            reports: e.reports,
            stories: e.stories,
            domains: e.domains,
            closed: e.closed,
            sources: e.sources.iter().map(source).collect(),
            merged: e.aliases.iter().map(|a| a.to_string()).collect(),
            revisions: record.versions.iter().map(revision).collect(),
            revisions_since: record.kept_since,
        })
    }
}
