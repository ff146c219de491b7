//! What was changed in the method, or corrected in what was said of it, and why.

use crate::Day;
use serde::Deserialize;

closed_set! {
    /// `change` for another way of computing, `correction` for figures that turned out wrong.
    MethodChangeKind {
        /// Another way of computing.
        Change = "change",
        /// Figures that were believed and turned out wrong.
        Correction = "correction",
    }
}

/// One entry of the published log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodChange {
    /// The heading under which the method's page tells it at length.
    pub title: String,
    /// The method's version that it made, or that it speaks of.
    pub version: String,
    pub date: Day,
    pub kind: MethodChangeKind,
    pub why: String,
    pub what: String,
    pub effect: String,
}
