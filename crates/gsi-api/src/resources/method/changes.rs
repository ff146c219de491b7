//! The body of the log of method changes and corrections.

use gsi_model::{MethodChange, MethodChangeKind};
use serde::Serialize;
use utoipa::ToSchema;

/// Changes of the method, and corrections of figures about it. Published scores are never rewritten.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MethodChanges)]
pub struct MethodChangesBody {
    /// The method in force.
    #[schema(example = "3.0.0")]
    pub version: String,
    pub digest: String,
    /// Newest first.
    pub changes: Vec<MethodChangeBody>,
}

/// One entry of the log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MethodChange)]
pub struct MethodChangeBody {
    #[schema(example = "3.0.0")]
    pub title: String,
    /// The version that the change made, or that the correction is about.
    #[schema(example = "3.0.0")]
    pub version: String,
    #[schema(format = Date, example = "2026-11-16")]
    pub date: String,
    pub kind: MethodChangeKind,
    pub why: String,
    pub what: String,
    /// The effect on measured figures.
    pub effect: String,
}

impl MethodChangesBody {
    pub fn of(method: &serde_json::Value, changes: &[MethodChange]) -> Self {
        let text = |name: &str| method[name].as_str().unwrap_or_default().to_owned();
        let entry = |change: &MethodChange| MethodChangeBody {
            title: change.title.clone(),
            version: change.version.clone(),
            date: change.date.to_string(),
            kind: change.kind,
            why: change.why.clone(),
            what: change.what.clone(),
            effect: change.effect.clone(),
        };
        MethodChangesBody {
            version: text("version"),
            digest: text("digest"),
            changes: changes.iter().map(entry).collect(),
        }
    }
}
