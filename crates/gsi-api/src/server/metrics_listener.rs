//! The separate listener for monitoring: `/metrics`, `/healthz` and `/readyz`, without a key.

use super::acceptor::Acceptor;
use super::places::ConnectionPlaces;
use super::responder::{Responder, ResponseFuture};
use crate::resources::site;
use crate::server::interface::connection_settings;
use crate::settings::Limits;
use crate::state::service::Service;
use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tower::Service as _;

/// Maximum concurrent connections to the metrics listener; more are refused.
const CONNECTIONS: usize = 64;
/// A scraper that sends no request for this long is gone.
const PATIENCE: Duration = Duration::from_secs(75);

/// Serves until `shutdown` completes. The operator chooses the listener's address, so every client that reaches it is answered.
pub async fn serve_metrics(service: Arc<Service>, listener: TcpListener, shutdown: impl Future<Output = ()>) {
    let metrics = Arc::clone(&service);
    let ready = Arc::clone(&service);
    let router = Router::new()
        .route("/metrics", get(async move || site::metrics(&metrics)))
        .route("/healthz", get(async || site::text("ok\n")))
        .route("/readyz", get(async move || readiness(&ready)))
        .fallback(async || (StatusCode::NOT_FOUND, "here are /metrics, /healthz and /readyz\n"));
    let patience = Limits { idle: PATIENCE, write: PATIENCE, drain: Duration::ZERO, ..Limits::default() };
    let places = ConnectionPlaces::new(CONNECTIONS, CONNECTIONS, Box::new(|_| false));
    let acceptor =
        Acceptor::new(connection_settings(&patience), places, None, Arc::new(MetricsResponder(router)));
    acceptor.run(listener, shutdown).await;
}

struct MetricsResponder(Router);

impl Responder for MetricsResponder {
    fn respond(&self, request: Request<Incoming>, _peer: IpAddr) -> ResponseFuture {
        Box::pin(self.0.clone().call(request))
    }
}

fn readiness(service: &Service) -> Response {
    if service.is_ready() {
        return site::text("ready\n");
    }
    let mut text = "not ready: nothing has been published yet\n".to_owned();
    for sentence in service.published.waiting.load().iter() {
        text.push_str(&format!("{sentence}\n"));
    }
    (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
}
