//! Which paths need a key: what lies under `/v1`, and what merely resembles it, before it is told that it names nothing.

/// Where feed readers find briefings and alerts.
pub const ATOM_PATH: &str = "/briefings.atom";
pub const JSON_FEED_PATH: &str = "/briefings.json";
pub const ALERTS_ATOM_PATH: &str = "/alerts.atom";
pub const ALERTS_JSON_FEED_PATH: &str = "/alerts.json";
pub(crate) const FEED_PATHS: [&str; 4] = [ATOM_PATH, JSON_FEED_PATH, ALERTS_ATOM_PATH, ALERTS_JSON_FEED_PATH];
/// Where the score is a picture.
pub(crate) const CARD_PATH: &str = "/card.png";
pub(crate) const BADGE_PATH: &str = "/badge.svg";
/// Where agents connect.
pub const MCP_PATH: &str = "/mcp";

/// Whether the path needs a key: it is the stream, a feed, a picture or for agents, or lies under `/v1` by any reading: escaped, doubled or backward
/// slashes, dots, other case.
pub fn is_guarded(path: &str) -> bool {
    if path.starts_with("/v1/")
        || path == "/v1"
        || path == "/stream"
        || path == MCP_PATH
        || FEED_PATHS.contains(&path)
        || path == CARD_PATH
        || path == BADGE_PATH
    {
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
