//! What lies outside `/v1` and needs no key: health, metrics, the machine-readable contract, pages for people.

use crate::negotiate::Encoding;
use crate::problem::Code;
use crate::reply::{HTML, JSON, PLAIN, Reply};
use crate::service::Service;
use crate::settings::MetricsExposure;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use std::net::IpAddr;

const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
/// Pages load nothing from anywhere and run no script.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
);
/// The dashboard may load its own files and ask its own origin.
const ASSET_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
);

/// `None`: there is nothing at this path.
pub fn answer(service: &Service, path: &str, peer: IpAddr, encoding: Encoding) -> Option<Reply> {
    match path {
        "/healthz" => Some(Reply::new(StatusCode::OK, PLAIN, Bytes::from_static(b"ok\n"))),
        "/readyz" if service.is_ready() => {
            Some(Reply::new(StatusCode::OK, PLAIN, Bytes::from_static(b"ready\n")))
        }
        // The caller turns this into a problem with Retry-After.
        "/readyz" => None,
        "/metrics" => {
            let open = match service.metrics_exposure {
                MetricsExposure::Off => false,
                MetricsExposure::Loopback => peer.to_canonical().is_loopback(),
                MetricsExposure::Everyone => true,
            };
            open.then(|| Reply::new(StatusCode::OK, PROMETHEUS, service.render_metrics()))
        }
        "/openapi.json" => {
            let form = service.openapi.form(encoding);
            let mut reply = Reply::new(StatusCode::OK, JSON, form.body.clone());
            reply.encoding = encoding.header();
            reply.more.push((header::VARY, HeaderValue::from_static("Accept-Encoding")));
            reply.etag = Some(form.etag.clone());
            reply.cache_control = HeaderValue::from_static("public, max-age=300");
            Some(reply)
        }
        _ => page_or_asset(service, path),
    }
}

fn page_or_asset(service: &Service, path: &str) -> Option<Reply> {
    if let Some(slug) = path.strip_prefix("/problems/") {
        return Code::from_slug(slug).map(problem_page);
    }
    if let Some(asset) = service.assets.as_ref().and_then(|a| a.get(path)) {
        let mut reply = Reply::new(StatusCode::OK, HeaderValue::from_static(asset.content_type), asset.body);
        reply.cache_control = HeaderValue::from_static("no-cache");
        reply.more.extend([
            (header::CONTENT_SECURITY_POLICY, ASSET_POLICY),
            (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        ]);
        return Some(reply);
    }
    match path {
        "/" => Some(page(
            "Global stability",
            "<p>The dashboard is not part of this build. The interface is under <code>/v1</code>; its contract is \
             <a href=\"/openapi.json\">/openapi.json</a>, its reference <a href=\"/docs\">/docs</a>.</p>",
        )),
        "/docs" => Some(page(
            "API reference",
            "<p>The machine-readable contract is <a href=\"/openapi.json\">/openapi.json</a> (OpenAPI 3.1). Every \
             request under <code>/v1</code> carries <code>Authorization: Bearer &lt;key&gt;</code>.</p>",
        )),
        "/problems" | "/problems/" => Some(problem_list()),
        _ => None,
    }
}

fn problem_page(code: Code) -> Reply {
    let status = code.number();
    page(
        code.title(),
        &format!("<p>{}</p><p><code>{}</code>, status {status}</p>", code.explanation(), code.slug()),
    )
}

fn problem_list() -> Reply {
    let items: String = Code::ALL
        .iter()
        .map(|c| format!("<li><a href=\"/problems/{0}\"><code>{0}</code></a> {1}</li>", c.slug(), c.title()))
        .collect();
    page("Problems", &format!("<ul>{items}</ul>"))
}

fn page(title: &str, body: &str) -> Reply {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>body{{font:16px/1.5 system-ui,sans-serif;\
         max-width:40em;margin:4em auto;padding:0 1em}}</style><h1>{title}</h1>{body}</html>\n"
    );
    let mut reply = Reply::new(StatusCode::OK, HTML, html);
    reply.cache_control = HeaderValue::from_static("public, max-age=300");
    reply.more.extend([
        (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    ]);
    reply
}
