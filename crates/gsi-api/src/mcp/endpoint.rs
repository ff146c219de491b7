//! `/mcp`, the endpoint for agents. Tools call the service's router, with the same keys, scopes and limits.
//!
//! The key's quota counts each request to `/mcp`, and what a tool's operation charges beyond one request.

use crate::auth::authenticate::authenticate;
use crate::auth::endpoint::{Access, Endpoint};
use crate::mcp::{Agent, Interface, Reply, ReplyFuture};
use crate::openapi;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::headers::{DATA_STATUS, NO_STORE, SIMULATED};
use crate::request::context::RequestContext;
use crate::settings::MCP_PATH;
use crate::state::service::Service;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use http::{Extensions, header};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt;

/// The largest request body. Typical calls have a few hundred bytes.
const MAX_BODY_BYTES: usize = 64 * 1024;
/// Maximum time for a request body to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest answer that a tool returns.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

type McpService = StreamableHttpService<Agent, NeverSessionManager>;

/// Adds `/mcp` to the router. Tools call a copy of the router without `/mcp`.
pub fn mount(router: Router, service: &Arc<Service>) -> Router {
    let interface = Arc::new(OwnRouter { service: Arc::clone(service), router: router.clone() });
    let agent = Agent::new(interface, &openapi::document());
    // The server keeps no state between calls, so that every replica can answer every call. It does not check host and
    // origin: every call needs a key in a header, and a page of another origin has no key.
    let settings = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let protocol: McpService = StreamableHttpService::new(
        move || Ok(agent.clone()),
        Arc::new(NeverSessionManager::default()),
        settings,
    );
    let endpoint = Endpoint::unlisted(MCP_PATH.to_owned(), "mcp", Access::KeyAlone);
    let handler = any(move |request| answer(protocol, request));
    router.route(MCP_PATH, handler.layer(from_fn_with_state(Arc::new(endpoint), authenticate)))
}

async fn answer(protocol: McpService, request: Request) -> Result<Response, RequestRefusal> {
    let (parts, body) = request.into_parts();
    let body = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY_BYTES)).await;
    let refuse = |detail| RequestRefusal::new(ProblemCode::BadRequest, detail);
    let body = body
        .map_err(|_| refuse("The question did not arrive in time.".to_owned()))?
        .map_err(|_| refuse(format!("A question may have {MAX_BODY_BYTES} bytes.")))?;
    let mut response = protocol.handle(Request::from_parts(parts, Body::from(body))).await.map(Body::new);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    Ok(response.into_response())
}

/// Sends tool calls to this process's router. Authentication skips them, because their context already has the key of
/// the agent's request.
struct OwnRouter {
    service: Arc<Service>,
    router: Router,
}

impl Interface for OwnRouter {
    fn get(&self, target: String, caller: &Extensions) -> ReplyFuture<'_> {
        let outer = caller.get::<Arc<RequestContext>>().cloned();
        Box::pin(async move {
            let outer = outer.ok_or("The request is not known.")?;
            let mut request = Request::get(&*target).body(Body::empty()).map_err(|e| e.to_string())?;
            let context = Arc::new(RequestContext::within(&outer, request.uri()));
            request.extensions_mut().insert(Arc::clone(&context));
            let Ok(mut response) = self.router.clone().oneshot(request).await;
            // The `complete` layer, which writes the body of a refusal, is outside this router.
            let body = match response.extensions_mut().remove::<RequestRefusal>() {
                Some(refusal) => refusal.body(context.path(), context.request_id()).into(),
                None => std::mem::take(response.body_mut()),
            };
            let body = to_bytes(body, MAX_ANSWER_BYTES).await.map_err(|e| e.to_string())?;
            let data_status = response.headers().get(DATA_STATUS).and_then(|v| v.to_str().ok());
            Ok(Reply {
                status: response.status().as_u16(),
                data_status: data_status.map(str::to_owned),
                is_simulated: self.service.published.simulated || response.headers().contains_key(SIMULATED),
                body: body.into(),
            })
        })
    }
}
