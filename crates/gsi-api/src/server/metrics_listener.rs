//! A listener of its own for those who watch the service: `/metrics`, `/healthz` and `/readyz`, nothing else, no key.

use super::acceptor::Acceptor;
use super::places::ConnectionPlaces;
use super::responder::{Responder, ResponseBody, ResponseFuture};
use crate::resources::site;
use crate::server::interface::connection_settings;
use crate::settings::Limits;
use crate::state::service::Service;
use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::TryFutureExt;
use futures_util::future::Either;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tower::Service as _;

/// A few scrapers; whoever opens more is turned away.
const CONNECTIONS: usize = 64;
/// A scraper that says nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(75);

/// Serves until `shutdown` completes. The listener is the operator's choice, so whoever reaches it is answered.
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
        let answer = self.0.clone().call(request);
        Either::Right(Box::pin(answer.map_ok(|response| response.map(ResponseBody::Right))))
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
