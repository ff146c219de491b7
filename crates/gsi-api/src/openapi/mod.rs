//! The OpenAPI document, made from the wire types and the constants that handlers check against, so that it does not
//! promise what the code refuses.

mod hook_bodies;
mod json_first;
mod plain;
mod samples;
mod stream;
mod webhooks;

use crate::auth::endpoint::Endpoint;
use crate::problem::ProblemBody;
use crate::representation::json_bytes;
use bytes::Bytes;
use json_first::JsonFirst;
pub use plain::reference;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

/// Schemas that no handler names: those of problems and of the messages on the stream and to hooks.
#[derive(OpenApi)]
#[openapi(components(schemas(
    crate::stream::body::StreamSnapshot,
    crate::resources::alerts::stream::StreamAlert,
    crate::stream::body::StreamFeeds,
    crate::stream::body::StreamTick,
    crate::stream::body::StreamReset,
    hook_bodies::HookBriefing,
    hook_bodies::HookSnapshot,
    hook_bodies::HookTest,
    ProblemBody,
)))]
struct MoreSchemas;

/// The whole document.
pub fn document() -> Value {
    let endpoints = crate::resources::all();
    let list = endpoints.list.clone();
    let mut declared = endpoints.into_openapi();
    declared.merge(MoreSchemas::openapi());
    let mut declared = serde_json::to_value(declared).unwrap_or_default();
    for endpoint in &list {
        complete(&mut declared["paths"][&endpoint.path]["get"], endpoint);
    }
    stream::complete(&mut declared["paths"][stream::PATH]["get"]);
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
            { "name": "countries", "description": "Countries by the same method, one level down. Scope `scores:read`." },
            { "name": "events", "description": "Conflict events. Scope `events:read`." },
            { "name": "briefings", "description": "Daily briefings. Scope `briefings:read`." },
            { "name": "alerts", "description": "What is on alert, and what was. Scope `alerts:read`." },
            { "name": "service", "description": "The service itself: method, feeds, the caller's key." },
        ],
        "paths": declared["paths"],
        "webhooks": webhooks::webhooks(),
        "components": {
            "schemas": declared["components"]["schemas"],
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

/// The document as bytes to serve.
pub fn bytes() -> Bytes {
    json_bytes(&JsonFirst(&document()))
}

/// The document with line breaks, for people.
pub fn pretty() -> String {
    serde_json::to_string_pretty(&JsonFirst(&document())).unwrap_or_default()
}

const DESCRIPTION: &str = "Read-only. A lower score means more stable. Snapshots are published every quarter of an hour; \
answers say which tick they refer to and how long they stay current. Numbers are plain decimals; times are UTC with a \
trailing Z. Problems are RFC 9457. A parameter that is not declared is refused, never ignored. Fields and values are \
only added; clients should tolerate new event categories and tags.";

/// Adds to an operation what follows from its endpoint: the scope in words, the headers of its answers, and its
/// possible problems.
fn complete(operation: &mut Value, endpoint: &Endpoint) {
    if let Some(scope) = endpoint.access.scope() {
        let description = operation["description"].as_str().unwrap_or_default();
        operation["description"] = json!(format!("{description} Needs the scope `{}`.", scope.key()));
    }
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    operation["parameters"] = json!(parameters);
    let takes = |name: &str| parameters.iter().any(|p| p["name"] == name);
    let may_be_missing = takes("as_of") || takes("method") || parameters.iter().any(|p| p["in"] == "path");

    operation["x-codeSamples"] = samples::samples(&endpoint.path, operation);
    let success = &mut operation["responses"]["200"];
    let mut names = vec![
        "ETag",
        "Last-Modified",
        "Cache-Control",
        "Vary",
        "RateLimit",
        "RateLimit-Policy",
        "X-Request-Id",
    ];
    if success["headers"].get("GSI-Data-Status").is_some() {
        names.push("GSI-Data-Status");
    }
    if takes("cursor") {
        names.push("Link");
    }
    names.extend(["GSI-Simulated", "Access-Control-Allow-Origin"]);
    success["headers"] = refer(&names);
    operation["responses"]["304"] = not_modified();
    for (status, name) in PROBLEMS {
        let can_happen = match *status {
            403 => endpoint.access.scope().is_some(),
            404 => may_be_missing,
            // Only where the handler declares it.
            410 => operation["responses"].get("410").is_some(),
            _ => true,
        };
        if can_happen {
            operation["responses"][status.to_string()] = refer_to_problem(name);
        }
    }
}

fn refer_to_problem(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

fn not_modified() -> Value {
    json!({
        "description": "The caller already has this answer.",
        "headers": refer(&[
            "ETag",
            "Cache-Control",
            "Vary",
            "RateLimit",
            "RateLimit-Policy",
            "X-Request-Id",
            "Access-Control-Allow-Origin",
        ]),
    })
}

fn refer(names: &[&str]) -> Value {
    let entry = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(names.iter().map(entry).collect())
}

/// Status and name of each shared response.
const PROBLEMS: &[(u16, &str)] = &[
    (400, "BadRequest"),
    (401, "Unauthorized"),
    (403, "Forbidden"),
    (404, "NotFound"),
    (405, "MethodNotAllowed"),
    (406, "NotAcceptable"),
    (410, "Gone"),
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
            404 => (
                "`not_found`, `unknown_pillar`, `unknown_country`, or `no_snapshot` for a time before the first.",
                &[],
            ),
            405 => ("`method_not_allowed`.", &["Allow"]),
            406 => ("`not_acceptable`.", &[]),
            410 => ("`no_longer_kept`: it was there, and the operator keeps it for a limited time.", &[]),
            413 => ("`body_not_allowed`.", &[]),
            414 => ("`uri_too_long`.", &[]),
            429 => ("`rate_limited`.", &["Retry-After"]),
            431 => ("`headers_too_large`.", &[]),
            503 => ("`no_snapshot` before the first publication, or `overloaded`.", &["Retry-After"]),
            _ => ("`internal`.", &[]),
        };
        let mut names = vec!["X-Request-Id", "Access-Control-Allow-Origin"];
        // The size of a head is checked before the key, and the service may fail before either.
        if !matches!(status, 401 | 414 | 431 | 500 | 503) {
            names.extend(["RateLimit", "RateLimit-Policy"]);
        }
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
        "Cache-Control": header("Current until the next tick.", true, text("^(private|public), max-age=[0-9]+$")),
        "Vary": header("What the answer depends on.", true, json!({ "type": "string" })),
        "RateLimit": header("What is left of the quota, and seconds until it is full again.", true, text("^\"[a-z]+\";r=[0-9]+;t=[0-9]+$")),
        "RateLimit-Policy": header("The quota.", true, json!({ "type": "string" })),
        "X-Request-Id": header("Identifies the request in the service's log.", true, text("^[0-9a-f]{16}$")),
        "GSI-Data-Status": header("Whether the data behind the answer are complete and fresh.", true, json!({ "type": "string", "enum": ["ok", "degraded", "stale"] })),
        "GSI-Simulated": header("Present when the data come from the simulated world.", false, text("^true$")),
        "Access-Control-Allow-Origin": header("Whose pages may read the answer, where the operator allows it to any.", false, json!({ "type": "string" })),
        "Link": header("The next page, when there is one.", false, json!({ "type": "string" })),
        "WWW-Authenticate": header("How to authenticate.", true, text("^Bearer ")),
        "Allow": header("The methods that are allowed.", true, json!({ "type": "string" })),
        "Retry-After": header("Seconds to wait.", true, json!({ "type": "integer", "format": "int32", "minimum": 1 })),
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
}
