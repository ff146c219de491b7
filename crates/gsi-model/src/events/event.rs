//! A conflict event: many reports of one happening, combined.

use crate::{CountryCode, EventId, Timestamp};
use serde::{Deserialize, Serialize};

closed_set! {
    /// What happened, in one word.
    Category {
        Kinetic = "kinetic",
        Posture = "posture",
        Threat = "threat",
        Coercion = "coercion",
        Unrest = "unrest",
    }
}

closed_set! {
    /// How well an event is corroborated.
    #[cfg_attr(feature = "schema", schema(as = StatusWord))]
    EventStatus {
        Confirmed = "confirmed",
        Reported = "reported",
        Unconfirmed = "unconfirmed",
    }
}

closed_set! {
    /// How exactly the place is known.
    #[cfg_attr(feature = "schema", schema(as = PrecisionWord))]
    GeoPrecision {
        City = "city",
        Region = "region",
        Country = "country",
    }
}

/// The five parts of escalation, each 0–1 before weighting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EscalationParts {
    pub intensity: f64,
    pub tempo: f64,
    pub corroboration: f64,
    pub gravity: f64,
    pub departure: f64,
    /// The reliability factor that multiplies them.
    pub reliability: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventSource {
    pub url: String,
    pub domain: String,
    pub first_seen: Timestamp,
    /// The coded news row this report came in with.
    pub row: u64,
}

/// An event at one time. A later version replaces it from that version's tick on; earlier answers stay reproducible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub id: EventId,
    /// GlobalEventID of the row that opened it; the id derives from it.
    pub first_row: u64,
    /// Stamp of the file that first reported it. Never changes, so that paging by it is stable.
    pub occurred_at: Timestamp,
    pub last_activity: Timestamp,
    pub lat: f64,
    pub lon: f64,
    pub precision: GeoPrecision,
    pub place: String,
    pub country: Option<CountryCode>,
    pub adm1: String,
    pub category: Category,
    pub status: EventStatus,
    pub actors: Vec<String>,
    /// 0–1, as published (smoothed).
    pub escalation: f64,
    pub parts: EscalationParts,
    /// CAMEO-based intensity 0–1 of the most severe well-reported row.
    pub intensity: f64,
    /// Effective number of distinct source domains: many copies of one story count as few.
    pub domains: u32,
    /// Distinct stories after collapsing syndicated copies.
    pub stories: u32,
    /// 0–1: how probable it is that the likeliest of its articles reports a real, current happening. `None` in events
    /// of releases before the event filter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    pub reports: u32,
    pub sources: Vec<EventSource>,
    /// Ids of events merged into this one.
    pub aliases: Vec<EventId>,
    pub closed: bool,
}

/// A stored event: one version, with the state that the clustering needs to continue after a restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventVersion {
    #[serde(flatten)]
    pub event: Event,
    /// Only the clustering reads it.
    #[serde(rename = "memory")]
    pub cluster_state: String,
}

/// A change that a tick makes to the list of events.
#[derive(Clone, Debug, PartialEq)]
pub enum EventChange {
    /// A new event, or a new version of a known one.
    Put(Box<EventVersion>),
    /// `gone` was found to be part of `kept`. A `Put` of `kept` accompanies this change.
    Merged { gone: EventId, kept: EventId },
}
