//! The HTTP room: keys, limits, problems, resources and the contract, over what `gsi-store` keeps and the pipeline
//! publishes.
//!
//! `Service` holds what is served; `serve` listens. Answers of the single resources are prepared at publication and
//! handed out without serialising, SQL or locks.

mod assets;
mod client_address;
mod context;
mod cors;
mod cursor;
mod encoded_body;
mod endpoints;
mod form;
mod formed;
mod guarded;
mod headers;
mod key_ring;
pub mod keys;
mod layers;
mod log;
mod mcp;
mod metrics;
mod metrics_server;
mod negotiate;
pub mod openapi;
mod outlines;
mod pages;
mod past;
mod picture;
mod prepared;
mod problem;
mod public;
mod public_reading;
mod published;
mod query;
mod rate;
mod replica;
mod server;
mod service;
mod session;
pub mod settings;
mod stream;
mod wire;

pub use client_address::{ProxyError, TrustedProxies};
pub use cursor::SECRET_NAME as CURSOR_SECRET;
pub use endpoints::{Access, Endpoint};
pub use gsi_connect::{TlsError, TlsSettings, check_tls, listen};
pub use metrics_server::serve_metrics;
pub use prepared::Unpublishable;
pub use problem::ProblemCode;
pub use public::{PublicResource, PublicSettings};
pub use replica::TickTrouble;
pub use server::serve;
pub use service::{Service, StartError};
pub use settings::{Asset, Assets, Cors, Limits, LogSink, MetricsExposure, ServiceSettings};
pub use wire::history::is_late;
pub use wire::inputs::{InputCountries, InputRow, Inputs, SeriesRows, SlotRow, StateBody};
pub use wire::method::MethodBody;
pub use wire::table::spreadsheet_text;

/// Everything that can be asked for with a key, from the one list of it.
pub fn endpoints() -> Vec<Endpoint> {
    endpoints::all().list
}

/// The bodies that the service would give for a snapshot: `/v1/global-stability/explain` and `/v1/global-stability`.
pub fn explain_body(
    snapshot: &gsi_model::Snapshot,
    published_at: Option<gsi_model::Timestamp>,
) -> Option<bytes::Bytes> {
    wire::explain::Explanation::of(snapshot, published_at).map(|body| wire::bytes(&body))
}

pub fn overview_body(snapshot: &gsi_model::Snapshot) -> Option<bytes::Bytes> {
    wire::scores::Overview::of(snapshot).map(|body| wire::bytes(&body))
}
