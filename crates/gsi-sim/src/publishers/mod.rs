//! The publishers: which addresses each answers, and with what, as of a moment.
//!
//! A document names its version and date before its bytes are made, so a conditional request costs nothing.

mod cyber;
mod energy;
mod exploited;
mod fatalities;
mod gdelt;
mod hazards;
mod outages;
mod papers;
mod portwatch;
mod press;
mod pressure;
mod query;
mod rates;
mod stress;

use crate::faults::Fault;
use crate::world::World;
use bytes::Bytes;
use gsi_model::Timestamp;
use std::ops::Range;
use std::sync::Arc;

pub struct Ask<'a> {
    /// Without the host, with the leading slash.
    pub path: &'a str,
    pub query: &'a str,
    /// The moment to answer for; a frozen publisher stands still, one with a fast clock runs ahead.
    pub as_of: Timestamp,
    /// A content fault that the publisher must build in itself because checksums depend on it.
    pub fault: Option<Fault>,
}

/// How the bytes are laid out, so that content faults know where to cut.
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
    /// Too long to build for a look at its end.
    Virtual {
        total: u64,
        read: RangeReader,
    },
    Redirect(String),
}

pub struct Document {
    pub format: Format,
    /// Equal versions are equal bytes; becomes the entity tag.
    pub version: u64,
    /// Some publishers send no `Last-Modified`.
    pub modified: Option<Timestamp>,
    pub content: Content,
    /// The publisher has already built the fault in.
    pub tampered: bool,
}

impl Document {
    pub fn whole(
        format: Format,
        version: u64,
        modified: Option<Timestamp>,
        make: impl FnOnce() -> Vec<u8> + Send + 'static,
    ) -> Self {
        let content = Content::Whole(Box::new(move || Bytes::from(make())));
        Document { format, version, modified, content, tampered: false }
    }
}

type Handler = fn(&Arc<World>, &Ask) -> Option<Document>;

/// Publisher and handler of `/{host}{path}`.
pub fn route(host: &str, path: &str) -> Option<(&'static str, Handler)> {
    match host {
        "data.gdeltproject.org" => Some(("gdelt", gdelt::answer)),
        "storage.googleapis.com" if path.starts_with("/data.gdeltproject.org/") => {
            Some(("gdelt", gdelt::answer))
        }
        "api.gdeltproject.org" => Some(("gdelt_doc", press::answer)),
        "www.cisa.gov" => Some(("kev", exploited::answer)),
        "raw.githubusercontent.com" if path.starts_with("/cisagov/kev-data/") => {
            Some(("kev_mirror", exploited::answer))
        }
        "raw.githubusercontent.com" if path.starts_with("/datasets/oil-prices/") => {
            Some(("oil", energy::answer))
        }
        "raw.githubusercontent.com" if path.starts_with("/datasets/natural-gas/") => {
            Some(("gas", energy::answer))
        }
        "www.financialresearch.gov" => Some(("ofr", stress::answer)),
        "www.policyuncertainty.com" => Some(("epu", papers::policy)),
        "www.matteoiacoviello.com" => Some(("gpr", papers::geopolitical)),
        "home.treasury.gov" => Some(("treasury", rates::curve)),
        "data-api.ecb.europa.eu" => Some(("ecb", rates::central_bank)),
        // One server, two feeds that can fail apart.
        "services9.arcgis.com" if path.contains("/Daily_Ports_Data/") => Some(("ports", portwatch::answer)),
        "services9.arcgis.com" => Some(("portwatch", portwatch::answer)),
        "www.newyorkfed.org" => Some(("gscpi", pressure::answer)),
        "epss.empiricalsecurity.com" => Some(("epss", cyber::scores)),
        "api.github.com" => Some(("exploits", cyber::exploits)),
        "api.ransomware.live" => Some(("ransomware", cyber::victims)),
        "api.ioda.inetintel.cc.gatech.edu" => Some(("ioda", outages::answer)),
        "earthquake.usgs.gov" => Some(("usgs", hazards::usgs)),
        "www.gdacs.org" => Some(("gdacs", hazards::gdacs)),
        "ucdp.uu.se" => Some(("ucdp", fatalities::answer)),
        _ => None,
    }
}
