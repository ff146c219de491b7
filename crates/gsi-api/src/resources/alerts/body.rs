//! The bodies of the list of alerts and of one alert.

use crate::representation::Number;
use crate::representation::table::{CsvCell, CsvRow};
use gsi_model::{Alert, AlertRuleKind, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of alerts, those that began last first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertPage {
    pub alerts: Vec<AlertBody>,
    /// Send as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// Whether an alert's rule still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AlertState {
    Active,
    Ended,
}

impl AlertState {
    pub const fn key(self) -> &'static str {
        match self {
            AlertState::Active => "active",
            AlertState::Ended => "ended",
        }
    }
}

/// A rule that holds, or held, for a subject.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Alert)]
pub struct AlertBody {
    #[schema(example = "alr_0123456789ABCDEFGHJKMNPQRS", pattern = "^alr_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    pub rule: AlertRuleKind,
    pub state: AlertState,
    /// `global`, a pillar's key, `country:ua`, `feed:gdelt`, or a briefing's subject.
    #[schema(example = "conflict")]
    pub subject: String,
    #[schema(required = true, example = "UA")]
    pub country: Option<String>,
    #[schema(example = "2026-11-14T06:00:00Z")]
    pub began_at: Timestamp,
    #[schema(required = true)]
    pub ended_at: Option<Timestamp>,
    /// The measured value when it began: a score, or an event's escalation.
    #[schema(value_type = Option<f64>, required = true, example = 57.3)]
    pub value: Option<Number>,
    /// The threshold that the value was compared with.
    #[schema(value_type = Option<f64>, required = true, example = 53.0)]
    pub threshold: Option<Number>,
    pub headline: String,
    /// The snapshot it began with.
    #[schema(example = "snp_0123456789ABCDEFGHJKMNPQRS", pattern = "^snp_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub snapshot: String,
    /// The event or the briefing that the alert is about.
    #[schema(required = true, example = "evt_0123456789ABCDEFGHJKMNPQRS")]
    pub about: Option<String>,
}

impl AlertBody {
    pub fn of(alert: &Alert) -> Self {
        let decimals = if alert.rule == AlertRuleKind::Event { 2 } else { 1 };
        let shown = |value: Option<f64>| value.and_then(|v| Number::decimals(v, decimals));
        AlertBody {
            id: alert.id.to_string(),
            rule: alert.rule,
            state: if alert.is_active() { AlertState::Active } else { AlertState::Ended },
            subject: alert.subject.clone(),
            country: alert.country.map(|c| c.to_string()),
            began_at: alert.began_at,
            ended_at: alert.ended_at,
            value: shown(alert.value),
            threshold: shown(alert.threshold),
            headline: alert.headline.clone(),
            snapshot: alert.snapshot.to_string(),
            about: alert.about.clone(),
        }
    }
}

impl CsvRow for AlertBody {
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "rule",
        "state",
        "subject",
        "country",
        "began_at",
        "ended_at",
        "value",
        "threshold",
        "headline",
        "snapshot",
        "about",
    ];

    fn cells(&self) -> Vec<CsvCell<'_>> {
        let maybe = |text: &'_ Option<String>| text.clone().map_or(CsvCell::Empty, CsvCell::plain);
        vec![
            CsvCell::plain(&*self.id),
            CsvCell::plain(self.rule.key()),
            CsvCell::plain(self.state.key()),
            CsvCell::plain(&*self.subject),
            maybe(&self.country),
            CsvCell::time(self.began_at),
            self.ended_at.map_or(CsvCell::Empty, CsvCell::time),
            CsvCell::maybe(self.value.as_ref()),
            CsvCell::maybe(self.threshold.as_ref()),
            CsvCell::text(&*self.headline),
            CsvCell::plain(&*self.snapshot),
            maybe(&self.about),
        ]
    }
}

/// An alert with its course, its inputs, and how often its rule fired.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertDetail {
    pub alert: AlertBody,
    /// The watched value from a day before the alert began until it ended, at most 200 points; empty where the rule watches no number.
    pub course: Vec<AlertPoint>,
    /// The inputs behind the subject's score when it began, the largest first; empty for feeds and briefings.
    pub inputs: Vec<AlertInput>,
    /// The address of the explanation at that moment; null for feeds and briefings.
    #[schema(required = true, example = "/v1/global-stability/explain?as_of=2026-11-14T06:00:00Z")]
    pub explanation: Option<String>,
    pub fired: AlertFrequency,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertPoint {
    #[schema(example = "2026-11-14T06:00:00Z")]
    pub as_of: Timestamp,
    #[schema(value_type = f64, example = 57.3)]
    pub value: Number,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertInput {
    #[schema(example = "country_surprise")]
    pub key: String,
    /// Points of the subject's score.
    #[schema(value_type = f64, example = 14.2)]
    pub contribution: Number,
    /// Its part of the 24 h change; null without a value of a day before.
    #[schema(value_type = Option<f64>, required = true, example = 6.1)]
    pub change_24h: Option<Number>,
}

/// How often a rule fired for a subject.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertFrequency {
    /// Alerts that began within the 365 days before it, itself included, as far as the store has them.
    #[schema(format = Int32)]
    pub last_365_days: usize,
    /// Alerts on the packed history; null where it has no such alerts, as for countries and events.
    #[schema(required = true)]
    pub backtest: Option<AlertsInPast>,
}

/// Alerts on the packed history.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertsInPast {
    #[schema(format = Date, example = "2000-01-01")]
    pub from: String,
    #[schema(format = Date, example = "2024-12-31")]
    pub to: String,
    #[schema(format = Int32)]
    pub alerts: usize,
    #[schema(value_type = f64, example = 1.4)]
    pub per_year: Number,
}
