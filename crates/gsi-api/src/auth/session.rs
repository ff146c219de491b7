//! The dashboard's sign-in: a cookie replaces the key for one session, so that no script has to store the key.
//!
//! The cookie contains the key's id, the session's end, and a seal of both (an HMAC under the stored hash of the key's
//! secret). Every replica can check it without stored sessions, and it becomes invalid with its key. The cookie permits
//! only reads and its own renewal. Browsers hide it from scripts (`HttpOnly`) and do not send it with requests from
//! other sites (`SameSite=Strict`).

use crate::auth::key_ring::KeyEntry;
use crate::settings::MCP_PATH;
use gsi_model::{HOUR, Timestamp};
use http::{HeaderMap, HeaderName, Method, Uri, header};
use subtle::ConstantTimeEq;

/// The path at which the dashboard signs in and out.
pub const SESSION_PATH: &str = "/session";
/// The length of a session. An open dashboard renews its session before the end.
pub const SESSION_SECONDS: i64 = 12 * HOUR;
const COOKIE: &str = "gsi_session";
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The content of a session cookie. `is_valid_for` verifies it.
#[derive(Debug, PartialEq, Eq)]
pub struct SessionToken<'a> {
    pub(crate) key_id: &'a str,
    pub ends_at: Timestamp,
    seal: &'a str,
}

impl<'a> SessionToken<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split('.');
        let (key_id, end, seal) = (parts.next()?, parts.next()?, parts.next()?);
        let ends_at = Timestamp::from_unix(end.parse().ok()?);
        parts.next().is_none().then_some(SessionToken { key_id, ends_at, seal })
    }

    /// Returns whether this key opened the session, and `wall` (wall-clock time) is before the session's end.
    pub(crate) fn is_valid_for(&self, key: &KeyEntry, wall: Timestamp) -> bool {
        let seal = key.seal(&sealed_text(self.key_id, self.ends_at));
        wall < self.ends_at && !seal.is_empty() && bool::from(seal.as_bytes().ct_eq(self.seal.as_bytes()))
    }
}

fn sealed_text(key_id: &str, ends_at: Timestamp) -> String {
    format!("session of {key_id} until {}", ends_at.unix())
}

/// Returns the cookie value of a new session.
pub fn open(key: &KeyEntry, ends_at: Timestamp) -> String {
    format!("{}.{}.{}", key.id, ends_at.unix(), key.seal(&sealed_text(&key.id, ends_at)))
}

/// Returns the session of a read. Requests with a key, from another site, or to `/mcp` do not use a session.
pub(crate) fn of_read<'a>(method: &Method, uri: &Uri, headers: &'a HeaderMap) -> Option<SessionToken<'a>> {
    let reads = matches!(*method, Method::GET | Method::HEAD) && uri.path() != MCP_PATH;
    if !reads || headers.contains_key(header::AUTHORIZATION) || !is_own(headers) {
        return None;
    }
    find(uri, headers)
}

/// Returns the session in the request's cookies, if there is one.
pub fn find<'a>(uri: &Uri, headers: &'a HeaderMap) -> Option<SessionToken<'a>> {
    // Most requests without a key have no cookie either.
    if !headers.contains_key(header::COOKIE) {
        return None;
    }
    let name = cookie_name(uri, headers);
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    SessionToken::parse(pairs.find(|(found, _)| *found == name)?.1)
}

/// Returns false if `Sec-Fetch-Site` reports a page of another origin. Old browsers, and clients that are not browsers,
/// do not send this header.
pub fn is_own(headers: &HeaderMap) -> bool {
    headers.get(FETCH_SITE).is_none_or(|site| matches!(site.as_bytes(), b"same-origin" | b"none"))
}

/// Returns the cookie's name. It contains the port, because browsers send a cookie to every port of a host, and several
/// services may share a host.
fn cookie_name(uri: &Uri, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| uri.authority().map(|authority| authority.as_str())).unwrap_or_default();
    match host.rsplit_once(':') {
        Some((_, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{COOKIE}_{port}")
        }
        _ => COOKIE.to_owned(),
    }
}

/// Returns the `Set-Cookie` header that stores a token for `seconds`, or removes it if `seconds` is 0.
pub fn set_cookie(uri: &Uri, headers: &HeaderMap, token: &str, seconds: i64) -> String {
    let name = cookie_name(uri, headers);
    // `Origin` shows whether the browser uses TLS, even if a proxy terminates it.
    let origin = headers.get(header::ORIGIN).map(|origin| origin.as_bytes());
    let secure = if origin.is_some_and(|o| o.starts_with(b"https://")) { "; Secure" } else { "" };
    format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(n, v)| (HeaderName::from_static(n), v.parse().unwrap())).collect()
    }

    #[test]
    fn a_session_is_bound_to_its_key_and_its_end() {
        let now = Timestamp::from_unix(1_000_000);
        let key = KeyEntry::operator("a-secret", None);
        let text = open(&key, now.plus(SESSION_SECONDS));
        let token = SessionToken::parse(&text).unwrap();
        assert!(token.is_valid_for(&key, now));
        assert!(!token.is_valid_for(&key, now.plus(SESSION_SECONDS)), "it has ended");
        assert!(!token.is_valid_for(&KeyEntry::operator("another", None), now), "the key was changed");
        let longer = text.replace(&token.ends_at.unix().to_string(), "9999999999");
        assert!(!SessionToken::parse(&longer).unwrap().is_valid_for(&key, now), "its end cannot be moved");
        for broken in ["", "a", "a.1", "a.b.c", "a.1.c.d"] {
            assert_eq!(SessionToken::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_session_only_reads_and_only_for_pages_of_this_service() {
        let uri = Uri::from_static("/v1/global-stability");
        let cookie = ("cookie", "other=1; gsi_session_8080=id.5.seal; gsi_session=id.6.seal");
        let host = ("host", "127.0.0.1:8080");
        let found = |method: Method, uri: &Uri, pairs: &[(&'static str, &str)]| {
            of_read(&method, uri, &headers(pairs)).map(|token| token.ends_at.unix())
        };
        assert_eq!(found(Method::GET, &uri, &[cookie, host]), Some(5), "each port has its own cookie");
        assert_eq!(found(Method::GET, &uri, &[cookie, ("host", "gsi.example")]), Some(6));
        assert_eq!(found(Method::GET, &uri, &[cookie, host, ("sec-fetch-site", "same-origin")]), Some(5));
        for other in ["same-site", "cross-site"] {
            assert_eq!(found(Method::GET, &uri, &[cookie, host, ("sec-fetch-site", other)]), None);
        }
        assert_eq!(found(Method::POST, &uri, &[cookie, host]), None);
        assert_eq!(found(Method::GET, &Uri::from_static(MCP_PATH), &[cookie, host]), None);
        assert_eq!(found(Method::GET, &uri, &[cookie, host, ("authorization", "Bearer x")]), None);
    }

    #[test]
    fn the_cookie_is_hidden_from_scripts_and_plain_connections() {
        let uri = Uri::from_static(SESSION_PATH);
        let plain = headers(&[("host", "localhost:9"), ("origin", "http://localhost:9")]);
        let made = set_cookie(&uri, &plain, "t", 60);
        assert_eq!(made, "gsi_session_9=t; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
        let sealed = headers(&[("host", "gsi.example"), ("origin", "https://gsi.example")]);
        assert!(set_cookie(&uri, &sealed, "t", 60).ends_with("; Secure"));
    }
}
