//! The router of all endpoints and of what needs no key, with a layer that turns a panic into a problem.

use crate::endpoints::{self, outside, session};
use crate::mcp;
use axum::response::IntoResponse;
use gsi_serve::layers::Layers;
use gsi_serve::problem::{ProblemCode, RequestRefusal};
use gsi_serve::service::Service;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// The router with all layers around it.
pub fn layered(service: &Arc<Service>) -> Layers {
    let counted = Arc::clone(service);
    let panicked = CatchPanicLayer::custom(move |_| {
        counted.telemetry.metrics.panics.inc();
        RequestRefusal::new(ProblemCode::Internal, "The request could not be answered.").into_response()
    });
    let endpoints = endpoints::all();
    let list = endpoints.list.clone();
    // Behind the endpoints is everything that needs no key.
    let router = session::mount(endpoints.into_router()).fallback(outside::answer);
    let router = mcp::mount(router.with_state(Arc::clone(service)), service).layer(panicked);
    Layers::around(router, &list, service)
}
