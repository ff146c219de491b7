//! A hook: where an operator wants to be told, of what, and in which form; and what is on its way there.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

closed_set! {
    /// What a hook is told of.
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
        /// What Slack and its likes take: one line of text.
        Slack = "slack",
        Email = "email",
    }
}

closed_set! {
    HookState {
        On = "on",
        /// Nothing new is addressed to it, and what waits goes on waiting.
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
    /// A rule of its own, as it was written.
    pub when: Option<String>,
    pub format: HookFormat,
    pub state: HookState,
    /// `whsec_…`, the newest first; an older one signs as well until its time is over.
    pub secrets: Vec<HookSecret>,
    pub created_at: Timestamp,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSecret {
    pub text: String,
    /// In seconds of the real time, because receivers live in that.
    pub until: Option<Timestamp>,
}

/// Without its secrets: this is what is logged.
impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Hook { name, topics, when, format, state, .. } = self;
        write!(f, "hook {name} ({format}, {state}, {topics:?}, when {when:?})")
    }
}

closed_set! {
    /// What a message says: its `type` in the document that is sent.
    HookMessageKind {
        AlertBegan = "alert.began",
        AlertEnded = "alert.ended",
        BriefingPublished = "briefing.published",
        SnapshotPublished = "snapshot.published",
        /// An operator tries the hook.
        Test = "hook.test",
    }
}

closed_set! {
    DeliveryState {
        Waiting = "waiting",
        Delivered = "delivered",
        /// Three days of trying were not enough.
        Parked = "parked",
        /// Its hook ended first.
        Dropped = "dropped",
    }
}

/// One message to one hook. What it says never changes; only what came of sending it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The store's own number; a hook is told in this order.
    pub number: i64,
    pub hook: String,
    /// `msg_…`: the receiver tells repetitions by it.
    pub message: String,
    pub tick: Timestamp,
    pub kind: HookMessageKind,
    /// The JSON that a webhook is sent; other forms are made from it.
    pub body: String,
    pub state: DeliveryState,
    /// Not before this time of the real world.
    pub next_try_at: Timestamp,
    pub tries: Vec<DeliveryTry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryTry {
    pub at: Timestamp,
    /// `204`, `timed out`, `refused: a private address` …
    pub result: String,
}

/// A message that a tick addresses to a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookMessage {
    pub hook: String,
    pub id: String,
    pub kind: HookMessageKind,
    pub body: String,
}

/// Since when a hook's own rule holds, after a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct HookRuleState {
    pub hook: String,
    pub holds: Option<crate::Alert>,
}
