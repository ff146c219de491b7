//! What surrounds every endpoint, outermost first:
//!
//! 1. `account`: request id, common headers, problem documents, request log and metrics.
//! 2. `Gate`: limits on the head, preflights, the key and its quota. Nothing under `/v1` is looked up before it.
//! 3. `PreparedAnswers`: the bodies made ready at publication, answered without going through the router.
//! 4. the router, where each endpoint has its own layer for label and scope (`resources`), and a layer that turns a
//!    panic into a problem (`router`).
//!
//! They are called one after the other, by reference, and are not services of tower that each wrap the next: then each layer has
//! a future of its own, with the whole response in it, also where the answer is at hand. Going without took a tenth of the
//! instructions outside the kernel from a request. The router, its panics, and the label and scope of each endpoint are tower's.
//!
//! The limits on work in progress are taken by the job that reads the store (`context::ResponseContext`), because they
//! must outlive a caller who hangs up.

mod account;
mod gate;
mod prepared_answers;

use crate::auth::endpoint::Endpoint;
use crate::auth::guarded::GuardedPaths;
use crate::auth::public_reading::PublicReading;
use crate::request::context::RequestContext;
use crate::settings::MCP_PATH;
use crate::state::service::Service;
use account::{account_for, discard, end_later};
use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response as RoutedResponse};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use gate::{Gate, GateVerdict, UnknownKey};
use http::{Request, Response};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use prepared_answers::PreparedAnswers;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use tower::Service as _;

/// A response with its body at hand, or with one that the router made.
pub type LayeredResponse = Response<Either<Full<Bytes>, Body>>;

/// An answer that is at hand, as it is to most requests, or one that is waited for.
pub enum NowOrLater {
    Now(LayeredResponse),
    Later(BoxFuture<'static, Result<LayeredResponse, Infallible>>),
}

/// All layers around a router, for the requests of every connection.
pub struct Layers(Arc<Stack>);

struct Stack {
    service: Arc<Service>,
    gate: Gate,
    prepared: PreparedAnswers,
    router: Router,
}

impl Layers {
    pub fn around(router: Router, endpoints: &[Endpoint], service: &Arc<Service>) -> Self {
        let open = endpoints.iter().map(|endpoint| (endpoint.path.as_str(), endpoint.public));
        let public = PublicReading::new(&service.exposure.public, &service.limits, open);
        let gate = Gate::new(GuardedPaths::of(endpoints), public);
        let prepared = PreparedAnswers::new(endpoints);
        Layers(Arc::new(Stack { service: Arc::clone(service), gate, prepared, router }))
    }

    pub fn respond(&self, request: Request<Incoming>, peer: IpAddr) -> NowOrLater {
        let Layers(stack) = self;
        let is_guarded = stack.gate.guards(request.uri().path());
        let context = Arc::new(RequestContext::begin(&stack.service, &request, peer, is_guarded));
        let at_hand = match stack.gate.judge(&context, &request) {
            GateVerdict::Admitted => stack.prepared.answer(&context, &request).map(|r| r.map(Either::Left)),
            GateVerdict::Answered(response) => Some(response.map(Either::Right)),
            GateVerdict::KeyMayBeNew(key) => {
                let answer = Arc::clone(stack).answer_to_new_key(Arc::clone(&context), request, key);
                return NowOrLater::Later(Box::pin(end_later(context, answer)));
            }
        };
        match at_hand {
            Some(response) => {
                let response = account_for(response, &context);
                discard(&context, request.into_body());
                NowOrLater::Now(response)
            }
            None => {
                let answer = stack.route(Arc::clone(&context), request);
                NowOrLater::Later(Box::pin(end_later(context, answer)))
            }
        }
    }
}

impl Stack {
    /// The key is not known, and may have been made a moment ago.
    async fn answer_to_new_key(
        self: Arc<Self>,
        context: Arc<RequestContext>,
        request: Request<Incoming>,
        UnknownKey { id, refusal }: UnknownKey,
    ) -> RoutedResponse {
        let mut verdict = GateVerdict::Answered(refusal.into_response());
        if self.service.finds_new_key(&id, context.begun).await {
            context.look_at_clock();
            verdict = self.gate.judge(&context, &request);
        }
        let refused = match verdict {
            GateVerdict::Admitted => return self.route(context, request).await,
            GateVerdict::Answered(response) => response,
            GateVerdict::KeyMayBeNew(key) => key.refusal.into_response(),
        };
        discard(&context, request.into_body());
        refused
    }

    fn route(
        &self,
        context: Arc<RequestContext>,
        request: Request<Incoming>,
    ) -> impl Future<Output = RoutedResponse> + use<> {
        let (parts, body) = request.into_parts();
        let body = if parts.uri.path() == MCP_PATH {
            Body::new(body)
        } else {
            discard(&context, body);
            Body::empty()
        };
        let mut request = Request::from_parts(parts, body);
        request.extensions_mut().insert(context);
        let answer = self.router.clone().call(request);
        async {
            let Ok(response) = answer.await;
            response
        }
    }
}
