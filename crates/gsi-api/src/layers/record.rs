//! The outermost layer: creates the request's context, and records the request in the metrics and the request log.

use crate::auth::client_address::Peer;
use crate::request::context::RequestContext;
use crate::state::service::Service;
use crate::telemetry::log::LogLine;
use axum::Extension;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::Body as _;
use std::sync::Arc;

/// The status in the log and the metrics when the client hung up before the answer was ready.
const HUNG_UP: u16 = 499;

/// Answers a request, and records it when the answer is ready or the client has hung up.
pub(crate) async fn record(
    State(service): State<Arc<Service>>,
    Extension(Peer(peer)): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let context = Arc::new(RequestContext::begin(&service, &request, peer));
    request.extensions_mut().insert(Arc::clone(&context));
    let mut unanswered = UnansweredRequest { context, is_answered: false };
    let response = next.run(request).await;
    unanswered.is_answered = true;
    // The size of a stream is unknown here, so it is recorded as 0 bytes.
    let bytes = response.body().size_hint().exact().unwrap_or(0);
    write(&unanswered.context, response.status().as_u16(), bytes);
    response
}

/// Records the request as hung up if it is dropped before the answer is ready: the server drops a request's future
/// when its client disconnects.
struct UnansweredRequest {
    context: Arc<RequestContext>,
    is_answered: bool,
}

impl Drop for UnansweredRequest {
    fn drop(&mut self) {
        if !self.is_answered {
            write(&self.context, HUNG_UP, 0);
        }
    }
}

fn write(context: &RequestContext, status: u16, bytes: u64) {
    let (service, elapsed) = (&context.service, context.begun.elapsed());
    service.telemetry.metrics.count_request(context.label(), status, elapsed, bytes);
    if service.telemetry.log.is_on() {
        service.telemetry.log.push(&LogLine {
            at: service.clock.now(),
            method: context.method.as_str(),
            path: context.path(),
            status,
            client: context.client,
            key: context.auth().map(|auth| auth.key.id.as_str()),
            refused_key: context.refused_key().map(String::as_str),
            micros: elapsed.as_micros() as u64,
            bytes,
            request_id: context.id,
        });
    }
}
