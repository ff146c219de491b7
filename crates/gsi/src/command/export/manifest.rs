//! What is inside an export, where it comes from, and on what terms.

use super::row::ExportColumn;
use super::sink::{ExportDone, LeftOut};
use super::window::ExportWindow;
use crate::cli::Export;
use gsi_model::{Origin, Timestamp};
use serde::Serialize;

/// What stands behind the rows.
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

/// A publisher whose data are inside or were computed from, and the words it is to be named with.
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
    /// Of this document.
    format: u32,
    program: &'static str,
    what: &'static str,
    from: Timestamp,
    /// Exclusive.
    to: Timestamp,
    /// The tick that the export was made at.
    as_of: Timestamp,
    simulated: bool,
    /// The method in force at that tick.
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
            licence: "Each source's own, as stated beside it; name every source with its attribution.",
            sources: provenance.sources,
            left_out: done.left_out,
        }
    }
}
