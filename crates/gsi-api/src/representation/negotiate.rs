//! Content negotiation and conditional requests by RFC 9110.

use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoding::Encoding;
use crate::representation::form::AnswerForm;
use http::{HeaderMap, HeaderValue, header};
use std::time::{Duration, UNIX_EPOCH};

/// The headers that matter here, found in one pass over the request.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadSummary {
    pub count: usize,
    pub bytes: usize,
    pub(crate) hosts: usize,
    /// The request has `Accept` or `Accept-Encoding`.
    pub(crate) negotiates: bool,
    /// The request has `If-None-Match` or `If-Modified-Since`.
    pub(crate) conditional: bool,
}

impl HeadSummary {
    pub fn of(headers: &HeaderMap) -> Self {
        let mut head = HeadSummary::default();
        for (name, value) in headers {
            head.count += 1;
            head.bytes += name.as_str().len() + ": \r\n".len() + value.len();
            if *name == header::HOST {
                head.hosts += 1;
            } else if *name == header::ACCEPT || *name == header::ACCEPT_ENCODING {
                head.negotiates = true;
            } else if *name == header::IF_NONE_MATCH || *name == header::IF_MODIFIED_SINCE {
                head.conditional = true;
            }
        }
        head
    }
}

/// Returns the encoding of the answer, or 406 when the caller excludes this form or every encoding.
pub(crate) fn acceptable(
    head: &HeadSummary,
    headers: &HeaderMap,
    form: AnswerForm,
) -> Result<Encoding, RequestRefusal> {
    if !head.negotiates {
        return Ok(Encoding::Identity);
    }
    if form.quality(headers) == 0 {
        return Err(RequestRefusal::new(
            ProblemCode::NotAcceptable,
            format!("The answer is {}.", form.media_type()),
        ));
    }
    encoding(headers).ok_or_else(|| {
        RequestRefusal::new(
            ProblemCode::NotAcceptable,
            "Answers come plain or compressed with gzip, br or zstd.",
        )
    })
}

/// Reads a quality in thousandths. A malformed one counts as 0.
fn quality(parameters: &str) -> u32 {
    for parameter in parameters.split(';') {
        let Some((name, value)) = parameter.split_once('=') else { continue };
        if name.trim().eq_ignore_ascii_case("q") {
            return parse_quality(value.trim()).unwrap_or(0);
        }
    }
    1000
}

fn parse_quality(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let thousandths = format!("{fraction:0<3}").parse().ok()?;
    match (whole, thousandths) {
        ("0", t) => Some(t),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

/// Returns the encoding of the answer, or `None` when the client excludes all of them.
pub fn encoding(headers: &HeaderMap) -> Option<Encoding> {
    let mut values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let Some(first) = values.next() else { return Some(Encoding::Identity) };
    let mut wanted: [Option<u32>; 4] = [None; 4];
    let mut any: Option<u32> = None;
    for value in std::iter::once(first).chain(values) {
        for item in value.to_str().unwrap_or("").split(',') {
            let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
            let name = name.trim();
            let q = if parameters.is_empty() { 1000 } else { quality(parameters) };
            if name == "*" {
                any = Some(q);
            } else if name.eq_ignore_ascii_case("x-gzip") {
                wanted[Encoding::Gzip.index()] = Some(q);
            } else if let Some(e) = Encoding::ALL.iter().find(|e| name.eq_ignore_ascii_case(e.name())) {
                wanted[e.index()] = Some(q);
            }
        }
    }
    // An encoding must be named or covered by `*`. The identity is a last resort unless it is excluded.
    let last_resort = 0;
    let mut best: Option<(Encoding, u32)> = None;
    for e in Encoding::ALL {
        let q = match wanted[e.index()].or(any) {
            Some(0) => continue,
            Some(q) => q,
            None if e == Encoding::Identity => last_resort,
            None => continue,
        };
        if best.is_none_or(|(_, b)| q > b) {
            best = Some((e, q));
        }
    }
    best.map(|(e, _)| e)
}

/// Returns the quality of a media type in thousandths; 0 refuses it. Without `Accept`, every type has full quality.
pub fn preference(headers: &HeaderMap, media_type: &str) -> u32 {
    let mut values = headers.get_all(header::ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return 1000;
    }
    let (main, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    // The most specific matching range decides.
    let mut best: Option<(u8, u32)> = None;
    for value in values {
        for item in value.to_str().unwrap_or("").split(',') {
            let (range, parameters) = item.split_once(';').unwrap_or((item, ""));
            let Some((kind, sub)) = range.trim().split_once('/') else { continue };
            let rank = match (kind.to_ascii_lowercase().as_str(), sub.to_ascii_lowercase().as_str()) {
                ("*", "*") => 1,
                (m, "*") if m == main => 2,
                (m, s) if m == main && s == subtype => 3,
                _ => continue,
            };
            let q = quality(parameters);
            if best.is_none_or(|(r, b)| rank > r || (rank == r && q > b)) {
                best = Some((rank, q));
            }
        }
    }
    best.map_or(0, |(_, q)| q)
}

/// Whether the client has this representation already. `If-None-Match`, when present, decides alone.
pub fn not_modified(headers: &HeaderMap, etag: &HeaderValue, last_modified: i64) -> bool {
    let mut tags = headers.get_all(header::IF_NONE_MATCH).iter().peekable();
    if tags.peek().is_some() {
        return tags.any(|value| value.to_str().is_ok_and(|list| lists_tag(list, etag)));
    }
    let mut since = headers.get_all(header::IF_MODIFIED_SINCE).iter();
    let (Some(value), None) = (since.next(), since.next()) else { return false };
    let Ok(date) = value.to_str() else { return false };
    let modified = UNIX_EPOCH + Duration::from_secs(last_modified.max(0) as u64);
    httpdate::parse_http_date(date).is_ok_and(|date| date >= modified)
}

/// The weak comparison of RFC 9110 for reads: `W/"x"` matches `"x"`.
fn lists_tag(list: &str, etag: &HeaderValue) -> bool {
    list.split(',')
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag).as_bytes() == etag.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, values: &[&str]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for value in values {
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        map
    }

    #[test]
    fn encodings_by_quality() {
        use Encoding::*;
        let rows: &[(&[&str], Option<Encoding>)] = &[
            (&[], Some(Identity)),
            (&[""], Some(Identity)),
            (&["gzip"], Some(Gzip)),
            (&["x-gzip"], Some(Gzip)),
            (&["GZIP"], Some(Gzip)),
            (&["gzip, deflate, br, zstd"], Some(Br)),
            (&["gzip", "br"], Some(Br)),
            (&["br;q=0.5, gzip;q=0.8"], Some(Gzip)),
            (&["br;q=0.5, gzip ; q=0.501"], Some(Gzip)),
            (&["zstd;q=0.1"], Some(Zstd)),
            (&["*"], Some(Br)),
            (&["*;q=0.1, gzip"], Some(Gzip)),
            (&["identity;q=0"], None),
            (&["identity;q=0, gzip"], Some(Gzip)),
            (&["*;q=0"], None),
            (&["*;q=0, identity"], Some(Identity)),
            (&["gzip;q=0"], Some(Identity)),
            (&["deflate"], Some(Identity)),
            (&["deflate, identity;q=0"], None),
            (&["gzip;q=2"], Some(Identity)),
            (&["identity, gzip;q=0.9"], Some(Identity)),
        ];
        for (values, want) in rows {
            assert_eq!(encoding(&headers("accept-encoding", values)), *want, "{values:?}");
        }
    }

    #[test]
    fn json_or_not() {
        let rows: &[(&[&str], bool)] = &[
            (&[], true),
            (&["*/*"], true),
            (&["application/json"], true),
            (&["Application/JSON; charset=utf-8"], true),
            (&["application/*;q=0.1"], true),
            (&["text/html"], false),
            (&["text/html, */*;q=0.1"], true),
            (&["application/json;q=0, */*"], false),
            (&["text/html", "application/json"], true),
            (&["application/problem+json"], false),
            (&["nonsense"], false),
        ];
        for (values, want) in rows {
            assert_eq!(preference(&headers("accept", values), "application/json") > 0, *want, "{values:?}");
        }
    }

    #[test]
    fn conditions() {
        let etag = HeaderValue::from_static("\"abc\"");
        let tick = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT
        let rows: &[(&'static str, &[&str], bool)] = &[
            ("if-none-match", &["\"abc\""], true),
            ("if-none-match", &["W/\"abc\""], true),
            ("if-none-match", &["\"x\", \"abc\""], true),
            ("if-none-match", &["*"], true),
            ("if-none-match", &["\"x\"", "\"abc\""], true),
            ("if-none-match", &["\"x\""], false),
            ("if-none-match", &["abc"], false),
            ("if-modified-since", &["Sun, 06 Nov 1994 08:49:37 GMT"], true),
            ("if-modified-since", &["Sun, 06 Nov 1994 08:49:38 GMT"], true),
            ("if-modified-since", &["Sun, 06 Nov 1994 08:49:36 GMT"], false),
            ("if-modified-since", &["yesterday"], false),
        ];
        for (name, values, want) in rows {
            assert_eq!(not_modified(&headers(name, values), &etag, tick), *want, "{name} {values:?}");
        }
        let mut both = headers("if-none-match", &["\"x\""]);
        both.append("if-modified-since", HeaderValue::from_static("Sun, 06 Nov 1994 08:49:37 GMT"));
        assert!(!not_modified(&both, &etag, tick), "If-None-Match has precedence");
    }
}
