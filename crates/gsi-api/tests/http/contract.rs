//! The published OpenAPI document, and that the service keeps to it.

use crate::breaking::breaking_changes;
use crate::support::Rig;
use gsi_api::openapi;
use gsi_model::Scope;
use serde_json::Value;
use std::collections::BTreeSet;

/// Regenerate with `INSTA_UPDATE=always` and review the difference.
#[test]
fn the_document() {
    insta::assert_json_snapshot!("openapi", openapi::document());
}

/// Maps need an event's place and status. RFC 7946, section 6, lets GeoJSON features have further properties.
const ACCEPTED: [&str; 3] = [
    "GET /v1/conflict 200 .features[] .properties .country: a field was added to a closed body",
    "GET /v1/conflict 200 .features[] .properties .place: a field was added to a closed body",
    "GET /v1/conflict 200 .features[] .properties .status: a field was added to a closed body",
];

#[test]
fn the_document_has_no_breaking_changes() {
    let released = serde_json::from_str(include_str!("../../openapi/released.json")).unwrap();
    let mut broken = breaking_changes(&released, &openapi::document());
    broken.retain(|change| !ACCEPTED.contains(&change.as_str()));
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_document_is_served() {
    let rig = Rig::new();
    let answer = rig.ask("GET", "/openapi.json", &[]);
    assert_eq!(answer.json(), openapi::document());
    assert_eq!(answer.json()["openapi"], "3.1.0");
    // Generators that support one form of an answer use the first.
    let forms: Vec<usize> = ["\"application/json\"", "\"application/geo+json\""]
        .iter()
        .map(|form| answer.text().split("\"listConflictEvents\"").nth(1).unwrap().find(form).unwrap())
        .collect();
    assert!(forms.is_sorted(), "{forms:?}");
    let etag = answer.header("etag").unwrap();
    assert_eq!(rig.ask("GET", "/openapi.json", &[("If-None-Match", etag)]).status, 304);
}

/// Returns an address that the endpoint answers with 200. A new endpoint needs an arm here.
pub fn target(rig: &Rig, path: &str) -> String {
    let id = |list: &str, items: &str| {
        rig.get(&format!("{list}?limit=1")).json()[items][0]["id"].as_str().unwrap().to_owned()
    };
    match path {
        "/v1/global-stability"
        | "/v1/global-stability/history"
        | "/v1/global-stability/reconstruction"
        | "/v1/global-stability/analogues"
        | "/v1/global-stability/meaning"
        | "/v1/crises"
        | "/v1/countries"
        | "/v1/global-stability/explain"
        | "/v1/conflict"
        | "/v1/layers"
        | "/v1/briefings"
        | "/v1/summaries"
        | "/v1/feeds"
        | "/v1/method"
        | "/v1/method/changes"
        | "/v1/keys/self"
        | "/v1/alerts"
        | "/alerts.atom"
        | "/alerts.json"
        | "/briefings.atom"
        | "/briefings.json"
        | "/card.png"
        | "/badge.svg"
        | "/stream" => path.to_owned(),
        "/v1/global-stability/pillar/{pillar}"
        | "/v1/global-stability/pillar/{pillar}/history"
        | "/v1/global-stability/pillar/{pillar}/reconstruction" => path.replace("{pillar}", "macro"),
        "/v1/countries/{country}" | "/v1/countries/{country}/history" | "/v1/countries/{country}/explain" => {
            path.replace("{country}", "UA")
        }
        "/v1/conflict/{id}" => path.replace("{id}", &id("/v1/conflict", "events")),
        "/v1/alerts/{id}" => path.replace("{id}", &id("/v1/alerts", "alerts")),
        "/v1/briefings/{id}" => path.replace("{id}", &id("/v1/briefings", "briefings")),
        "/v1/snapshots/{id}/inputs" => {
            let explained = rig.get("/v1/global-stability/explain").json();
            path.replace("{id}", explained["snapshot"].as_str().unwrap())
        }
        _ => panic!("{path} has no contract case: add an address to target() in contract.rs"),
    }
}

/// Compares the list of endpoints with everything that is derived from it.
#[test]
fn every_endpoint_is_complete() {
    let rig = Rig::new();
    let document = openapi::document();
    let endpoints = gsi_api::endpoints();
    let tags: Vec<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    let in_the_docs = paths_in_the_docs();
    let mut labels = BTreeSet::new();
    for endpoint in &endpoints {
        let path = endpoint.path.as_str();
        let operation = &document["paths"][path]["get"];
        assert!(labels.insert(endpoint.label) && endpoint.label != "unknown", "{path}: the label is taken");
        assert!(operation["operationId"].is_string(), "{path} has no operation");
        assert!(tags.contains(&&operation["tags"][0]), "{path} has no described tag");
        for words in ["summary", "description"] {
            assert!(operation[words].as_str().is_some_and(|text| text.len() > 5), "{path} has no {words}");
        }
        assert!(operation["responses"]["200"]["content"].is_object(), "{path} does not describe its answer");
        for status in ["400", "401", "405", "429", "500", "503"] {
            assert!(operation["responses"][status].is_object(), "{path} does not document {status}");
        }

        assert!(in_the_docs.contains(path), "the table of docs/interface.md does not name {path}");
        let target = target(&rig, path);
        assert_eq!(rig.ask("GET", &target, &[]).status, 401, "{path} needs no key");
        let parameters = operation["parameters"].as_array().unwrap().iter();
        let documented: Vec<&str> =
            parameters.filter(|p| p["in"] == "query").map(|p| p["name"].as_str().unwrap()).collect();
        let problem = rig.get(&format!("{target}?no_such_parameter=1")).json();
        let allowed = match documented.as_slice() {
            [] => "no parameters".to_owned(),
            names => format!("one of {}", names.join(", ")),
        };
        assert_eq!(
            problem["errors"][0]["allowed"], allowed,
            "{path} takes parameters that are not documented; a handler without any takes Query<NoParameters>"
        );

        let scope = endpoint.access.scope();
        let other = if scope == Some(Scope::Briefings) { Scope::Events } else { Scope::Briefings };
        let key = format!("Bearer {}", rig.mint(&[other], None, None));
        let status = rig.ask("HEAD", &target, &[("Authorization", &key)]).status;
        match scope {
            None => assert_eq!(status, 200, "{path}"),
            Some(scope) => {
                assert_eq!(status, 403, "{path}");
                assert!(operation["responses"]["403"].is_object(), "{path} does not document 403");
                let described = operation["description"].as_str().unwrap();
                assert!(described.contains(scope.key()), "{path} does not name its scope");
            }
        }
        assert_eq!(
            rig.ask("HEAD", &target, &[("Authorization", &format!("Bearer {}", rig.key))]).status,
            200
        );
        let counted = format!("gsi_http_requests_total{{resource=\"{}\",status=\"200\"}}", endpoint.label);
        assert!(rig.metrics().contains(&counted), "{path} is not counted");
    }
    assert_eq!(document["paths"].as_object().unwrap().len(), endpoints.len());
}

/// Returns the paths in the tables of docs/interface.md. `…/x` after a path is read as its child and as its sibling.
fn paths_in_the_docs() -> BTreeSet<String> {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/interface.md")).unwrap();
    let mut paths = BTreeSet::new();
    for line in page.lines().filter(|line| line.starts_with("| `/")) {
        let mut last = "";
        for code in line.split('`').skip(1).step_by(2) {
            match code.strip_prefix('…') {
                Some(end) => {
                    let sibling = last.rsplit_once('/').map_or("", |(parent, _)| parent);
                    paths.extend([last, sibling].map(|start| format!("{start}{end}")));
                }
                None => {
                    last = code;
                    paths.insert(code.to_owned());
                }
            }
        }
    }
    paths
}

/// An empty query changes no prepared answer and none of its headers.
#[test]
fn prepared_answers_equal_the_endpoints_answers() {
    let rig = Rig::new();
    for path in [
        "/v1/global-stability",
        "/v1/global-stability/pillar/conflict",
        "/v1/global-stability/pillar/cyber",
        "/v1/global-stability/pillar/supply_chain",
        "/v1/global-stability/pillar/macro",
        "/v1/summaries",
    ] {
        let etag = rig.get(path).header("etag").unwrap().to_owned();
        for more in [&[][..], &[("Accept-Encoding", "br")], &[("If-None-Match", &etag)]] {
            let [plain, queried] = [path.to_owned(), format!("{path}?")].map(|target| {
                let mut answer = rig.get_with(&target, more);
                answer.headers.retain(|(name, _)| name != "x-request-id");
                answer.headers.sort();
                (answer.status, answer.headers, answer.body)
            });
            assert_eq!(plain, queried, "{path} {more:?}");
        }
    }
}

/// Every answer of every operation has the documented headers and no undocumented field.
#[test]
fn answers_are_as_documented() {
    let rig = Rig::new();
    let document = openapi::document();
    let mut seen = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        if path == "/stream" {
            // The stream never ends. `stream.rs` compares its messages with the document.
            continue;
        }
        let answer = rig.get(&target(&rig, path));
        let response = &item["get"]["responses"][answer.status.to_string()];
        assert!(response.is_object(), "{path}: {} is not documented", answer.status);
        for (name, reference) in response["headers"].as_object().unwrap() {
            let pointer = reference["$ref"].as_str().unwrap().trim_start_matches('#');
            let required = document.pointer(pointer).unwrap()["required"] == true;
            assert!(!required || answer.header(name).is_some(), "{path} lacks {name}");
        }
        let kind = answer.header("content-type").unwrap().split(';').next().unwrap();
        let schema = &response["content"][kind]["schema"];
        assert!(schema.is_object(), "{path}: {kind}");
        let body = match kind {
            _ if kind.ends_with("json") => answer.json(),
            "image/png" => String::from_utf8_lossy(&answer.body).into(),
            _ => answer.text().into(),
        };
        check(&document, schema, &body, path);
        seen += 1;
    }
    assert_eq!(seen + 1, gsi_api::endpoints().len());
}

/// Checks fields, required fields, types, enums and bounds, which are the parts of JSON Schema that the document uses.
pub fn check(document: &serde_json::Value, schema: &serde_json::Value, value: &serde_json::Value, at: &str) {
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
        // A method's document is stored unchanged, and programs of other versions read inputs. Both may lack fields that were added
        // later.
        let is_kept = at == "/v1/method" || at.starts_with("/v1/method.") || at.starts_with("/v1/snapshots/");
        assert!(
            is_kept || schema["required"].as_array().unwrap().len() == properties.len(),
            "{at}: every field is required"
        );
    }
}
