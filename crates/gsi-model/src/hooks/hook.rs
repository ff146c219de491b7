//! Hooks: the receivers, subjects and form of an operator's notifications, and the queued messages.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

closed_set! {
    /// The subjects that a hook is notified about.
    HookTopic {
        Alert = "alert",
        Briefing = "briefing",
        Snapshot = "snapshot",
    }
}

closed_set! {
    HookFormat {
        /// JSON with the headers of Standard Webhooks.
        Webhook = "webhook",
        /// The form of Slack and similar services: one line of text.
        Slack = "slack",
        Email = "email",
    }
}

closed_set! {
    HookState {
        On = "on",
        /// No new messages are addressed to it, and queued ones keep waiting.
        Paused = "paused",
        /// Ended by the operator.
        Revoked = "revoked",
        /// Ended by its receiver, who answered 410.
        Gone = "gone",
    }
}

/// Set by an operator on the command line.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    pub name: String,
    /// `https://…`, or `mailto:…` for mail.
    pub url: String,
    pub topics: Vec<HookTopic>,
    /// The text of the hook's own rule.
    pub when: Option<String>,
    pub format: HookFormat,
    pub state: HookState,
    /// `whsec_…`, the newest first. An older one signs as well until its time is over.
    pub secrets: Vec<HookSecret>,
    pub created_at: Timestamp,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSecret {
    pub text: String,
    /// In real time, which receivers use.
    pub until: Option<Timestamp>,
}

/// Leaves out the secrets, because logs use this form.
impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Hook { name, topics, when, format, state, .. } = self;
        write!(f, "hook {name} ({format}, {state}, {topics:?}, when {when:?})")
    }
}

closed_set! {
    /// The kind of a message: the `type` in the document that is sent.
    HookMessageKind {
        AlertBegan = "alert.began",
        AlertEnded = "alert.ended",
        BriefingPublished = "briefing.published",
        SnapshotPublished = "snapshot.published",
        /// An operator's test of the hook.
        Test = "hook.test",
    }
}

closed_set! {
    DeliveryState {
        Waiting = "waiting",
        Delivered = "delivered",
        /// Refused or too old. An operator can have it sent again.
        Parked = "parked",
        /// A newer snapshot came before it was sent.
        Replaced = "replaced",
        /// Its hook ended first.
        Dropped = "dropped",
    }
}

/// One message to one hook. Its content never changes; only the state of its delivery does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The number that the store assigned. Messages to a hook are sent in this order.
    pub number: i64,
    pub hook: String,
    /// `msg_…`, from which the receiver recognises repetitions.
    pub message: String,
    pub tick: Timestamp,
    pub kind: HookMessageKind,
    /// The JSON that a webhook receives; other forms are made from it.
    pub body: String,
    pub state: DeliveryState,
    /// The real time of its tick's commit, or of the operator's request to send it again.
    pub waiting_since: Timestamp,
    /// The real time before which it is not sent.
    pub next_try_at: Timestamp,
    pub tries: Vec<DeliveryTry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryTry {
    pub at: Timestamp,
    /// `204`, `timed out`, `refused: a private address` …
    pub result: String,
    /// Whether the receiver would refuse this message in every later attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

/// A message that a tick addresses to a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookMessage {
    pub hook: String,
    pub id: String,
    pub kind: HookMessageKind,
    pub body: String,
}

/// The alert that holds by a hook's own rule, as of a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct HookRuleState {
    pub hook: String,
    pub holds: Option<crate::Alert>,
}
