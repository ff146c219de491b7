//! What surrounds every endpoint, outermost first:
//!
//! 1. [`Account`]: request id, common headers, problem documents, request log and metrics.
//! 2. [`Gate`]: limits on the head, preflights, the key and its quota. Nothing under `/v1` is looked up before it.
//! 3. [`PreparedAnswers`]: the bodies made ready at publication, answered without going through the router.
//! 4. the router, where each endpoint has its own layer for label and scope (`endpoints`), and a layer that turns a
//!    panic into a problem.
//!
//! The limits on work in progress are taken by the job that reads the store (`context::ResponseContext`), because they
//! must outlive a caller who hangs up.

mod account;
mod gate;
mod prepared_answers;

pub use account::Account;

use crate::context::RequestContext;
use crate::endpoints::{self, outside, session};
use crate::mcp;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::public_reading::PublicReading;
use crate::service::Service;
use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::future::Either;
use gate::Gate;
use prepared_answers::PreparedAnswers;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::IpAddr;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// A request on its way through the layers.
pub struct Call {
    pub service: Arc<Service>,
    pub context: Arc<RequestContext>,
    pub request: Request,
}

/// An answer that a layer gives itself, or the one from further inside.
type LayerAnswer<F> = Either<Ready<Result<Response, Infallible>>, F>;

fn answer<F>(response: impl IntoResponse) -> LayerAnswer<F> {
    Either::Left(ready(Ok(response.into_response())))
}

/// All layers around the router, for one connection.
pub type Stack = Account<Gate<PreparedAnswers<Router>>>;

/// Makes the layers for each connection over one router.
#[derive(Clone)]
pub struct Stacks {
    service: Arc<Service>,
    prepared: PreparedAnswers<Router>,
    public: Option<Arc<PublicReading>>,
}

impl Stacks {
    pub fn new(service: &Arc<Service>) -> Self {
        let counted = Arc::clone(service);
        let panicked = CatchPanicLayer::custom(move |_| {
            counted.metrics.panics.inc();
            RequestRefusal::new(ProblemCode::Internal, "The request could not be answered.").into_response()
        });
        let endpoints = endpoints::all();
        let list = endpoints.list.clone();
        let open = list.iter().map(|endpoint| (endpoint.path.as_str(), endpoint.public));
        let public = PublicReading::new(&service.public, &service.limits, open).map(Arc::new);
        // Behind the endpoints is everything that needs no key.
        let router = session::mount(endpoints.into_router()).fallback(outside::answer);
        let router = mcp::mount(router.with_state(Arc::clone(service)), service).layer(panicked);
        Stacks { service: Arc::clone(service), prepared: PreparedAnswers::new(router, &list), public }
    }

    pub fn for_peer(&self, peer: IpAddr) -> Stack {
        Account::new(Arc::clone(&self.service), peer, Gate::new(self.prepared.clone(), self.public.clone()))
    }
}
