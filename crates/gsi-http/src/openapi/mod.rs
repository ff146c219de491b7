//! The OpenAPI document, made from the wire types and from the same constants that the handlers check against, so
//! that the document cannot promise what the code refuses.

pub mod compare;
mod operations;
mod parameters;
mod stream;

use crate::problem::{ParameterProblem, Problem};
use crate::wire::{self, briefings, events, explain, history, scores, service};
use operations::{Form, OPERATIONS, Operation};
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

/// The schemas of all bodies.
#[derive(OpenApi)]
#[openapi(components(schemas(
    scores::Overview,
    scores::PillarDrilldown,
    scores::SummaryBody,
    events::EventPage,
    events::EventFeatures,
    events::EventDetail,
    briefings::BriefingPage,
    briefings::BriefingDetail,
    explain::Explanation,
    history::History,
    service::Feeds,
    service::KeySelf,
    wire::stream::StreamSnapshot,
    wire::stream::StreamAlert,
    wire::stream::StreamFeeds,
    wire::stream::StreamTick,
    wire::stream::StreamReset,
    Problem,
    ParameterProblem,
)))]
struct Schemas;

/// The whole document.
pub fn document() -> Value {
    let schemas = serde_json::to_value(Schemas::openapi())
        .ok()
        .and_then(|mut all| all.pointer_mut("/components/schemas").map(Value::take))
        .unwrap_or_default();
    let mut paths = Map::new();
    for operation in OPERATIONS {
        paths.insert(operation.path.to_owned(), json!({ "get": get(operation) }));
    }
    paths.insert("/stream".to_owned(), stream::path());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Global Stability Intelligence",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "A composite global stability score, its pillars, conflict events, briefings and summaries.",
            "description": DESCRIPTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "This service" }],
        "security": [{ "bearer": [] }],
        "tags": [
            { "name": "scores", "description": "The composite, its pillars, and how they come about. Scope `scores:read`." },
            { "name": "events", "description": "Conflict events. Scope `events:read`." },
            { "name": "briefings", "description": "Daily briefings. Scope `briefings:read`." },
            { "name": "service", "description": "The service itself: method, feeds, the caller's key." },
        ],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": problem_responses(),
            "headers": headers(),
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "gsi_<id>_<secret>",
                    "description": "An API key, in exactly one Authorization header.",
                },
            },
        },
    })
}

const DESCRIPTION: &str = "Read-only. A lower score means more stable. Snapshots are published every quarter of an hour; \
answers say which tick they refer to and how long they stay current. Numbers are plain decimals; times are UTC with a \
trailing Z. Problems are RFC 9457. A parameter that is not declared is refused, never ignored. Fields and values are \
only added; clients should tolerate new event categories and tags.";

fn get(operation: &Operation) -> Value {
    let mut responses = Map::new();
    responses.insert("200".into(), success(operation));
    responses.insert("304".into(), not_modified());
    for (status, name) in PROBLEMS {
        let needed = match *status {
            400 => true,
            403 => operation.scope.is_some(),
            404 => operation.may_be_missing,
            _ => true,
        };
        if needed {
            responses.insert(status.to_string(), json!({ "$ref": format!("#/components/responses/{name}") }));
        }
    }
    let description = match operation.scope {
        Some(scope) => format!("{} Needs the scope `{}`.", operation.description, scope.key()),
        None => operation.description.to_owned(),
    };
    json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": description,
        "tags": [operation.tag],
        "parameters": operation.parameters.iter().map(|p| parameters::describe(p)).collect::<Vec<_>>(),
        "responses": responses,
    })
}

fn success(operation: &Operation) -> Value {
    let mut content = Map::new();
    for form in operation.forms {
        let (kind, schema) = match form {
            Form::Json(name) => {
                ("application/json", json!({ "$ref": format!("#/components/schemas/{name}") }))
            }
            Form::GeoJson(name) => {
                ("application/geo+json", json!({ "$ref": format!("#/components/schemas/{name}") }))
            }
            Form::AnyObject => ("application/json", json!({ "type": "object" })),
        };
        content.insert(kind.to_owned(), json!({ "schema": schema }));
    }
    let mut names = vec![
        "ETag",
        "Last-Modified",
        "Cache-Control",
        "Vary",
        "RateLimit",
        "RateLimit-Policy",
        "X-Request-Id",
    ];
    if operation.has_status {
        names.push("GSI-Data-Status");
    }
    if operation.is_list {
        names.push("Link");
    }
    names.push("GSI-Simulated");
    json!({ "description": operation.answer, "headers": refer(&names), "content": content })
}

fn not_modified() -> Value {
    json!({
        "description": "The caller already has this answer.",
        "headers": refer(&["ETag", "Cache-Control", "Vary", "RateLimit", "RateLimit-Policy", "X-Request-Id"]),
    })
}

fn refer(names: &[&str]) -> Value {
    let entry = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(names.iter().map(entry).collect())
}

/// Status and the name of the shared response.
const PROBLEMS: &[(u16, &str)] = &[
    (400, "BadRequest"),
    (401, "Unauthorized"),
    (403, "Forbidden"),
    (404, "NotFound"),
    (405, "MethodNotAllowed"),
    (406, "NotAcceptable"),
    (413, "BodyNotAllowed"),
    (414, "UriTooLong"),
    (429, "RateLimited"),
    (431, "HeadersTooLarge"),
    (500, "Internal"),
    (503, "Unavailable"),
];

fn problem_responses() -> Value {
    let mut all = Map::new();
    for (status, name) in PROBLEMS {
        let (description, extra): (&str, &[&str]) = match status {
            400 => ("`invalid_parameter`, `invalid_cursor` or `bad_request`.", &[]),
            401 => (
                "`missing_credentials`, `invalid_credentials` or `expired_credentials`.",
                &["WWW-Authenticate"],
            ),
            403 => ("`insufficient_scope`.", &["WWW-Authenticate"]),
            404 => ("`not_found`, `unknown_pillar`, or `no_snapshot` for a time before the first.", &[]),
            405 => ("`method_not_allowed`.", &["Allow"]),
            406 => ("`not_acceptable`.", &[]),
            413 => ("`body_not_allowed`.", &[]),
            414 => ("`uri_too_long`.", &[]),
            429 => ("`rate_limited`.", &["Retry-After"]),
            431 => ("`headers_too_large`.", &[]),
            503 => ("`no_snapshot` before the first publication, or `overloaded`.", &["Retry-After"]),
            _ => ("`internal`.", &[]),
        };
        let mut names = vec!["X-Request-Id"];
        names.extend(extra);
        all.insert(
            (*name).to_owned(),
            json!({
                "description": description,
                "headers": refer(&names),
                "content": {
                    "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } }
                },
            }),
        );
    }
    Value::Object(all)
}

fn headers() -> Value {
    let header = |description: &str, required: bool, schema: Value| json!({ "description": description, "required": required, "schema": schema });
    let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    json!({
        "ETag": header("Strong validator of this representation.", true, text("^\"[0-9a-z-]+\"$")),
        "Last-Modified": header("The tick the answer refers to, or when it was made.", true, json!({ "type": "string" })),
        "Cache-Control": header("Current until the next tick.", true, text("^private, max-age=[0-9]+$")),
        "Vary": header("What the answer depends on.", true, json!({ "type": "string" })),
        "RateLimit": header("What is left of the quota, and seconds until it is full again.", true, text("^\"[a-z]+\";r=[0-9]+;t=[0-9]+$")),
        "RateLimit-Policy": header("The quota.", true, json!({ "type": "string" })),
        "X-Request-Id": header("Identifies the request in the service's log.", true, text("^[0-9a-f]{16}$")),
        "GSI-Data-Status": header("Whether the data behind the answer are complete and fresh.", true, json!({ "type": "string", "enum": ["ok", "degraded", "stale"] })),
        "GSI-Simulated": header("Present when the data come from the simulated world.", false, text("^true$")),
        "Link": header("The next page, when there is one.", false, json!({ "type": "string" })),
        "WWW-Authenticate": header("How to authenticate.", true, text("^Bearer ")),
        "Allow": header("The methods that are allowed.", true, json!({ "type": "string" })),
        "Retry-After": header("Seconds to wait.", true, json!({ "type": "integer", "minimum": 1 })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_resolves_and_every_component_is_used() {
        let document = document();
        let text = document.to_string();
        let mut references = std::collections::BTreeSet::new();
        collect(&document, &mut references);
        for reference in &references {
            let pointer = reference.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
        }
        for kind in ["schemas", "responses", "headers"] {
            for name in document["components"][kind].as_object().unwrap().keys() {
                let reference = format!("#/components/{kind}/{name}");
                assert!(references.contains(&reference), "{reference} is not used");
            }
        }
        assert!(!text.contains("example.com"));
    }

    fn collect(value: &Value, found: &mut std::collections::BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                    found.insert(reference.to_owned());
                }
                map.values().for_each(|v| collect(v, found));
            }
            Value::Array(list) => list.iter().for_each(|v| collect(v, found)),
            _ => {}
        }
    }

    #[test]
    fn objects_are_closed() {
        let document = document();
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            if schema["type"] == "object" {
                assert_eq!(schema["additionalProperties"], false, "{name} is open");
            }
        }
    }

    #[test]
    fn every_route_is_documented() {
        use crate::router::Route;
        for operation in OPERATIONS {
            let path = operation.path.replace("{pillar}", "macro").replace("{id}", "x");
            let route = Route::find(&path).unwrap_or_else(|| panic!("{path} is not served"));
            assert_eq!(route.scope(), operation.scope, "{path}");
        }
        assert_eq!(OPERATIONS.len(), 14, "as many as the router knows");
    }
}
