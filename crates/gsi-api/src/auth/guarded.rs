//! Which paths need a key: those of the endpoints, what lies under `/v1`, and what merely resembles it, before it is told that it
//! names nothing.

use crate::auth::endpoint::Endpoint;
use crate::auth::key_ring::KeySchemes;
use crate::settings::MCP_PATH;
use http::Uri;

pub(crate) struct GuardedPaths {
    /// Every endpoint, and how it takes keys, matched as the router matches.
    endpoints: matchit::Router<KeySchemes>,
}

impl GuardedPaths {
    pub(crate) fn of(endpoints: &[Endpoint]) -> Self {
        let mut paths = matchit::Router::new();
        for Endpoint { path, access, .. } in endpoints {
            // The router has the same paths, so none contradicts another.
            let _ = paths.insert(path.as_str(), access.schemes());
        }
        let _ = paths.insert(MCP_PATH, KeySchemes::Bearer);
        GuardedPaths { endpoints: paths }
    }

    /// Whether it is an endpoint's, or lies under `/v1` by any reading: escaped, doubled or backward slashes, dots, other case.
    pub(crate) fn contain(&self, path: &str) -> bool {
        path.starts_with("/v1/") || self.endpoints.at(path).is_ok() || resembles_v1(path)
    }

    /// What is made for feed readers and spreadsheets takes a key the way they can send one.
    pub(crate) fn key_schemes(&self, uri: &Uri) -> KeySchemes {
        let is_table = uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "format=csv"));
        match self.endpoints.at(uri.path()) {
            _ if is_table => KeySchemes::BearerOrBasic,
            Ok(endpoint) => *endpoint.value,
            Err(_) => KeySchemes::Bearer,
        }
    }
}

fn resembles_v1(path: &str) -> bool {
    // Decoding twice covers proxies that decode once before us.
    let once = lenient_decode(path.as_bytes());
    let twice = lenient_decode(&once);
    names_v1(path.as_bytes()) || names_v1(&once) || names_v1(&twice)
}

fn names_v1(path: &[u8]) -> bool {
    let mut stack: Vec<&[u8]> = Vec::new();
    for segment in path.split(|b| matches!(b, b'/' | b'\\')) {
        match segment {
            b"" | b"." => {}
            b".." => drop(stack.pop()),
            other => {
                // Seen on the way counts too: /v1/../x is not for strangers to probe.
                if stack.is_empty() && is_v1(other) {
                    return true;
                }
                stack.push(other);
            }
        }
    }
    false
}

fn is_v1(segment: &[u8]) -> bool {
    let visible: Vec<u8> = segment.iter().copied().filter(|b| b.is_ascii_graphic()).collect();
    // Path parameters: /v1;x=y
    visible.split(|b| matches!(b, b';')).next().is_some_and(|s| s.eq_ignore_ascii_case(b"v1"))
}

fn lenient_decode(path: &[u8]) -> Vec<u8> {
    percent_encoding::percent_decode(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::endpoint::Access;
    use gsi_model::Scope;

    #[test]
    fn everything_that_could_be_v1_is_guarded() {
        for path in [
            "/v1",
            "/v1/",
            "/v1/x",
            "//v1/x",
            "/v1%2fx",
            "/%761/x",
            "/%76%31",
            "/V1/x",
            "/./v1/x",
            "/x/../v1/y",
            "/%2e/v1",
            "\\v1",
            "/v1\\x",
            "/%5cv1",
            "/v1;a=b/x",
            "/%2576%2531/x",
            "/v1/../healthz",
            "/v1%00/x",
            "/v1%20/x",
            "v1/x",
        ] {
            assert!(resembles_v1(path), "{path}");
        }
        for path in ["/", "/v10/x", "/v2/x", "/healthz", "/a/v1", "/docs/v1", "*", ""] {
            assert!(!resembles_v1(path), "{path}");
        }
    }

    #[test]
    fn endpoints_are_guarded_wherever_they_lie() {
        let endpoint =
            |path: &str, access| Endpoint { path: path.to_owned(), label: "x", access, public: &[] };
        let paths = GuardedPaths::of(&[
            endpoint("/pictures/{name}", Access::AnyKey),
            endpoint("/news.atom", Access::Feed(Scope::Briefings)),
        ]);
        for (path, is_guarded, schemes) in [
            ("/pictures/a", true, KeySchemes::Bearer),
            ("/pictures/a?format=csv", true, KeySchemes::BearerOrBasic),
            ("/news.atom", true, KeySchemes::BearerOrBasic),
            ("/news.atom2", false, KeySchemes::Bearer),
            (MCP_PATH, true, KeySchemes::Bearer),
            ("/v1/none", true, KeySchemes::Bearer),
            ("/healthz", false, KeySchemes::Bearer),
        ] {
            let uri: Uri = path.parse().unwrap();
            assert_eq!((paths.contain(uri.path()), paths.key_schemes(&uri)), (is_guarded, schemes), "{path}");
        }
    }
}
