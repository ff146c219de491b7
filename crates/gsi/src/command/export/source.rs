//! What an export needs to know of where its rows come from.

use super::manifest::Provenance;
use super::sink::ExportSink;
use super::window::ExportWindow;
use crate::cli::ExportKind;
use gsi_model::Timestamp;

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
