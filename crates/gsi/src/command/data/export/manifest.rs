//! The manifest of an export: contents, sources and terms.

use super::row::ExportColumn;
use super::sink::{ExportDone, LeftOut};
use super::window::ExportWindow;
use crate::cli::Export;
use gsi_model::{Origin, Timestamp};
use serde::Serialize;

/// The sources of the rows.
pub struct Provenance {
    /// The newest tick.
    pub as_of: Timestamp,
    pub is_simulated: bool,
    pub method: MethodNamed,
    pub sources: Vec<SourceNamed>,
}

#[derive(Debug, Clone, Serialize)]
pub struct MethodNamed {
    pub version: String,
    pub digest: String,
}

/// A publisher whose data the export contains or is computed from, with its attribution.
#[derive(Debug, Clone, Serialize)]
pub struct SourceNamed {
    pub feed: String,
    pub publisher: String,
    pub homepage: String,
    pub licence: String,
    pub attribution: String,
}

impl SourceNamed {
    pub fn of(origin: &Origin) -> Self {
        SourceNamed {
            feed: origin.feed.to_owned(),
            publisher: origin.publisher.to_owned(),
            homepage: origin.homepage.to_owned(),
            licence: origin.licence.name.to_owned(),
            attribution: origin.attribution.to_owned(),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct ExportManifest {
    /// The version of this document's format.
    format: u32,
    program: &'static str,
    what: &'static str,
    from: Timestamp,
    /// Exclusive.
    to: Timestamp,
    /// The newest tick at the time of the export.
    as_of: Timestamp,
    simulated: bool,
    /// The method of that tick.
    method: MethodNamed,
    pub rows: u64,
    columns: &'static [ExportColumn],
    files: Vec<ExportedFile>,
    licence: &'static str,
    sources: Vec<SourceNamed>,
    pub left_out: Vec<LeftOut>,
}

#[derive(Debug, Serialize)]
struct ExportedFile {
    name: String,
    rows: u64,
    bytes: u64,
    sha256: String,
}

impl ExportManifest {
    pub fn of(
        arguments: &Export,
        window: ExportWindow,
        provenance: Provenance,
        columns: &'static [ExportColumn],
        file: &str,
        done: ExportDone,
    ) -> Self {
        ExportManifest {
            format: 1,
            program: concat!("gsi ", env!("CARGO_PKG_VERSION")),
            what: arguments.what.key(),
            from: window.from,
            to: window.to,
            as_of: provenance.as_of,
            simulated: provenance.is_simulated,
            method: provenance.method,
            rows: done.rows,
            columns,
            files: vec![ExportedFile {
                name: file.to_owned(),
                rows: done.rows,
                bytes: done.bytes,
                sha256: done.sha256,
            }],
            licence: "Each source's own, as stated with it; name every source with its attribution.",
            sources: provenance.sources,
            left_out: done.left_out,
        }
    }
}
