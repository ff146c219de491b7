//! The HTTP room: the endpoints, each of which asks what `gsi-serve` holds or the store keeps and answers with a body of
//! `gsi-wire`; the OpenAPI document that is made from them; and the listeners.

mod endpoints;
mod mcp;
mod metrics_server;
pub mod openapi;
mod router;
mod server;

pub use gsi_connect::{TlsError, TlsSettings, check_tls, listen};
pub use gsi_serve::client_address::{ProxyError, TrustedProxies};
pub use gsi_serve::cursor::SECRET_NAME as CURSOR_SECRET;
pub use gsi_serve::endpoint::Endpoint;
pub use gsi_serve::prepared::Unpublishable;
pub use gsi_serve::problem::ProblemCode;
pub use gsi_serve::public::{PublicResource, PublicSettings};
pub use gsi_serve::replica::TickTrouble;
pub use gsi_serve::service::{Service, StartError};
pub use gsi_serve::settings::{Asset, Assets, Cors, Limits, LogSink, MetricsExposure, ServiceSettings};
pub use gsi_serve::{keys, settings};
pub use gsi_wire::history::is_late;
pub use gsi_wire::inputs::{InputCountries, InputRow, Inputs, SeriesRows, SlotRow, StateBody};
pub use gsi_wire::method::MethodBody;
pub use gsi_wire::table::spreadsheet_text;
pub use metrics_server::serve_metrics;
pub use server::serve;

/// Everything that can be asked for with a key, from the one list of it.
pub fn endpoints() -> Vec<Endpoint> {
    endpoints::all().list
}

/// The bodies that the service would give for a snapshot: `/v1/global-stability/explain` and `/v1/global-stability`.
pub fn explain_body(
    snapshot: &gsi_model::Snapshot,
    published_at: Option<gsi_model::Timestamp>,
) -> Option<bytes::Bytes> {
    gsi_wire::explain::Explanation::of(snapshot, published_at).map(|body| gsi_wire::bytes(&body))
}

pub fn overview_body(snapshot: &gsi_model::Snapshot) -> Option<bytes::Bytes> {
    gsi_wire::scores::Overview::of(snapshot).map(|body| gsi_wire::bytes(&body))
}
