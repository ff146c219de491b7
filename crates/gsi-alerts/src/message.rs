//! The messages to hooks: the body of a message is the same bytes however often it is sent.

use gsi_model::{
    Alert, Briefing, Hook, HookMessage, HookMessageKind, HookTopic, MessageId, Pillar, Snapshot,
    round_half_away, shown_change,
};
use serde_json::{Map, Value, json};

/// The news of a tick for hooks.
pub struct HookNews<'a> {
    pub snapshot: &'a Snapshot,
    /// Alerts that began and ended by the public rules.
    pub alerts: &'a [Alert],
    pub briefings: &'a [Briefing],
}

/// The messages of a tick to one hook. A hook with its own rule gets `own`, which began or ended by that rule,
/// instead of the public alerts, and gets briefings and snapshots only while the rule `holds`.
pub fn messages_to(hook: &Hook, news: &HookNews<'_>, own: Option<&Alert>, holds: bool) -> Vec<HookMessage> {
    let wants = |topic: HookTopic| hook.topics.contains(&topic);
    let has_rule = hook.when.is_some();
    let mut messages = Vec::new();
    let mut add = |kind: HookMessageKind, about: &str, data: Value| {
        let tick = news.snapshot.tick;
        let body =
            json!({ "type": kind, "timestamp": tick, "simulated": news.snapshot.simulated, "data": data })
                .to_string();
        // An id always has the same content, even where a tick was withdrawn and repeated.
        let identity = format!("{} {kind} {about} {body}", hook.name);
        messages.push(HookMessage {
            hook: hook.name.clone(),
            id: MessageId::derive(identity.as_bytes()).to_string(),
            kind,
            body,
        });
    };
    if wants(HookTopic::Alert) {
        let alerts = if has_rule { own.as_slice() } else { &[] };
        let theirs: Vec<&Alert> = if has_rule { alerts.to_vec() } else { news.alerts.iter().collect() };
        for alert in theirs {
            // An alert that ends as it begins is sent once.
            let kind = match alert.ended_at {
                Some(end) if end > alert.began_at => HookMessageKind::AlertEnded,
                _ => HookMessageKind::AlertBegan,
            };
            add(kind, alert.id.as_str(), alert_document(alert));
        }
    }
    if wants(HookTopic::Briefing) && (!has_rule || holds) {
        for briefing in news.briefings {
            add(HookMessageKind::BriefingPublished, briefing.id.as_str(), briefing_document(briefing));
        }
    }
    if wants(HookTopic::Snapshot) && (!has_rule || holds) {
        add(HookMessageKind::SnapshotPublished, news.snapshot.id.as_str(), snapshot_document(news.snapshot));
    }
    messages
}

/// An alert in the form that readers get everywhere.
pub fn alert_document(alert: &Alert) -> Value {
    let decimals = if alert.rule == gsi_model::AlertRuleKind::Event { 2 } else { 1 };
    let shown = |x: Option<f64>| x.map(|x| round_half_away(x, decimals));
    json!({
        "id": alert.id,
        "rule": alert.rule,
        "state": if alert.is_active() { "active" } else { "ended" },
        "subject": alert.subject,
        "country": alert.country.map(|c| c.as_str().to_owned()),
        "began_at": alert.began_at,
        "ended_at": alert.ended_at,
        "value": shown(alert.value),
        "threshold": shown(alert.threshold),
        "headline": alert.headline,
        "snapshot": alert.snapshot,
        "about": alert.about,
    })
}

fn briefing_document(briefing: &Briefing) -> Value {
    json!({
        "id": briefing.id, "subject": briefing.subject, "headline": briefing.headline, "summary": briefing.summary,
        "tags": briefing.tags, "published_at": briefing.published_at,
    })
}

fn snapshot_document(snapshot: &Snapshot) -> Value {
    let shown = |score: f64| json!(round_half_away(score, 1));
    let pillars: Map<String, Value> = Pillar::ALL
        .into_iter()
        .filter_map(|pillar| Some((pillar.key().to_owned(), shown(snapshot.pillar(pillar)?.score))))
        .collect();
    json!({
        "id": snapshot.id, "as_of": snapshot.tick, "score": shown(snapshot.score), "band": snapshot.band,
        "trend": snapshot.trend, "pillars": pillars, "status": snapshot.status,
        "delta_24h": snapshot.delta_24h.map(|change| shown_change(snapshot.score, change)),
    })
}
