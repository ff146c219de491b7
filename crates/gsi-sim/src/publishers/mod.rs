//! The publishers: the addresses that each one answers, and its documents as of a moment.
//!
//! A document names its version and date before its bytes are made, so a conditional request costs nothing.

mod addresses;
mod csv_table;
pub mod cyber;
mod gdelt;
mod hazards;
mod markets;
mod papers;
mod query;
mod ships;

use crate::server::Fault;
use crate::world::World;
pub use addresses::PUBLISHERS;
use bytes::Bytes;
use gsi_model::Timestamp;
use std::ops::Range;
use std::sync::Arc;

type Handler = fn(&Arc<World>, &Request) -> Option<Document>;

/// Finds the publisher of `/{host}{path}` and its handler.
pub fn route(host: &str, path: &str) -> Option<(&'static str, Handler)> {
    let publisher = addresses::publisher(host, path)?;
    let handler: Handler = match publisher {
        "gdelt" => gdelt::respond,
        "gdelt_doc" => papers::doc_search,
        "kev" | "kev_mirror" => cyber::kev,
        "oil" | "gas" => csv_table::mirrored,
        "ofr" => markets::ofr,
        "epu" => csv_table::dated,
        "gpr" => papers::gpr,
        "treasury" => markets::treasury,
        "ecb" => markets::ecb,
        "portwatch" | "ports" => ships::portwatch,
        "gscpi" => markets::gscpi,
        "epss" => cyber::epss,
        "exploits" => cyber::exploits,
        "ransomware" => cyber::ransomware,
        "ioda" => hazards::ioda,
        "usgs" => hazards::usgs,
        "gdacs" => hazards::gdacs,
        "ucdp" => hazards::ucdp,
        _ => return None,
    };
    Some((publisher, handler))
}

/// A request to a publisher.
pub struct Request<'a> {
    /// Without the host, with the leading slash.
    pub path: &'a str,
    pub query: &'a str,
    /// The moment to answer for. It does not advance for a frozen publisher and is ahead for one with a fast clock.
    pub as_of: Timestamp,
    /// A content fault. Some publishers build it in themselves because checksums depend on it.
    pub fault: Option<Fault>,
}

/// The layout of the bytes, by which content faults know where to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Json,
    Text,
    Zip,
    Gzip,
    Workbook,
    Html,
}

impl Format {
    pub fn content_type(self) -> &'static str {
        match self {
            Format::Csv => "text/csv; charset=utf-8",
            Format::Json => "application/json",
            Format::Text => "text/plain; charset=utf-8",
            Format::Zip => "application/zip",
            Format::Gzip => "application/gzip",
            Format::Workbook => "application/vnd.ms-excel",
            Format::Html => "text/html; charset=utf-8",
        }
    }
}

/// Reads a byte range of a virtual file.
pub type RangeReader = Arc<dyn Fn(Range<u64>) -> Vec<u8> + Send + Sync>;

pub enum Content {
    Whole(Box<dyn FnOnce() -> Bytes + Send>),
    /// A file that is too long to build when only its end is read.
    Virtual {
        total: u64,
        read: RangeReader,
    },
    Redirect(String),
}

pub struct Document {
    pub format: Format,
    /// Equal versions are equal bytes. It becomes the entity tag.
    pub version: u64,
    /// Some publishers send no `Last-Modified`.
    pub modified: Option<Timestamp>,
    pub content: Content,
    /// The publisher has already built the fault in.
    pub tampered: bool,
}

impl Document {
    pub fn new(
        format: Format,
        version: u64,
        modified: Option<Timestamp>,
        make: impl FnOnce() -> Vec<u8> + Send + 'static,
    ) -> Self {
        let content = Content::Whole(Box::new(move || Bytes::from(make())));
        Document { format, version, modified, content, tampered: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_publisher_answers_at_its_addresses() {
        for (name, addresses) in addresses::ADDRESSES {
            for (host, part) in addresses {
                assert_eq!(route(host, part).map(|(publisher, _)| publisher), Some(name));
            }
        }
    }
}
