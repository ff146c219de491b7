//! Parameters with the bounds the parsers enforce.

use crate::cursor::TEXT_LENGTH;
use crate::params::{BBOX_PATTERN, DEFAULT_LIMIT, MAX_LIMIT, MAX_REPEATS, MAX_TEXT, TAG_PATTERN};
use crate::resources::events::FORMATS;
use crate::resources::history::STEPS;
use gsi_model::{Category, CountryCode, EventStatus, Pillar};
use serde_json::{Value, json};

pub fn describe(name: &str) -> Value {
    let time = |description: &str| {
        let schema = json!({ "type": "string", "format": "date-time", "example": "2026-11-14T23:45:00Z" });
        query(name, description, schema)
    };
    let any_of = |description: &str, item: Value| {
        let schema = json!({ "type": "array", "items": item, "maxItems": MAX_REPEATS });
        let mut parameter = query(name, description, schema);
        parameter["style"] = json!("form");
        parameter["explode"] = json!(true);
        parameter
    };
    match name {
        "pillar" => {
            path(name, "The pillar.", json!({ "type": "string", "enum": Pillar::ALL.map(Pillar::key) }))
        }
        "event_id" => {
            path("id", "The event.", json!({ "type": "string", "pattern": "^evt_[0-9A-HJKMNP-TV-Z]{26}$" }))
        }
        "briefing_id" => path(
            "id",
            "The briefing.",
            json!({ "type": "string", "pattern": "^brf_[0-9A-HJKMNP-TV-Z]{26}$" }),
        ),
        "snapshot_id" => path(
            "id",
            "The snapshot.",
            json!({ "type": "string", "pattern": "^snp_[0-9A-HJKMNP-TV-Z]{26}$" }),
        ),
        "as_of" => {
            time("Answer as it was published at this time. Nothing published then: 404 `no_snapshot`.")
        }
        "since" => time("From this time on, inclusive; must come before `until`."),
        "until" => time("Up to this time, exclusive."),
        "from" => {
            time("From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.")
        }
        "to" => time("Up to this time, exclusive. Default: just after the newest tick."),
        "step" => {
            query(name, "Width of a bucket.", json!({ "type": "string", "enum": STEPS, "default": STEPS[0] }))
        }
        "format" => query(
            name,
            "The form of the answer.",
            json!({ "type": "string", "enum": FORMATS, "default": FORMATS[0] }),
        ),
        "limit" => query(
            name,
            "Entries per page.",
            json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT }),
        ),
        "cursor" => query(
            name,
            "The `next_cursor` of the previous page, with the same filters.",
            json!({ "type": "string", "pattern": format!("^[A-Za-z0-9_-]{{{TEXT_LENGTH}}}$") }),
        ),
        "category" => any_of(
            "Any of these categories.",
            json!({ "type": "string", "enum": Category::ALL.map(Category::key) }),
        ),
        "country" => {
            let codes: Vec<String> = CountryCode::all().iter().map(|c| c.to_string()).collect();
            any_of("Any of these countries, ISO 3166-1 alpha-2.", json!({ "type": "string", "enum": codes }))
        }
        "status" => any_of(
            "Any of these statuses. Default: confirmed and reported.",
            json!({ "type": "string", "enum": EventStatus::ALL.map(EventStatus::key) }),
        ),
        "tag" => any_of("Any of these tags.", json!({ "type": "string", "pattern": TAG_PATTERN })),
        "actor" => query(
            name,
            "Part of an actor label, in any case.",
            json!({
                "type": "string", "minLength": 1, "maxLength": MAX_TEXT,
                "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", "example": "military",
            }),
        ),
        "min_escalation" => {
            query(name, "This escalation or more.", json!({ "type": "number", "minimum": 0, "maximum": 1 }))
        }
        "bbox" => query(
            name,
            "west,south,east,north in degrees, south not above north; west above east crosses the antimeridian.",
            json!({ "type": "string", "pattern": BBOX_PATTERN, "example": "22.1,44.3,40.2,52.4" }),
        ),
        other => unreachable_parameter(other),
    }
}

/// A name in the table of operations that is not described: shows up in the document and fails its tests.
fn unreachable_parameter(name: &str) -> Value {
    query(name, "", Value::Bool(false))
}

fn query(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": false, "description": description, "schema": schema })
}

fn path(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}
