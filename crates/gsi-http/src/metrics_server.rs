//! A listener of its own for those who watch the service: `/metrics`, `/healthz` and `/readyz`, nothing else, no key.

use crate::client_address::TrustedProxies;
use crate::endpoints::outside;
use crate::places::ConnectionPlaces;
use crate::server::{Acceptor, HttpSettings};
use crate::service::Service;
use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::StatusCode;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// A few scrapers; whoever opens more is turned away.
const CONNECTIONS: usize = 64;
/// A scraper that says nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(75);

/// Serves until `shutdown` completes. The listener is the operator's choice, so whoever reaches it is answered.
pub async fn serve_metrics(service: Arc<Service>, listener: TcpListener, shutdown: impl Future<Output = ()>) {
    let metrics = Arc::clone(&service);
    let ready = Arc::clone(&service);
    let router = Router::new()
        .route("/metrics", get(async move || outside::metrics(&metrics)))
        .route("/healthz", get(async || outside::text("ok\n")))
        .route("/readyz", get(async move || readiness(&ready)))
        .fallback(async || (StatusCode::NOT_FOUND, "here are /metrics, /healthz and /readyz\n"));
    let settings = HttpSettings { idle: PATIENCE, write: PATIENCE };
    let places = ConnectionPlaces::new(CONNECTIONS, CONNECTIONS, TrustedProxies::default());
    let acceptor = Acceptor::new(settings, places, None, None);
    acceptor.run(listener, shutdown, Duration::ZERO, |_| router.clone()).await;
}

fn readiness(service: &Service) -> Response {
    if service.is_ready() {
        return outside::text("ready\n");
    }
    let mut text = "not ready: nothing has been published yet\n".to_owned();
    for sentence in service.published.waiting.load().iter() {
        text.push_str(&format!("{sentence}\n"));
    }
    (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
}
