//! An alert: a rule that holds for a subject from one time to another.

use crate::{AlertId, CountryCode, SnapshotId, Timestamp};
use serde::{Deserialize, Serialize};

closed_set! {
    /// What an alert's rule watches. `own` is a rule that an operator set for one hook.
    AlertRuleKind {
        /// A score that is high and well above its own past.
        Score = "score",
        /// The score is in one of the upper bands.
        Band = "band",
        /// A confirmed event is grave.
        Event = "event",
        /// A feed is stale.
        Feed = "feed",
        /// A briefing was published: the alert ends as it begins.
        Briefing = "briefing",
        /// A rule that an operator set for a hook. Only that hook is notified.
        Own = "own",
    }
}

impl AlertRuleKind {
    /// The rules whose alerts are published.
    pub const PUBLIC: [AlertRuleKind; 5] = [
        AlertRuleKind::Score,
        AlertRuleKind::Band,
        AlertRuleKind::Event,
        AlertRuleKind::Feed,
        AlertRuleKind::Briefing,
    ];
}

/// An alert, published when it begins and again when it ends. Nothing else about it changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    pub id: AlertId,
    pub rule: AlertRuleKind,
    /// `global`, a pillar's key, `country:ua`, `feed:gdelt`, or a briefing's subject.
    pub subject: String,
    pub country: Option<CountryCode>,
    pub began_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// The value measured when it began, and the limit it was compared with.
    pub value: Option<f64>,
    pub threshold: Option<f64>,
    pub headline: String,
    /// Published with the tick at which it began.
    pub snapshot: SnapshotId,
    /// The event or the briefing that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Alert {
    /// Returns the id of an alert that began for this subject at this time. `about` distinguishes two events of one country.
    pub fn id_of(
        rule: AlertRuleKind,
        subject: &str,
        about: Option<&str>,
        threshold: Option<f64>,
        began_at: Timestamp,
    ) -> AlertId {
        let threshold = threshold.map(|t| t.to_string()).unwrap_or_default();
        let about = about.unwrap_or_default();
        AlertId::derive(format!("{rule} {subject} {about} {threshold} {}", began_at.unix()).as_bytes())
    }

    pub fn is_active(&self) -> bool {
        self.ended_at.is_none()
    }

    /// Returns the same alert, ended at `tick`.
    pub fn ended(&self, tick: Timestamp) -> Alert {
        Alert { ended_at: Some(tick), ..self.clone() }
    }
}
