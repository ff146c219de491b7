//! Serves files as JSON to clients with a key, in the usual style of axum: `plain-router PORT FOLDER KEY…`. A file's name is its
//! path, with `_` in place of `/`.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// More than the benchmark requests, so that every request is counted and none is refused.
const PER_SECOND: NonZeroU32 = NonZeroU32::new(10_000_000).unwrap();

/// Headers that every answer has.
const HEADERS: [(&str, &str); 6] = [
    ("cache-control", "private, max-age=60"),
    ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ("ratelimit-policy", "\"key\";q=600000000;w=60"),
    ("vary", "Accept-Encoding, Authorization"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

struct Gate {
    quotas: HashMap<[u8; 32], DefaultDirectRateLimiter>,
    requests: AtomicU64,
}

async fn admit(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let authorization = request.headers().get(header::AUTHORIZATION);
    let key =
        authorization.and_then(|value| value.to_str().ok()).and_then(|text| text.strip_prefix("Bearer "));
    let Some(quota) = key.and_then(|key| gate.quotas.get::<[u8; 32]>(&Sha256::digest(key).into())) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    if let Err(until) = quota.check() {
        let seconds = until.wait_time_from(DefaultClock::default().now()).as_secs();
        return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, seconds.to_string())]).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.reserve(HEADERS.len() + 1);
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let id = format!("{:016x}", gate.requests.fetch_add(1, Ordering::Relaxed));
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert("x-request-id", id);
    }
    response
}

fn endpoint(body: String) -> axum::routing::MethodRouter {
    let etag = format!(
        "\"{:x}\"",
        Sha256::digest(&body).iter().take(8).fold(0u64, |tag, byte| tag << 8 | u64::from(*byte))
    );
    let (body, etag) =
        (axum::body::Bytes::from(body), HeaderValue::try_from(etag).expect("hexadecimal digits"));
    get(move |headers: HeaderMap| {
        let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|tag| *tag == etag);
        let (body, etag) = (body.clone(), etag.clone());
        async move {
            if is_known {
                return (StatusCode::NOT_MODIFIED, [(header::ETAG, etag)]).into_response();
            }
            let kind = HeaderValue::from_static("application/json");
            ([(header::ETAG, etag), (header::CONTENT_TYPE, kind)], body).into_response()
        }
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(port), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: plain-router PORT FOLDER KEY…".into());
    };
    let quota = || RateLimiter::direct(Quota::per_second(PER_SECOND));
    let quotas = arguments.map(|key| (Sha256::digest(key).into(), quota())).collect();
    let gate = Arc::new(Gate { quotas, requests: AtomicU64::new(0) });
    let mut router = Router::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| "a name that is no text")?;
        router = router.route(&name.replace('_', "/"), endpoint(std::fs::read_to_string(entry.path())?));
    }
    let router = router.layer(middleware::from_fn_with_state(gate, admit));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
        Ok(axum::serve(listener, router).await?)
    })
}
