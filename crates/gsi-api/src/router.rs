//! The router of all endpoints and the layers around it.
//!
//! A request passes, from the outside in:
//!
//! 1. `layers::record`: begins the request's context; writes metrics and the request log.
//! 2. `layers::complete`: turns a refusal into a problem document and adds the headers that all answers share.
//! 3. `CatchPanicLayer`: turns a panic into a refusal.
//! 4. the router, which matches the path.
//! 5. `auth::authenticate` on each route, with the access that the endpoint declares, and on the fallback.
//! 6. the handler.
//!
//! Limits on work in progress are no layer: the job that reads the store takes its places itself
//! (`request::context::ResponseContext::read_store`), because they must stay taken when the client hangs up.

use crate::auth::authenticate::authenticate_unmatched;
use crate::layers::{complete, record};
use crate::mcp::endpoint as mcp;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::resources::{self, session, site};
use crate::state::service::Service;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};
use std::convert::Infallible;
use std::sync::Arc;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;

/// The whole interface as one service.
pub fn interface(
    service: Arc<Service>,
) -> impl tower::Service<Request, Response = Response, Error = Infallible, Future: Send + 'static>
+ Clone
+ Send
+ Sync
+ 'static {
    let counted = Arc::clone(&service);
    let catch_panic = CatchPanicLayer::custom(move |_| {
        counted.telemetry.metrics.panics.inc();
        RequestRefusal::new(ProblemCode::Internal, "The request could not be answered.").into_response()
    });
    let unmatched: MethodRouter =
        any(site::answer).layer(from_fn(authenticate_unmatched)).with_state(Arc::clone(&service));
    let router: Router = session::mount(resources::all().into_router())
        .with_state(Arc::clone(&service))
        .fallback_service(unmatched);
    // Tools call this router directly, inside a task of the protocol's library that swallows panics.
    let router = mcp::mount(router.layer(catch_panic.clone()), &service);
    ServiceBuilder::new()
        .layer(from_fn_with_state(service, record))
        .layer(from_fn(complete))
        .layer(catch_panic)
        .service(router)
}
