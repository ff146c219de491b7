//! The messages to hooks, as the document's `webhooks`.

use gsi_model::HookMessageKind;
use serde_json::{Map, Value, json};

/// Type of the message, schema of its `data`, and when it is sent.
const MESSAGES: [(HookMessageKind, &str, &str); 5] = [
    (
        HookMessageKind::AlertBegan,
        "Alert",
        "An alert began, by the rules that everybody gets or by the hook's own.",
    ),
    (HookMessageKind::AlertEnded, "Alert", "An alert is over."),
    (HookMessageKind::BriefingPublished, "HookBriefing", "A briefing was published."),
    (HookMessageKind::SnapshotPublished, "HookSnapshot", "A snapshot was published."),
    (HookMessageKind::Test, "HookTest", "The operator tries the hook. Nothing has happened."),
];

const DESCRIPTION: &str = "Sent to the hooks that an operator sets with `gsi hook create`, signed as the Standard Webhooks \
specification says; verify it with that project's libraries. At least once, in order for each hook; the same `webhook-id` \
always has the same body. Anything but a success is tried again with growing pauses, at most three times if the answer is a 4xx \
other than 408, 425 and 429; 410 ends the hook. A snapshot that was not accepted is not sent any more after a newer one is published.";

pub fn webhooks() -> Value {
    let webhook = |(kind, schema, when): &(HookMessageKind, &str, &str)| {
        let kind = kind.key();
        let operation = json!({
            "operationId": operation_id(kind),
            "summary": when,
            "description": DESCRIPTION,
            "tags": ["alerts"],
            "security": [],
            "parameters": [
                header("webhook-id", "The same for every try.", "^msg_[0-9A-HJKMNP-TV-Z]{26}$"),
                header("webhook-timestamp", "When it was sent, in seconds since 1970.", "^[0-9]+$"),
                header("webhook-signature", "One or, while a secret is rotated, several signatures.", "^v1,"),
            ],
            "requestBody": { "required": true, "content": { "application/json": { "schema": body(kind, schema) } } },
            "responses": {
                "2XX": { "description": "Taken." },
                "410": { "description": "Gone: the hook is not called again." },
                "4XX": { "description": "Not taken; it is sent again." },
            },
        });
        (kind.to_owned(), json!({ "post": operation }))
    };
    Value::Object(MESSAGES.iter().map(webhook).collect::<Map<_, _>>())
}

fn operation_id(kind: &str) -> String {
    let mut words = kind.split('.');
    let first = words.next().unwrap_or_default();
    let rest = words.map(|word| word[..1].to_uppercase() + &word[1..]);
    format!("{first}{}", rest.collect::<String>())
}

fn header(name: &str, description: &str, pattern: &str) -> Value {
    let schema = json!({ "type": "string", "pattern": pattern, "maxLength": 512 });
    json!({ "name": name, "in": "header", "required": true, "description": description, "schema": schema })
}

fn body(kind: &str, schema: &str) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["type", "timestamp", "simulated", "data"],
        "properties": {
            "type": { "type": "string", "enum": [kind] },
            "timestamp": { "type": "string", "format": "date-time", "description": "The tick." },
            "simulated": { "type": "boolean", "description": "From the simulated world." },
            "data": { "$ref": format!("#/components/schemas/{schema}") },
        },
    })
}
