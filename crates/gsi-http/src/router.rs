//! Which resource a path names. Matching is exact on the path as sent; what merely resembles a path under `/v1`
//! still needs a key before it is told that it names nothing.

use gsi_model::{Pillar, Scope};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<'a> {
    Overview,
    Pillar(&'a str),
    History,
    PillarHistory(&'a str),
    Explain,
    Events,
    Event(&'a str),
    Briefings,
    Briefing(&'a str),
    Summary,
    Feeds,
    Method,
    Inputs(&'a str),
    KeySelf,
    /// Lies outside `/v1`, where every body is JSON, but needs a key like everything in it.
    Stream,
}

impl<'a> Route<'a> {
    /// The resource that the path names, if it names one.
    pub fn find(path: &'a str) -> Option<Route<'a>> {
        if path == "/stream" {
            return Some(Route::Stream);
        }
        let rest = path.strip_prefix("/v1/")?;
        Some(match rest {
            "global-stability" => Route::Overview,
            "global-stability/history" => Route::History,
            "global-stability/explain" => Route::Explain,
            "conflict" => Route::Events,
            "briefings" => Route::Briefings,
            "summaries" => Route::Summary,
            "feeds" => Route::Feeds,
            "method" => Route::Method,
            "keys/self" => Route::KeySelf,
            _ => {
                if let Some(pillar) = rest.strip_prefix("global-stability/pillar/") {
                    match pillar.strip_suffix("/history") {
                        Some(pillar) if is_segment(pillar) => Route::PillarHistory(pillar),
                        None if is_segment(pillar) => Route::Pillar(pillar),
                        _ => return None,
                    }
                } else if let Some(id) = rest.strip_prefix("conflict/") {
                    is_segment(id).then_some(Route::Event(id))?
                } else if let Some(rest) = rest.strip_prefix("snapshots/") {
                    let id = rest.strip_suffix("/inputs")?;
                    is_segment(id).then_some(Route::Inputs(id))?
                } else {
                    let id = rest.strip_prefix("briefings/")?;
                    is_segment(id).then_some(Route::Briefing(id))?
                }
            }
        })
    }

    /// What a key must cover; `None`: any valid key will do.
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Route::Events | Route::Event(_) => Some(Scope::Events),
            Route::Briefings | Route::Briefing(_) => Some(Scope::Briefings),
            Route::KeySelf | Route::Stream => None,
            _ => Some(Scope::Scores),
        }
    }

    /// A bounded name for metrics.
    pub fn label(&self) -> &'static str {
        match self {
            Route::Overview => "overview",
            Route::Pillar(_) => "pillar",
            Route::History => "history",
            Route::PillarHistory(_) => "pillar_history",
            Route::Explain => "explain",
            Route::Events => "events",
            Route::Event(_) => "event",
            Route::Briefings => "briefings",
            Route::Briefing(_) => "briefing",
            Route::Summary => "summary",
            Route::Feeds => "feeds",
            Route::Method => "method",
            Route::Inputs(_) => "inputs",
            Route::KeySelf => "key_self",
            Route::Stream => "stream",
        }
    }
}

fn is_segment(text: &str) -> bool {
    !text.is_empty() && !text.contains('/')
}

/// The pillar a path segment names, exactly as the specification writes it.
pub fn pillar(segment: &str) -> Option<Pillar> {
    Pillar::from_key(segment)
}

/// Whether the path needs a key: it is the stream, or lies under `/v1` by any reading: escaped, doubled or backward
/// slashes, dots, other case.
pub fn is_guarded(path: &str) -> bool {
    if path.starts_with("/v1/") || path == "/v1" || path == "/stream" {
        return true;
    }
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

    #[test]
    fn paths_name_resources_exactly() {
        let rows = [
            ("/v1/global-stability", Some(Route::Overview)),
            ("/v1/global-stability/pillar/macro", Some(Route::Pillar("macro"))),
            ("/v1/global-stability/pillar/macro/history", Some(Route::PillarHistory("macro"))),
            ("/v1/global-stability/pillar/", None),
            ("/v1/global-stability/pillar//history", None),
            ("/v1/global-stability/", None),
            ("/v1/global-stability/explain", Some(Route::Explain)),
            ("/v1/conflict/evt_1", Some(Route::Event("evt_1"))),
            ("/v1/conflict/", None),
            ("/v1/conflict/a/b", None),
            ("/v1/briefings/brf_1", Some(Route::Briefing("brf_1"))),
            ("/v1/snapshots/snp_1/inputs", Some(Route::Inputs("snp_1"))),
            ("/v1/snapshots/snp_1", None),
            ("/v1/snapshots//inputs", None),
            ("/v1/Conflict", None),
            ("/v1", None),
            ("/v1/", None),
            ("/stream", Some(Route::Stream)),
            ("/stream/", None),
            ("/healthz", None),
        ];
        for (path, want) in rows {
            assert_eq!(Route::find(path), want, "{path}");
        }
    }

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
            assert!(is_guarded(path), "{path}");
        }
        for path in ["/", "/v10/x", "/v2/x", "/healthz", "/a/v1", "/docs/v1", "*", ""] {
            assert!(!is_guarded(path), "{path}");
        }
    }
}
