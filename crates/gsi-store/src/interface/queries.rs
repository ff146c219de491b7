//! Queries of lists: filters, the moment they are evaluated as of, and the end of the previous page. And the points of a history.

use gsi_model::{AlertRuleKind, Category, CountryCode, EventStatus, Timestamp};

/// Where the previous page ended, in the list's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAfter {
    pub at: Timestamp,
    pub id: String,
}

/// One page of events. Empty lists mean "any".
#[derive(Debug, Clone, PartialEq)]
pub struct EventQuery {
    /// The tick the list is pinned to; every page of one walk carries the same.
    pub as_of: Timestamp,
    /// Inclusive.
    pub since: Timestamp,
    /// Exclusive.
    pub until: Timestamp,
    pub categories: Vec<Category>,
    pub countries: Vec<CountryCode>,
    pub statuses: Vec<EventStatus>,
    /// Case-insensitive part of an actor label.
    pub actor: Option<String>,
    pub min_escalation: Option<f64>,
    /// West, south, east, north; west > east crosses the antimeridian.
    pub bbox: Option<[f64; 4]>,
    /// The last activity is at this time or later.
    pub active_since: Option<Timestamp>,
    pub after: Option<PageAfter>,
    pub limit: usize,
}

impl EventQuery {
    /// The first page of all events as of a tick.
    pub fn any(as_of: Timestamp, limit: usize) -> Self {
        EventQuery {
            as_of,
            since: Timestamp::MIN,
            until: Timestamp::MAX,
            categories: Vec::new(),
            countries: Vec::new(),
            statuses: Vec::new(),
            actor: None,
            min_escalation: None,
            bbox: None,
            active_since: None,
            after: None,
            limit,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct BriefingQuery {
    pub as_of: Timestamp,
    pub since: Timestamp,
    pub until: Timestamp,
    /// At least one of these, if there are any.
    pub tags: Vec<String>,
    pub after: Option<PageAfter>,
    pub limit: usize,
}

/// One page of alerts as of a tick. Newest first, then by id.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertQuery {
    pub as_of: Timestamp,
    /// The earliest beginning, inclusive.
    pub since: Timestamp,
    /// Exclusive.
    pub until: Timestamp,
    /// Active alerts, ended alerts, or both.
    pub is_active: Option<bool>,
    pub rule: Option<AlertRuleKind>,
    pub country: Option<CountryCode>,
    pub after: Option<PageAfter>,
    pub limit: usize,
}

impl AlertQuery {
    /// All alerts as of a tick.
    pub fn any(as_of: Timestamp) -> Self {
        AlertQuery {
            as_of,
            since: Timestamp::MIN,
            until: Timestamp::MAX,
            is_active: None,
            rule: None,
            country: None,
            after: None,
            limit: usize::MAX,
        }
    }

    /// The active alerts as of a tick.
    pub fn active(as_of: Timestamp) -> Self {
        AlertQuery { is_active: Some(true), ..AlertQuery::any(as_of) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryPoint {
    pub tick: Timestamp,
    pub score: f64,
    /// The time of the commit.
    pub published_at: Timestamp,
}
