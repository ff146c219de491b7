//! A listener of its own for those who watch the service: `/metrics`, `/healthz` and `/readyz`, nothing else, no key.

use crate::service::Service;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// A few scrapers; whoever opens more waits.
const CONNECTIONS: usize = 64;
/// A scraper that says nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(75);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown` completes. The listener is the operator's choice, so whoever reaches it is answered.
pub async fn serve_metrics(service: Arc<Service>, listener: TcpListener, shutdown: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::pin!(shutdown);
    loop {
        let place = tokio::select! {
            () = &mut shutdown => return,
            place = places.clone().acquire_owned() => place,
        };
        let accepted = tokio::select! {
            () = &mut shutdown => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = service.clone();
        tokio::spawn(async move {
            let _place = place;
            let answers = service_fn(move |request| {
                let response = answer(&service, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .serve_connection(TokioIo::new(stream), answers)
                .await;
        });
    }
}

fn answer(service: &Service, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let plain = |status, text: &'static str| {
        (status, "text/plain; charset=utf-8", Bytes::from_static(text.as_bytes()))
    };
    let (status, kind, body) = if request.method() != Method::GET && request.method() != Method::HEAD {
        plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n")
    } else {
        match request.uri().path() {
            "/metrics" => {
                (StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", service.render_metrics().into())
            }
            "/healthz" => plain(StatusCode::OK, "ok\n"),
            "/readyz" if service.is_ready() => plain(StatusCode::OK, "ready\n"),
            "/readyz" => {
                plain(StatusCode::SERVICE_UNAVAILABLE, "not ready: nothing has been published yet\n")
            }
            _ => plain(StatusCode::NOT_FOUND, "here are /metrics, /healthz and /readyz\n"),
        }
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
