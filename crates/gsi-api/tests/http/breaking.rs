//! Finds changes of the OpenAPI document that break clients of an older one. Additions break none. Removed fields do, and so do values
//! that are no longer accepted.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Operations whose bodies never get new fields, because a new field would break strict decoders.
const PRISTINE: [&str; 5] = [
    "/v1/global-stability",
    "/v1/global-stability/pillar/{pillar}",
    "/v1/conflict",
    "/v1/briefings",
    "/v1/summaries",
];

/// Returns each breaking change as a sentence.
pub fn breaking_changes(old: &Value, new: &Value) -> Vec<String> {
    let mut check = Check { old, new, found: Vec::new() };
    for (path, item) in entries(&old["paths"]) {
        match new["paths"].get(path) {
            None => check.report(path, "the path is gone"),
            Some(new_item) => {
                for (method, operation) in entries(item) {
                    let at = format!("{} {path}", method.to_uppercase());
                    match new_item.get(method) {
                        None => check.report(&at, "the operation is gone"),
                        Some(newer) => check.operation(&at, path, operation, newer),
                    }
                }
            }
        }
    }
    check.found
}

struct Check<'a> {
    old: &'a Value,
    new: &'a Value,
    found: Vec<String>,
}

/// The direction of a value: the service may accept more values from clients, and may not send them new ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sent,
    Received { pristine: bool },
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap_or(value),
        None => value,
    }
}

fn words(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::String(one) => BTreeSet::from([one.as_str()]),
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

impl<'a> Check<'a> {
    fn report(&mut self, at: &str, what: impl AsRef<str>) {
        self.found.push(format!("{at}: {}", what.as_ref()));
    }

    fn operation(&mut self, at: &str, path: &str, old: &'a Value, new: &'a Value) {
        if old["operationId"] != new["operationId"] {
            self.report(at, "the operationId changed");
        }
        self.parameters(at, old, new);
        let pristine = PRISTINE.contains(&path);
        for (status, response) in entries(&old["responses"]) {
            let Some(newer) = new["responses"].get(status) else {
                self.report(at, format!("status {status} is gone"));
                continue;
            };
            let (response, newer) = (resolve(self.old, response), resolve(self.new, newer));
            for (name, _) in entries(&response["headers"]) {
                if newer["headers"].get(name).is_none() {
                    self.report(at, format!("header {name} of {status} is gone"));
                }
            }
            for (kind, media) in entries(&response["content"]) {
                match newer["content"].get(kind) {
                    None => self.report(at, format!("{kind} of {status} is gone")),
                    Some(media_now) => {
                        let at = format!("{at} {status}");
                        self.schema(
                            &at,
                            &media["schema"],
                            &media_now["schema"],
                            Direction::Received { pristine },
                            0,
                        );
                    }
                }
            }
        }
    }

    fn parameters(&mut self, at: &str, old: &'a Value, new: &'a Value) {
        let list = |v: &'a Value| v["parameters"].as_array().into_iter().flatten().collect::<Vec<_>>();
        let same = |a: &Value, b: &Value| a["name"] == b["name"] && a["in"] == b["in"];
        let (before, after) = (list(old), list(new));
        for parameter in &before {
            let name = parameter["name"].as_str().unwrap_or("?");
            let Some(newer) = after.iter().find(|p| same(p, parameter)) else {
                self.report(at, format!("parameter {name} is gone"));
                continue;
            };
            if newer["required"] == true && parameter["required"] != true {
                self.report(at, format!("parameter {name} became required"));
            }
            let at = format!("{at} ?{name}");
            if parameter["schema"].get("default") != newer["schema"].get("default") {
                self.report(&at, "the default changed");
            }
            self.schema(&at, &parameter["schema"], &newer["schema"], Direction::Sent, 0);
        }
        for parameter in after {
            if parameter["required"] == true && !before.iter().any(|p| same(p, parameter)) {
                self.report(at, format!("new required parameter {}", parameter["name"]));
            }
        }
    }

    fn schema(&mut self, at: &str, old: &'a Value, new: &'a Value, direction: Direction, depth: usize) {
        // Schemas here are trees. The bound ends the recursion in a malformed document.
        if depth > 20 {
            return;
        }
        let (old, new) = (resolve(self.old, old), resolve(self.new, new));
        let (types, types_now) = (words(&old["type"]), words(&new["type"]));
        let fits = match direction {
            Direction::Sent => types.is_subset(&types_now),
            Direction::Received { .. } => types_now.is_subset(&types),
        };
        if !fits {
            self.report(at, format!("the type changed from {} to {}", old["type"], new["type"]));
            return;
        }
        self.enumeration(at, old, new, direction);
        self.bounds(at, old, new, direction);
        self.properties(at, old, new, direction, depth);
        if old.get("items").is_some() {
            self.schema(&format!("{at}[]"), &old["items"], &new["items"], direction, depth + 1);
        }
    }

    fn enumeration(&mut self, at: &str, old: &Value, new: &Value, direction: Direction) {
        let (values, values_now) = (words(&old["enum"]), words(&new["enum"]));
        match direction {
            Direction::Sent => {
                if values.is_empty() && !values_now.is_empty() {
                    self.report(at, "values are restricted now");
                } else if !values_now.is_empty() {
                    for gone in values.difference(&values_now) {
                        self.report(at, format!("value {gone} is no longer accepted"));
                    }
                }
            }
            Direction::Received { .. } => {
                if !values.is_empty() && (values_now.is_empty() || !values_now.is_subset(&values)) {
                    self.report(at, "values may appear that were not announced");
                }
            }
        }
    }

    fn bounds(&mut self, at: &str, old: &Value, new: &Value, direction: Direction) {
        // (keyword, whether a larger number accepts more)
        let keywords = [
            ("minimum", false),
            ("maximum", true),
            ("minLength", false),
            ("maxLength", true),
            ("minItems", false),
            ("maxItems", true),
        ];
        for (keyword, larger_is_wider) in keywords {
            let (before, after) = (old[keyword].as_f64(), new[keyword].as_f64());
            let wider = match (before, after) {
                (None, None) => continue,
                (Some(a), Some(b)) if a == b => continue,
                (Some(_), None) => true,
                // Patterns and formats already bounded these lengths before the document stated them.
                (None, Some(_)) if keyword == "maxLength" && is_bounded(old) => continue,
                (None, Some(_)) => false,
                (Some(a), Some(b)) => (b > a) == larger_is_wider,
            };
            let breaks = match direction {
                Direction::Sent => !wider,
                Direction::Received { .. } => wider,
            };
            if breaks {
                self.report(at, format!("{keyword} changed from {} to {}", old[keyword], new[keyword]));
            }
        }
        for keyword in ["pattern", "format"] {
            // Stating an integer's width is no change where its bounds already implied it.
            let states_width = keyword == "format"
                && old.get("format").is_none()
                && new["format"] == "int32"
                && old["minimum"].is_number()
                && old["maximum"].is_number();
            if old.get(keyword) != new.get(keyword) && !states_width {
                self.report(at, format!("the {keyword} changed"));
            }
        }
    }

    fn properties(&mut self, at: &str, old: &'a Value, new: &'a Value, direction: Direction, depth: usize) {
        let (required, required_now) = (words(&old["required"]), words(&new["required"]));
        for (name, property) in entries(&old["properties"]) {
            let at = format!("{at} .{name}");
            match new["properties"].get(name) {
                None => self.report(&at, "the field is gone"),
                Some(newer) => {
                    if required.contains(name.as_str()) && !required_now.contains(name.as_str()) {
                        self.report(&at, "the field may be absent now");
                    }
                    self.schema(&at, property, newer, direction, depth + 1);
                }
            }
        }
        if direction == (Direction::Received { pristine: true }) {
            for (name, _) in entries(&new["properties"]) {
                if old["properties"].get(name).is_none() {
                    self.report(&format!("{at} .{name}"), "a field was added to a closed body");
                }
            }
        }
    }
}

/// Returns whether the schema bounds the length of its values.
fn is_bounded(schema: &Value) -> bool {
    schema.get("pattern").is_some() || schema["format"] == "date-time"
}

mod tests {
    use super::*;
    use gsi_api::openapi::document;
    use serde_json::json;

    type Edit = fn(&mut Value);

    fn at<'a>(document: &'a mut Value, pointer: &str) -> &'a mut Value {
        document.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}"))
    }

    fn remove(document: &mut Value, parent: &str, name: &str) {
        at(document, parent).as_object_mut().unwrap().remove(name).unwrap();
    }

    const CONFLICT: &str = "/paths/~1v1~1conflict/get";

    #[test]
    fn breaking_changes_are_found() {
        let rows: &[(&str, Edit)] = &[
            ("the path is gone", |d| remove(d, "/paths", "/v1/feeds")),
            ("the operation is gone", |d| remove(d, "/paths/~1v1~1feeds", "get")),
            ("status 304 is gone", |d| remove(d, "/paths/~1v1~1feeds/get/responses", "304")),
            ("parameter limit is gone", |d| {
                at(d, &format!("{CONFLICT}/parameters")).as_array_mut().unwrap().remove(0);
            }),
            ("new required parameter", |d| {
                let more = json!({"name": "x", "in": "query", "required": true, "schema": {}});
                at(d, &format!("{CONFLICT}/parameters")).as_array_mut().unwrap().push(more);
            }),
            ("became required", |d| *at(d, &format!("{CONFLICT}/parameters/0/required")) = json!(true)),
            ("maximum changed", |d| *at(d, &format!("{CONFLICT}/parameters/0/schema/maximum")) = json!(100)),
            ("the default changed", |d| {
                *at(d, &format!("{CONFLICT}/parameters/0/schema/default")) = json!(10)
            }),
            ("no longer accepted", |d| {
                at(d, &format!("{CONFLICT}/parameters/4/schema/items/enum"))
                    .as_array_mut()
                    .unwrap()
                    .remove(0);
            }),
            (".score: the field is gone", |d| remove(d, "/components/schemas/Overview/properties", "score")),
            ("may be absent", |d| *at(d, "/components/schemas/Overview/required") = json!(["trend"])),
            ("the type changed", |d| {
                *at(d, "/components/schemas/Overview/properties/score/type") = json!("string");
            }),
            ("not announced", |d| {
                at(d, "/components/schemas/TrendWord/enum").as_array_mut().unwrap().push(json!("sideways"));
            }),
            ("added to a closed body", |d| {
                *at(d, "/components/schemas/ConflictEvent/properties") = {
                    let mut p = at(d, "/components/schemas/ConflictEvent/properties").clone();
                    p["status"] = json!({"type": "string"});
                    p
                };
            }),
            ("header ETag of 200 is gone", |d| {
                remove(d, "/paths/~1v1~1feeds/get/responses/200/headers", "ETag")
            }),
            ("application/geo+json of 200 is gone", |d| {
                remove(d, &format!("{CONFLICT}/responses/200/content"), "application/geo+json");
            }),
        ];
        let old = document();
        for (want, edit) in rows {
            let mut new = old.clone();
            edit(&mut new);
            let found = breaking_changes(&old, &new);
            assert!(found.iter().any(|f| f.contains(want)), "{want}: {found:?}");
        }
    }

    #[test]
    fn additions_are_not_breaking() {
        let rows: &[(&str, Edit)] = &[
            ("nothing", |_| {}),
            ("a path", |d| d["paths"]["/v1/more"] = json!({"get": {"responses": {}}})),
            ("an optional parameter", |d| {
                let more = json!({"name": "x", "in": "query", "required": false, "schema": {}});
                at(d, &format!("{CONFLICT}/parameters")).as_array_mut().unwrap().push(more);
            }),
            ("a wider bound", |d| *at(d, &format!("{CONFLICT}/parameters/0/schema/maximum")) = json!(500)),
            ("a field of a richer resource", |d| {
                at(d, "/components/schemas/FeedBody/properties")
                    .as_object_mut()
                    .unwrap()
                    .insert("x".into(), json!({}));
            }),
            ("a status", |d| d["paths"]["/v1/feeds"]["get"]["responses"]["451"] = json!({})),
        ];
        let old = document();
        for (what, edit) in rows {
            let mut new = old.clone();
            edit(&mut new);
            assert_eq!(breaking_changes(&old, &new), Vec::<String>::new(), "{what}");
        }
    }
}
