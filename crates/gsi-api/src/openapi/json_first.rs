//! Writes the document with JSON before every other form of an answer. Some generators only use the first form, which
//! would be GeoJSON by the alphabet.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

const FIRST: &str = "application/json";

pub struct JsonFirst<'a>(pub &'a Value);

impl Serialize for JsonFirst<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                let mut written = serializer.serialize_map(Some(map.len()))?;
                let first = map.get_key_value(FIRST);
                for (key, value) in first.into_iter().chain(map.iter().filter(|(key, _)| *key != FIRST)) {
                    written.serialize_entry(key, &JsonFirst(value))?;
                }
                written.end()
            }
            Value::Array(list) => serializer.collect_seq(list.iter().map(JsonFirst)),
            plain => plain.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_comes_first_and_nothing_is_lost() {
        let document =
            json!({ "a": [{ "application/geo+json": 1, "application/json": 2, "text/csv": null }] });
        let text = serde_json::to_string(&JsonFirst(&document)).unwrap();
        assert_eq!(text, r#"{"a":[{"application/json":2,"application/geo+json":1,"text/csv":null}]}"#);
    }
}
