//! Changes of the method and corrections of published statements about it, with their reasons.

use crate::Day;
use serde::Deserialize;

closed_set! {
    /// `change` for another way of computing, `correction` for figures that turned out wrong.
    MethodChangeKind {
        /// A change of the computation.
        Change = "change",
        /// Published figures that turned out wrong.
        Correction = "correction",
    }
}

/// One entry of the published log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodChange {
    /// The heading of the entry on the method's page.
    pub title: String,
    /// The method's version that it made or is about.
    pub version: String,
    pub date: Day,
    pub kind: MethodChangeKind,
    pub why: String,
    pub what: String,
    pub effect: String,
}
