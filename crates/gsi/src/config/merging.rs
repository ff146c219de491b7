//! Merges the layers of the configuration key by key.
//!
//! `figment` would replace only `overlay` and `set`: suggestions for unknown keys, types that follow the default file, and variables
//! whose keys have underscores would remain.

use super::error::ConfigError;
use toml::{Table, Value};

/// The default configuration, which describes every key.
pub const DEFAULT: &str = include_str!("default.toml");

/// Puts the values of a file over the defaults. The keys must exist and the types must match.
pub fn overlay(base: &mut Table, given: Table, prefix: &str, place: &str) -> Result<(), ConfigError> {
    for (key, value) in given {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match (base.get_mut(&key), value) {
            (None, _) => return Err(unknown(place, &path)),
            (Some(Value::Table(inner)), Value::Table(given)) => overlay(inner, given, &path, place)?,
            (Some(old), new) => *old = coerce(old, new, place, &path)?,
        }
    }
    Ok(())
}

/// Returns the given value if it has the default's type. A whole number is accepted for a float.
fn coerce(default: &Value, given: Value, place: &str, key: &str) -> Result<Value, ConfigError> {
    match (default, given) {
        (Value::Float(_), Value::Integer(n)) => Ok(Value::Float(n as f64)),
        (old, new) if std::mem::discriminant(old) == std::mem::discriminant(&new) => Ok(new),
        (old, _) => {
            Err(ConfigError::WrongType { place: place.into(), key: key.into(), wants: type_name(old) })
        }
    }
}

pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text in quotes",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
        Value::Datetime(_) => "a time",
    }
}

/// Returns every key as a dotted path, with its value.
pub fn leaves(table: &Table) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                found.extend(leaves(inner).into_iter().map(|(path, v)| (format!("{key}.{path}"), v)));
            }
            other => found.push((key.clone(), other.clone())),
        }
    }
    found
}

pub fn set(table: &mut Table, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            table.insert(path.to_owned(), value);
        }
        Some((head, rest)) => {
            if let Some(Value::Table(inner)) = table.get_mut(head) {
                set(inner, rest, value);
            }
        }
    }
}

fn unknown(place: &str, key: &str) -> ConfigError {
    let known: Table = DEFAULT.parse().unwrap_or_default();
    let mut paths: Vec<String> = leaves(&known).into_iter().map(|(path, _)| path).collect();
    paths.extend(known.iter().filter(|(_, v)| v.is_table()).map(|(k, _)| k.clone()));
    ConfigError::UnknownKey { place: place.into(), key: key.into(), nearest: nearest(key, paths) }
}

/// Returns the known key that is most similar, if one is similar enough.
pub fn nearest(key: &str, known: impl IntoIterator<Item = String>) -> Option<String> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(key, &candidate), candidate))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(similarity, _)| *similarity > 0.7)
        .map(|(_, candidate)| candidate)
}
