//! The HTTP interface: the resources under `/v1`, the stream, agents' tools, the OpenAPI document, and the listeners.

pub mod auth;
mod layers;
pub mod mcp;
pub mod openapi;
mod prepared;
mod problem;
mod representation;
mod request;
mod resources;
mod router;
mod server;
pub mod settings;
mod state;
mod stream;
mod telemetry;

pub use auth::client_address::{ProxyError, TrustedProxies};
pub use auth::endpoint::Endpoint;
pub use auth::keys;
pub use auth::public::{PublicResource, PublicSettings};
pub use prepared::publication::Unpublishable;
pub use problem::ProblemCode;
pub use representation::table::spreadsheet_text;
pub use request::cursor::SECRET_NAME as CURSOR_SECRET;
pub use resources::history::body::is_late;
pub use resources::inputs::body::{InputCountries, InputRow, Inputs, SeriesRows, SlotRow, StateBody};
pub use resources::method::body::MethodBody;
pub use server::{TlsError, TlsSettings, check_tls, listen, serve, serve_metrics};
pub use settings::{Asset, Assets, Cors, Limits, LogSink, ServiceSettings};
pub use state::replica::TickTrouble;
pub use state::service::{Service, StartError};

use bytes::Bytes;
use gsi_model::{Snapshot, Timestamp};
use representation::json_bytes;
use resources::explain::body::Explanation;
use resources::scores::body::Overview;

/// Every endpoint that needs a key or can be published by an operator.
pub fn endpoints() -> Vec<Endpoint> {
    resources::all().list
}

/// The body of `/v1/global-stability/explain` for a snapshot.
pub fn explain_body(snapshot: &Snapshot, published_at: Option<Timestamp>) -> Option<Bytes> {
    Explanation::of(snapshot, published_at).map(|body| json_bytes(&body))
}

/// The body of `/v1/global-stability` for a snapshot.
pub fn overview_body(snapshot: &Snapshot) -> Option<Bytes> {
    Overview::of(snapshot).map(|body| json_bytes(&body))
}
