//! The HTTP room: keys, limits, problems, resources and the contract, over what `gsi-store` keeps and the pipeline
//! publishes.
//!
//! `Service` holds what is served; `serve` listens. Answers of the single resources are prepared at publication and
//! handed out without serialising, SQL or locks.

mod auth;
mod cursor;
mod deprecation;
mod document;
mod follow;
mod guard;
mod handler;
pub mod keys;
mod listen;
mod log;
mod metrics;
mod metrics_server;
mod negotiate;
pub mod openapi;
mod pages;
mod params;
mod prepared;
mod problem;
mod rate;
mod repeat;
mod reply;
mod resources;
mod respond;
mod router;
mod server;
mod service;
pub mod settings;
mod shelf;
mod stream;
mod tls;
mod wire;

pub use listen::listen;
pub use metrics_server::serve_metrics;
pub use prepared::Unpublishable;
pub use problem::Code;
pub use server::{ServeError, serve};
pub use service::{Service, StartError};
pub use settings::{Asset, Assets, Cors, Limits, LogSink, MetricsExposure, Settings, TlsSettings};
pub use wire::inputs::{Inputs, Row as InputRow, SeriesRows, SlotRow, StateBody};

/// The bodies that the service would give for a snapshot: `/v1/global-stability/explain` and `/v1/global-stability`.
pub fn explain_body(snapshot: &gsi_model::Snapshot) -> Option<bytes::Bytes> {
    wire::explain::Explanation::of(snapshot).map(|body| wire::bytes(&body))
}

pub fn overview_body(snapshot: &gsi_model::Snapshot) -> Option<bytes::Bytes> {
    wire::scores::Overview::of(snapshot).map(|body| wire::bytes(&body))
}
