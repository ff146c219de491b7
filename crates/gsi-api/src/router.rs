//! The router of all endpoints and of what needs no key, with a layer that turns a panic into a problem.

use crate::layers::Layers;
use crate::mcp::endpoint as mcp;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::resources::{self, session, site};
use crate::state::service::Service;
use axum::response::IntoResponse;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// The router with all layers around it.
pub fn layered(service: &Arc<Service>) -> Layers {
    let counted = Arc::clone(service);
    let panicked = CatchPanicLayer::custom(move |_| {
        counted.telemetry.metrics.panics.inc();
        RequestRefusal::new(ProblemCode::Internal, "The request could not be answered.").into_response()
    });
    let endpoints = resources::all();
    let list = endpoints.list.clone();
    // Behind the endpoints is everything that needs no key.
    let router = session::mount(endpoints.into_router()).fallback(site::answer);
    let router = mcp::mount(router.with_state(Arc::clone(service)), service).layer(panicked);
    Layers::around(router, &list, service)
}
