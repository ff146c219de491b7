//! The interface of the two sources of an export.

use super::manifest::Provenance;
use super::sink::ExportSink;
use super::window::ExportWindow;
use crate::cli::ExportKind;
use gsi_model::Timestamp;

/// A source of rows: a store or a service.
pub trait ExportSource {
    /// Returns the newest tick and the publishers behind the rows.
    fn provenance(&self) -> anyhow::Result<Provenance>;
    fn export(
        &self,
        what: ExportKind,
        window: ExportWindow,
        as_of: Timestamp,
        sink: &mut ExportSink,
    ) -> anyhow::Result<()>;
}
