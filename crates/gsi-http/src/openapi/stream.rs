//! The stream in the document. OpenAPI 3.1 has no words for a sequence of messages, so they are listed in an
//! extension, each with the schema of its data.

use super::{PROBLEMS, refer};
use crate::settings::{STREAM_EVENTS_PER_TICK, STREAM_HEARTBEAT, STREAMS_PER_KEY};
use serde_json::{Map, Value, json};

/// Name, the scope it needs, the schema of its data, and when it is sent.
const MESSAGES: [(&str, Option<&str>, &str, &str); 7] = [
    ("snapshot", Some("scores:read"), "StreamSnapshot", "A snapshot was published."),
    ("alert", Some("scores:read"), "StreamAlert", "The band or the state of the data changed."),
    ("feeds", Some("scores:read"), "StreamFeeds", "The standing of a feed changed."),
    ("event", Some("events:read"), "ConflictEvent", "A conflict event is new or has changed."),
    ("briefing", Some("briefings:read"), "BriefingBody", "A briefing was published."),
    ("tick", None, "StreamTick", "Everything of a tick has been said. Carries the id."),
    ("reset", None, "StreamReset", "Messages were missed that are no longer kept."),
];

/// Statuses that the stream can answer with beside 200.
const REFUSALS: [u16; 10] = [400, 401, 405, 406, 413, 414, 429, 431, 500, 503];

pub fn path() -> Value {
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
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({
            "description": "The stream, for as long as both sides keep it open.",
            "headers": refer(&["RateLimit", "RateLimit-Policy", "X-Request-Id", "GSI-Simulated"]),
            "content": { "text/event-stream": { "schema": schema, "x-messages": messages } },
        }),
    );
    for (status, name) in PROBLEMS.iter().filter(|(status, _)| REFUSALS.contains(status)) {
        responses.insert(status.to_string(), json!({ "$ref": format!("#/components/responses/{name}") }));
    }
    json!({ "get": {
        "operationId": "stream",
        "summary": "What is published, while it is published",
        "description": description(),
        "tags": ["service"],
        "parameters": [{
            "name": "Last-Event-ID",
            "in": "header",
            "required": false,
            "description": "The last id received. What followed it is sent, or `reset` when that is no longer kept.",
            "schema": { "type": "string", "pattern": "^[0-9]{1,12}$" },
        }],
        "responses": responses,
    }})
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
