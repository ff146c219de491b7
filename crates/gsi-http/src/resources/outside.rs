//! What lies outside `/v1` and needs no key: health, metrics, the machine-readable contract, pages for people.

use crate::negotiate::Encoding;
use crate::problem::Code;
use crate::reply::{HTML, JSON, PLAIN, Reply};
use crate::service::Service;
use crate::settings::MetricsExposure;
use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderName, HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::LazyLock;

const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
/// The dashboard may load its own files and ask its own origin; nothing inline runs or styles. Pictures in style
/// sheets come as data.
macro_rules! asset_policy {
    ($frames:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ",
            "font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors ",
            $frames
        ))
    };
}
const ASSET_POLICY: HeaderValue = asset_policy!("'none'");
/// The gauge is there to be put into other pages. It only shows; there is nothing to be tricked into pressing.
const EMBED_POLICY: HeaderValue = asset_policy!("*");
/// None of this is used, and nothing embedded may use it either.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
);
/// Built files carry a digest in their name: another content has another name.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The one style of the plain pages; the policy names it by its digest.
const PAGE_STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:4em auto;padding:0 1em;color-scheme:light dark}";

/// `None`: there is nothing at this path.
pub fn answer(
    service: &Service,
    path: &str,
    query: Option<&str>,
    peer: IpAddr,
    encoding: Encoding,
) -> Option<Reply> {
    match path {
        "/healthz" => Some(Reply::new(StatusCode::OK, PLAIN, Bytes::from_static(b"ok\n"))),
        "/readyz" if service.is_ready() && service.store_is_gone() => {
            let text = Bytes::from_static(b"ready, from memory: the store does not answer\n");
            Some(Reply::new(StatusCode::OK, PLAIN, text))
        }
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
        _ => page_or_asset(service, path, query, encoding),
    }
}

fn page_or_asset(service: &Service, path: &str, query: Option<&str>, encoding: Encoding) -> Option<Reply> {
    if let Some(slug) = path.strip_prefix("/problems/") {
        return Code::from_slug(slug).map(problem_page);
    }
    if let Some(asset) = service.shelf.as_ref().and_then(|shelf| shelf.get(path)) {
        let form = asset.document.form(encoding);
        let mut reply = Reply::new(StatusCode::OK, asset.content_type, form.body.clone());
        reply.encoding = encoding.header();
        reply.etag = Some(form.etag.clone());
        reply.cache_control =
            if path.starts_with("/assets/") { FOR_EVER } else { HeaderValue::from_static("no-cache") };
        reply.more.push((header::VARY, HeaderValue::from_static("Accept-Encoding")));
        let embeds = path == "/" && query.is_some_and(asks_to_embed);
        protect(&mut reply, if embeds { EMBED_POLICY } else { ASSET_POLICY }, embeds);
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
         content=\"width=device-width\"><title>{title}</title><style>{PAGE_STYLE}</style><h1>{title}</h1>{body}</html>\n"
    );
    let mut reply = Reply::new(StatusCode::OK, HTML, html);
    reply.cache_control = HeaderValue::from_static("public, max-age=300");
    protect(&mut reply, page_policy(), false);
    reply
}

/// Plain pages load nothing from anywhere and run no script.
fn page_policy() -> HeaderValue {
    static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
        let digest = BASE64.encode(&Sha256::digest(PAGE_STYLE.as_bytes()));
        let text = format!(
            "default-src 'none'; style-src 'sha256-{digest}'; form-action 'none'; base-uri 'none'; \
             frame-ancestors 'none'"
        );
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("default-src 'none'"))
    });
    POLICY.clone()
}

/// What every page tells the browser not to do.
fn protect(reply: &mut Reply, policy: HeaderValue, embeds: bool) {
    reply.more.extend([
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    ]);
    if !embeds {
        reply.more.push((header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")));
    }
}

fn asks_to_embed(query: &str) -> bool {
    query.split('&').any(|pair| pair == "embed=gauge")
}
