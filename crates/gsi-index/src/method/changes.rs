//! The log of method changes and corrections that comes with the method.

use crate::catalogue::MethodError;
use gsi_model::MethodChange;
use gsi_model::method_files::CHANGES;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MethodLog {
    entry: Vec<MethodChange>,
}

/// Newest first.
pub fn method_changes() -> Result<Vec<MethodChange>, MethodError> {
    let refused = |problem: String| MethodError::Syntax(format!("method/changes.toml: {problem}"));
    let log: MethodLog = toml::from_str(CHANGES).map_err(|e| refused(e.to_string()))?;
    match log.entry.windows(2).find(|pair| pair[0].date < pair[1].date) {
        Some(pair) => Err(refused(format!("{} is listed before the newer {}", pair[0].title, pair[1].title))),
        None => Ok(log.entry),
    }
}
