//! What surrounds every endpoint, outermost first:
//!
//! 1. `Account`: request id, common headers, problem documents, request log and metrics.
//! 2. `Gate`: limits on the head, preflights, the key and its quota. Nothing under `/v1` is looked up before it.
//! 3. `PreparedAnswers`: the bodies made ready at publication, answered without going through the router.
//! 4. the router, where each endpoint has its own layer for label and scope (`endpoints`), and a layer that turns a
//!    panic into a problem.
//!
//! The limits on work in progress are taken by the job that reads the store (`context::ResponseContext`), because they
//! must outlive a caller who hangs up.

mod account;
mod gate;
mod prepared_answers;

use crate::context::RequestContext;
use crate::endpoint::Endpoint;
use crate::public_reading::PublicReading;
use crate::service::Service;
use account::Account;
use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::future::{BoxFuture, Either};
use gate::Gate;
use hyper::body::Incoming;
use prepared_answers::PreparedAnswers;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::IpAddr;
use std::sync::Arc;
use tower::Service as _;

/// A request on its way through the layers.
pub struct Call {
    pub context: Arc<RequestContext>,
    pub request: Request,
}

/// An answer that a layer gives itself, or the one from further inside.
type LayerAnswer<F> = Either<Ready<Result<Response, Infallible>>, F>;

fn answer<F>(response: impl IntoResponse) -> LayerAnswer<F> {
    Either::Left(ready(Ok(response.into_response())))
}

/// All layers around a router, for the requests of every connection.
pub struct Layers {
    service: Arc<Service>,
    prepared: PreparedAnswers<Router>,
    public: Option<Arc<PublicReading>>,
}

impl Layers {
    pub fn around(router: Router, endpoints: &[Endpoint], service: &Arc<Service>) -> Self {
        let open = endpoints.iter().map(|endpoint| (endpoint.path.as_str(), endpoint.public));
        let public = PublicReading::new(&service.public, &service.limits, open).map(Arc::new);
        let prepared = PreparedAnswers::new(router, endpoints);
        Layers { service: Arc::clone(service), prepared, public }
    }

    pub fn respond(
        &self,
        request: http::Request<Incoming>,
        peer: IpAddr,
    ) -> BoxFuture<'static, Result<Response, Infallible>> {
        let gate = Gate::new(self.prepared.clone(), self.public.clone());
        Box::pin(Account::new(Arc::clone(&self.service), peer, gate).call(request))
    }
}
