//! What an export needs to know of where its rows come from.

use super::manifest::Provenance;
use super::sink::ExportSink;
use super::window::ExportWindow;
use crate::cli::ExportKind;
use gsi_model::{CountryCode, Timestamp};

/// Where rows come from.
pub trait ExportSource {
    /// What stands behind the rows, and the newest tick.
    fn provenance(&self) -> anyhow::Result<Provenance>;
    fn export(
        &self,
        what: ExportKind,
        window: ExportWindow,
        as_of: Timestamp,
        sink: &mut ExportSink,
    ) -> anyhow::Result<()>;
}

/// Every country there is a code for, in alphabetical order.
pub fn all_countries() -> Vec<CountryCode> {
    let letters = || 'A'..='Z';
    let codes = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
    codes.filter_map(|code| CountryCode::from_iso2(&code)).collect()
}
