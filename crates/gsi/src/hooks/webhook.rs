//! Hooks over HTTP: signed by the Standard Webhooks specification, or one line of text for a chat.

use super::text::one_line;
use super::{DeliveryOutcome, HooksConfig};
use anyhow::Context;
use gsi_feeds::{GuardedResolver, is_private};
use gsi_model::{Delivery, Hook, Timestamp};
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook};
use std::time::{Duration, SystemTime};
use url::{Host, Url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// After these a later try may succeed. Any other 4xx is about the message or the address.
const TEMPORARY_REFUSALS: [StatusCode; 3] =
    [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS];

pub struct WebhookSender {
    http: reqwest::Client,
    allow_private: bool,
}

impl WebhookSender {
    pub fn new(config: &HooksConfig) -> anyhow::Result<WebhookSender> {
        // The process may have installed the same provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("gsi/", env!("CARGO_PKG_VERSION")))
            // An operator changes the address of a receiver. A redirect must not.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .no_proxy();
        let mut trusted_host = None;
        if !config.proxy.is_empty() {
            let proxy = proxy_address(&config.proxy).context("hooks.proxy")?;
            // The operator chose the proxy, which may be at a private address.
            trusted_host = proxy.host_str().map(str::to_owned);
            builder = builder.proxy(reqwest::Proxy::all(proxy).context("hooks.proxy")?);
        }
        if !config.allow_private {
            builder = builder.dns_resolver(GuardedResolver { trusted_host });
        }
        if !config.ca_file.is_empty() {
            let pem = std::fs::read(&config.ca_file).with_context(|| config.ca_file.clone())?;
            builder = builder.tls_certs_merge(reqwest::Certificate::from_pem_bundle(&pem)?);
        }
        let http = builder.build().context("cannot set up the HTTP client of hooks")?;
        Ok(WebhookSender { http, allow_private: config.allow_private })
    }

    /// Signs with every valid secret, so that a receiver can change its secret at any time in the grace period.
    pub async fn send_signed(&self, hook: &Hook, delivery: &Delivery, now: Timestamp) -> DeliveryOutcome {
        let mut signatures = Vec::new();
        for secret in hook.secrets.iter().filter(|s| s.until.is_none_or(|until| now < until)) {
            let signed = Webhook::new(&secret.text)
                .and_then(|w| w.sign(&delivery.message, now.unix(), delivery.body.as_bytes()));
            match signed {
                Ok(signature) => signatures.push(signature),
                Err(_) => return DeliveryOutcome::Failed("cannot read the hook's secret".to_owned()),
            }
        }
        let headers = [
            (HEADER_WEBHOOK_ID, delivery.message.clone()),
            (HEADER_WEBHOOK_TIMESTAMP, now.unix().to_string()),
            (HEADER_WEBHOOK_SIGNATURE, signatures.join(" ")),
        ];
        self.post(hook, delivery.body.clone(), &headers).await
    }

    pub async fn send_text(&self, hook: &Hook, delivery: &Delivery) -> DeliveryOutcome {
        // Escaped, so that a chat shows no mention, link or channel.
        let text = one_line(&delivery.body).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.post(hook, serde_json::json!({ "text": text }).to_string(), &[]).await
    }

    async fn post(&self, hook: &Hook, body: String, headers: &[(&'static str, String)]) -> DeliveryOutcome {
        let url = match check_address(&hook.url, self.allow_private) {
            Ok(url) => url,
            Err(why) => return DeliveryOutcome::Failed(format!("refused: {why}")),
        };
        let mut request = self.http.post(url).header(CONTENT_TYPE, "application/json").body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        // The body is not read, because only the status counts.
        match request.send().await {
            Ok(answer) => outcome_of(answer.status(), answer.headers()),
            Err(error) => DeliveryOutcome::Failed(reason(error)),
        }
    }
}

fn outcome_of(status: StatusCode, headers: &HeaderMap) -> DeliveryOutcome {
    let result = status.as_u16().to_string();
    if status.is_success() {
        return DeliveryOutcome::Accepted(result);
    }
    if status == StatusCode::GONE {
        return DeliveryOutcome::Gone;
    }
    if status.is_redirection() {
        return DeliveryOutcome::Failed(format!("{result}: redirects are not followed"));
    }
    if status.is_client_error() && !TEMPORARY_REFUSALS.contains(&status) {
        return DeliveryOutcome::Refused(result);
    }
    match retry_after(headers) {
        Some(retry_after) => DeliveryOutcome::Busy { result, retry_after },
        None => DeliveryOutcome::Failed(result),
    }
}

/// Parses `Retry-After`, which is a number of seconds or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok()
}

/// Parses the proxy's address. Without a scheme it means http.
fn proxy_address(text: &str) -> Result<Url, url::ParseError> {
    match Url::parse(text) {
        Ok(url) if url.has_host() => Ok(url),
        _ => Url::parse(&format!("http://{text}")),
    }
}

/// Returns why a request failed, without the address, which may be a secret.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut innermost: &dyn std::error::Error = &error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let what = if error.is_connect() { "no connection" } else { "no answer" };
    format!("{what}: {innermost}")
}

/// Returns the address if a hook may use it.
pub fn check_address(address: &str, allow_private: bool) -> Result<Url, String> {
    let url = Url::parse(address).map_err(|e| format!("not an address: {e}"))?;
    let private = match url.host() {
        Some(Host::Ipv4(ip)) => is_private(ip.into()),
        Some(Host::Ipv6(ip)) => is_private(ip.into()),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => return Err("an address without a host".to_owned()),
    };
    if private && !allow_private {
        return Err("a private address; hooks.allow_private = true permits it".to_owned());
    }
    match url.scheme() {
        "https" => {}
        "http" if allow_private => {}
        "http" => return Err("not encrypted: use https, or hooks.allow_private = true".to_owned()),
        other => return Err(format!("{other}: hooks use https")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password in the address".to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::tests::{delivery, hook};
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    #[tokio::test]
    async fn a_proxy_may_have_a_name_at_a_private_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requested = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).unwrap();
            line
        });
        for proxy in [format!("localhost:{port}"), format!("http://localhost:{port}")] {
            assert_eq!(proxy_address(&proxy).unwrap().host_str(), Some("localhost"), "{proxy}");
        }
        let config = HooksConfig { proxy: format!("http://localhost:{port}"), ..HooksConfig::default() };
        let sender = WebhookSender::new(&config).unwrap();
        // The proxy ends the connection.
        let outcome = sender.send_text(&hook("https://hooks.example.org/x"), &delivery()).await;
        assert!(matches!(&outcome, DeliveryOutcome::Failed(_)), "{outcome:?}");
        assert!(!outcome.result().contains("private address"), "{outcome:?}");
        assert_eq!(requested.join().unwrap().trim_end(), "CONNECT hooks.example.org:443 HTTP/1.1");
    }

    #[test]
    fn definite_answers_differ_from_outages() {
        let outcome = |status: u16, after: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(text) = after {
                headers.insert(RETRY_AFTER, text.parse().unwrap());
            }
            outcome_of(StatusCode::from_u16(status).unwrap(), &headers)
        };
        for status in [400, 401, 404, 413, 422] {
            for after in [None, Some("7")] {
                assert_eq!(outcome(status, after), DeliveryOutcome::Refused(status.to_string()));
            }
        }
        for status in [408, 425, 429, 500, 503] {
            let (result, retry_after) = (status.to_string(), Duration::from_secs(7));
            assert_eq!(outcome(status, None), DeliveryOutcome::Failed(result.clone()));
            assert_eq!(outcome(status, Some("soon")), DeliveryOutcome::Failed(result.clone()));
            assert_eq!(outcome(status, Some("7")), DeliveryOutcome::Busy { result, retry_after });
        }
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(600));
        let DeliveryOutcome::Busy { retry_after, .. } = outcome(503, Some(&date)) else { panic!("{date}") };
        assert!((500..=600).contains(&retry_after.as_secs()), "{retry_after:?}");
        assert_eq!(outcome(410, None), DeliveryOutcome::Gone);
        assert_eq!(outcome(204, None), DeliveryOutcome::Accepted("204".to_owned()));
    }

    #[test]
    fn private_addresses_need_a_setting() {
        for (address, public, private) in [
            ("https://hooks.example.org/a?b=c", true, true),
            ("http://hooks.example.org/a", false, true),
            ("https://127.0.0.1/", false, true),
            ("https://[::1]:8443/", false, true),
            ("http://10.0.0.7:9000/x", false, true),
            ("https://localhost/", false, true),
            ("https://user:pass@example.org/", false, false),
            ("ftp://example.org/", false, false),
            ("mailto:a@example.org", false, false),
            ("example.org", false, false),
        ] {
            assert_eq!(check_address(address, false).is_ok(), public, "{address}");
            assert_eq!(check_address(address, true).is_ok(), private, "{address}");
        }
    }
}
