//! The messages about alerts on the stream.

use super::body::AlertBody;
use gsi_model::{Alert, AlertRuleKind, Pillar, Snapshot, Timestamp};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A change of the band, of the status of the data, or of an alert.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamAlert {
    /// `band`, `status`, or `alert:` and a subject, which goes from `off` to `on` and back. Subjects other than the composite and
    /// the pillars are sent to keys with `alerts:read`.
    #[schema(value_type = String, example = "status")]
    pub kind: Cow<'static, str>,
    #[schema(example = "ok")]
    pub before: &'static str,
    #[schema(example = "degraded")]
    pub after: &'static str,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    /// The alert that began or ended; null for another change.
    #[schema(required = true)]
    pub alert: Option<AlertBody>,
}

impl StreamAlert {
    /// Returns the changes of the composite and the pillars. `alerts` began or ended between the two snapshots.
    pub fn between(before: &Snapshot, after: &Snapshot, alerts: &[Alert]) -> Vec<Self> {
        let changed = StreamSubject::ALL.into_iter().filter(|of| of.value(before) != of.value(after));
        changed
            .map(|of| StreamAlert {
                kind: of.kind(),
                before: of.value(before),
                after: of.value(after),
                as_of: after.tick,
                alert: of.alert(alerts).map(AlertBody::of),
            })
            .collect()
    }

    /// Returns the other alerts that began or ended. Briefings have their own message.
    pub fn of_others(alerts: &[Alert], as_of: Timestamp) -> Vec<Self> {
        let is_other = |a: &&Alert| match a.rule {
            AlertRuleKind::Score | AlertRuleKind::Band => a.country.is_some(),
            AlertRuleKind::Event | AlertRuleKind::Feed => true,
            AlertRuleKind::Briefing | AlertRuleKind::Own => false,
        };
        let message = |alert: &Alert| {
            let (before, after) = if alert.is_active() { ("off", "on") } else { ("on", "off") };
            let kind = format!("alert:{}", alert.subject).into();
            StreamAlert { kind, before, after, as_of, alert: Some(AlertBody::of(alert)) }
        };
        alerts.iter().filter(is_other).map(message).collect()
    }
}

/// The subject of a change between two snapshots.
#[derive(Clone, Copy)]
enum StreamSubject {
    Band,
    Status,
    /// Whether the composite is on alert.
    Composite,
    /// Whether this pillar is on alert.
    Pillar(Pillar),
}

impl StreamSubject {
    const ALL: [StreamSubject; 7] = [
        StreamSubject::Band,
        StreamSubject::Status,
        StreamSubject::Composite,
        StreamSubject::Pillar(Pillar::Conflict),
        StreamSubject::Pillar(Pillar::Cyber),
        StreamSubject::Pillar(Pillar::SupplyChain),
        StreamSubject::Pillar(Pillar::Macro),
    ];

    fn kind(self) -> Cow<'static, str> {
        match self {
            StreamSubject::Band => "band".into(),
            StreamSubject::Status => "status".into(),
            StreamSubject::Composite => "alert:composite".into(),
            StreamSubject::Pillar(pillar) => format!("alert:{pillar}").into(),
        }
    }

    fn value(self, snapshot: &Snapshot) -> &'static str {
        match self {
            StreamSubject::Band => snapshot.band.key(),
            StreamSubject::Status => snapshot.status.key(),
            StreamSubject::Composite => on_or_off(snapshot, "composite"),
            StreamSubject::Pillar(pillar) => on_or_off(snapshot, pillar.key()),
        }
    }

    /// Finds the alert that began or ended with the change. When one band replaces another, that of the new band.
    fn alert(self, alerts: &[Alert]) -> Option<&Alert> {
        let (rule, subject) = match self {
            StreamSubject::Band => (AlertRuleKind::Band, "global"),
            StreamSubject::Status => return None,
            StreamSubject::Composite => (AlertRuleKind::Score, "global"),
            StreamSubject::Pillar(pillar) => (AlertRuleKind::Score, pillar.key()),
        };
        let mine = || alerts.iter().filter(|a| a.rule == rule && a.subject == subject);
        mine().find(|a| a.is_active()).or_else(|| mine().next())
    }
}

fn on_or_off(snapshot: &Snapshot, subject: &str) -> &'static str {
    if snapshot.alerts.iter().any(|a| a.subject == subject) { "on" } else { "off" }
}
