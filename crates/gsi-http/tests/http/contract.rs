//! Contract section 9 and the document itself: what was released stays.

use crate::support::Rig;
use gsi_http::openapi;

/// Regenerate with `INSTA_UPDATE=always` and review the difference.
#[test]
fn the_document() {
    insta::assert_json_snapshot!("openapi", openapi::document());
}

#[test]
fn nothing_breaks_what_was_released() {
    let released = serde_json::from_str(include_str!("../../openapi/released.json")).unwrap();
    let broken = openapi::compare::breaking_changes(&released, &openapi::document());
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn it_is_served() {
    let rig = Rig::new();
    let answer = rig.ask("GET", "/openapi.json", &[]);
    assert_eq!(answer.json(), openapi::document());
    assert_eq!(answer.json()["openapi"], "3.1.0");
    let etag = answer.header("etag").unwrap();
    assert_eq!(rig.ask("GET", "/openapi.json", &[("If-None-Match", etag)]).status, 304);
}

/// Every answer of every operation has the headers and only the fields that the document announces.
#[test]
fn answers_are_as_documented() {
    let rig = Rig::new();
    let document = openapi::document();
    let event = rig.get("/v1/conflict?limit=1").json()["events"][0]["id"].as_str().unwrap().to_owned();
    let briefing = rig.get("/v1/briefings?limit=1").json()["briefings"][0]["id"].as_str().unwrap().to_owned();
    let snapshot = rig.get("/v1/global-stability/explain").json()["snapshot"].as_str().unwrap().to_owned();
    let mut seen = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        if path == "/stream" {
            // Never ends; its messages are held against the document in `stream.rs`.
            continue;
        }
        let id = match path {
            p if p.contains("conflict") => &event,
            p if p.contains("snapshots") => &snapshot,
            _ => &briefing,
        };
        let target = path.replace("{pillar}", "macro").replace("{id}", id);
        let answer = rig.get(&target);
        let response = &item["get"]["responses"][answer.status.to_string()];
        assert!(response.is_object(), "{path}: {} is not documented", answer.status);
        for (name, reference) in response["headers"].as_object().unwrap() {
            let pointer = reference["$ref"].as_str().unwrap().trim_start_matches('#');
            let required = document.pointer(pointer).unwrap()["required"] == true;
            assert!(!required || answer.header(name).is_some(), "{path} lacks {name}");
        }
        let kind = answer.header("content-type").unwrap();
        let schema = &response["content"][kind]["schema"];
        assert!(schema.is_object(), "{path}: {kind}");
        check(&document, schema, &answer.json(), path);
        seen += 1;
    }
    assert_eq!(seen, 14);
}

/// Fields, required fields, types, enums and bounds; enough of JSON Schema for the document's own vocabulary.
pub fn check(document: &serde_json::Value, schema: &serde_json::Value, value: &serde_json::Value, at: &str) {
    use serde_json::Value;
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#')).unwrap();
        return check(document, target, value, at);
    }
    if let Some(options) = schema["oneOf"].as_array() {
        if value.is_null() && options.iter().any(|o| o["type"] == "null") {
            return;
        }
        let other = options.iter().find(|o| o["type"] != "null").unwrap();
        return check(document, other, value, at);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    let fits = types.is_empty() || types.contains(&kind) || (kind == "integer" && types.contains(&"number"));
    assert!(fits, "{at}: {value} is not {types:?}");
    if let Some(list) = schema["enum"].as_array() {
        assert!(list.contains(value), "{at}: {value}");
    }
    if let Some(number) = value.as_f64() {
        assert!(schema["minimum"].as_f64().is_none_or(|m| number >= m), "{at}: {value}");
        assert!(schema["maximum"].as_f64().is_none_or(|m| number <= m), "{at}: {value}");
    }
    if let Value::Array(items) = value {
        items
            .iter()
            .enumerate()
            .for_each(|(n, i)| check(document, &schema["items"], i, &format!("{at}[{n}]")));
    }
    if let (Value::Object(fields), Some(properties)) = (value, schema["properties"].as_object()) {
        for (name, field) in fields {
            let known = properties.get(name).unwrap_or_else(|| panic!("{at}: {name} is not documented"));
            check(document, known, field, &format!("{at}.{name}"));
        }
        for required in schema["required"].as_array().unwrap() {
            assert!(fields.contains_key(required.as_str().unwrap()), "{at} lacks {required}");
        }
        assert_eq!(
            schema["required"].as_array().unwrap().len(),
            properties.len(),
            "{at}: every field is always there"
        );
    }
}
