//! What surrounds every endpoint, outermost first:
//!
//! 1. `account`: request id, common headers, problem documents, request log and metrics.
//! 2. `Gate`: limits on the head, preflights, the key and its quota. Nothing under `/v1` is looked up before it.
//! 3. `PreparedAnswers`: the bodies made ready at publication, answered without going through the router.
//! 4. the router, where each endpoint has its own layer for label and scope (`gsi-http::endpoints`), and a layer that turns a
//!    panic into a problem (`gsi-http::router`).
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
use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use gate::Gate;
use http::{Request, Response};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use prepared_answers::PreparedAnswers;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

/// A request on its way through the layers.
pub struct Call {
    pub context: Arc<RequestContext>,
    pub request: Request<Body>,
}

/// A response with its body at hand, or with one that the router made.
pub type LayeredResponse = Response<Either<Full<Bytes>, Body>>;

/// What a layer answers with, at once where it can.
pub enum Answer {
    Now(LayeredResponse),
    Later(BoxFuture<'static, Result<LayeredResponse, Infallible>>),
}

impl Answer {
    fn of(response: impl IntoResponse) -> Self {
        Answer::Now(response.into_response().map(Either::Right))
    }
}

/// All layers around a router, for the requests of every connection.
pub struct Layers {
    service: Arc<Service>,
    gate: Gate,
}

impl Layers {
    pub fn around(router: Router, endpoints: &[Endpoint], service: &Arc<Service>) -> Self {
        let open = endpoints.iter().map(|endpoint| (endpoint.path.as_str(), endpoint.public));
        let public = PublicReading::new(&service.public, &service.limits, open).map(Arc::new);
        let gate = Gate::new(PreparedAnswers::new(router, endpoints), public);
        Layers { service: Arc::clone(service), gate }
    }

    pub fn respond(&self, request: Request<Incoming>, peer: IpAddr) -> Answer {
        let call = account::begin(&self.service, request, peer);
        let context = Arc::clone(&call.context);
        account::end(context, self.gate.answer(call))
    }
}
