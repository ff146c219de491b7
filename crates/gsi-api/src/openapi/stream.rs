//! The stream in the document. OpenAPI 3.1 cannot describe a sequence of messages, so an extension lists them with the
//! schemas of their data.

use super::refer;
use crate::settings::{STREAM_EVENTS_PER_TICK, STREAM_HEARTBEAT, STREAMS_PER_KEY};
use serde_json::{Map, Value, json};

/// Name, required scope, schema of the data, and when it is sent.
const MESSAGES: [(&str, Option<&str>, &str, &str); 7] = [
    ("snapshot", Some("scores:read"), "StreamSnapshot", "A snapshot was published."),
    (
        "alert",
        Some("scores:read"),
        "StreamAlert",
        "The band or the state of the data changed, or an alert began or ended.",
    ),
    ("feeds", Some("scores:read"), "StreamFeeds", "The standing of a feed changed."),
    ("event", Some("events:read"), "ConflictEvent", "A conflict event is new or has changed."),
    ("briefing", Some("briefings:read"), "BriefingBody", "A briefing was published."),
    ("tick", None, "StreamTick", "Everything of a tick has been said. Carries the id."),
    ("reset", None, "StreamReset", "Messages were missed that are no longer kept."),
];

/// Statuses that the stream can answer with besides 200.
const REFUSALS: [u16; 10] = [400, 401, 405, 406, 413, 414, 429, 431, 500, 503];

pub const PATH: &str = "/stream";

/// Replaces the text body that the handler declares by the messages.
pub fn complete(operation: &mut Value) {
    let messages: Map<String, Value> = MESSAGES
        .iter()
        .map(|(name, scope, schema, when)| {
            let data = json!({ "$ref": format!("#/components/schemas/{schema}") });
            ((*name).to_owned(), json!({ "description": when, "scope": scope, "data": data }))
        })
        .collect();
    let data: Vec<&Value> = messages.values().map(|message| &message["data"]).collect();
    let schema = json!({
        "type": "string",
        "description": "Messages; the data of each is JSON.",
        "contentMediaType": "application/json",
        "contentSchema": { "anyOf": data },
    });
    operation["description"] = json!(description());
    // A header may be absent but never null.
    operation["parameters"][0]["schema"]["type"] = json!("string");
    let responses = operation["responses"].as_object_mut();
    let Some(responses) = responses else { return };
    responses.retain(|status, _| status == "200" || status.parse().is_ok_and(|s| REFUSALS.contains(&s)));
    let success = &mut responses["200"];
    success["headers"] = refer(&[
        "RateLimit",
        "RateLimit-Policy",
        "X-Request-Id",
        "GSI-Simulated",
        "Access-Control-Allow-Origin",
    ]);
    success["content"] = json!({ "text/event-stream": { "schema": schema, "x-messages": messages } });
}

fn description() -> String {
    format!(
        "Server-sent events with JSON data. Any valid key may subscribe; it is sent what its scopes cover. A new \
         subscriber is told how things stand, then everything as it is published: at least once, in order. A tick \
         sends at most {STREAM_EVENTS_PER_TICK} events, the worst first. A comment comes after {} seconds of \
         silence. A key may hold {STREAMS_PER_KEY} streams. A subscriber that reads too slowly gets `reset`, and is \
         cut off when it does not read at all.",
        STREAM_HEARTBEAT.as_secs(),
    )
}
