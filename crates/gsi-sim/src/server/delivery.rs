//! How a document travels: entity tags, conditional requests, byte ranges, and the faults of content and of transport.

use super::body::SimBody;
use super::faults::Fault;
use super::tamper;
use crate::news::hex;
use crate::publishers::{Content, Document, Format, RangeReader};
use bytes::Bytes;
use gsi_model::Timestamp;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode, Uri};
use md5::{Digest, Md5};
use std::ops::Range;
use std::time::{Duration, UNIX_EPOCH};

/// The parts of a request that decide how a document travels.
pub struct Delivery<'a> {
    pub uri: &'a Uri,
    pub headers: &'a HeaderMap,
    pub is_head: bool,
    pub fault: Option<Fault>,
    pub seed: u64,
}

/// The bytes of a document.
enum Source {
    Memory(Bytes),
    Virtual { total: u64, read: RangeReader },
}

impl Source {
    fn len(&self) -> u64 {
        match self {
            Source::Memory(bytes) => bytes.len() as u64,
            Source::Virtual { total, .. } => *total,
        }
    }

    fn read(&self, range: Range<u64>) -> Bytes {
        match self {
            Source::Memory(bytes) => bytes.slice(range.start as usize..range.end as usize),
            Source::Virtual { read, .. } => read(range).into(),
        }
    }
}

impl Delivery<'_> {
    pub fn respond(&self, document: Document) -> Response<SimBody> {
        let content_fault = self.fault.filter(|f| f.tampers());
        let tampering = content_fault.map_or("", Fault::name);
        let tag = entity_tag(&format!("{} {} {tampering} {}", self.uri, document.version, self.seed));
        let mut response = Response::new(SimBody::empty());
        let out = response.headers_mut();
        set(out, header::ETAG, &tag);
        if let Some(modified) = document.modified {
            set(out, header::LAST_MODIFIED, &http_date(modified));
        }
        if unchanged(self.headers, &tag, document.modified) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        let source = match document.content {
            Content::Redirect(to) => return redirect(&to),
            Content::Virtual { total, read } => Source::Virtual { total, read },
            Content::Whole(make) => {
                let mut bytes = make();
                if let Some(fault) = content_fault.filter(|_| !document.tampered) {
                    let (tampered, encoding) = tamper_with(bytes, document.format, fault, self.seed);
                    bytes = tampered;
                    if let Some(encoding) = encoding {
                        set(out, header::CONTENT_ENCODING, encoding);
                    }
                }
                Source::Memory(bytes)
            }
        };
        set(out, header::CONTENT_TYPE, document.format.content_type());
        set(out, header::ACCEPT_RANGES, "bytes");
        let total = source.len();
        let range = self.headers.get(header::RANGE).and_then(|v| v.to_str().ok());
        let (status, body) = match range.map_or(Wanted::Whole, |text| byte_range(text, total)) {
            Wanted::Whole => {
                set(out, header::CONTENT_LENGTH, &total.to_string());
                (StatusCode::OK, self.whole(source))
            }
            Wanted::Part(range) => {
                set(out, header::CONTENT_LENGTH, &(range.end - range.start).to_string());
                set(out, header::CONTENT_RANGE, &format!("bytes {}-{}/{total}", range.start, range.end - 1));
                (StatusCode::PARTIAL_CONTENT, self.transported(source.read(range)))
            }
            Wanted::Nothing => {
                set(out, header::CONTENT_RANGE, &format!("bytes */{total}"));
                (StatusCode::RANGE_NOT_SATISFIABLE, SimBody::empty())
            }
        };
        *response.status_mut() = status;
        if !self.is_head {
            *response.body_mut() = body;
        }
        response
    }

    fn whole(&self, source: Source) -> SimBody {
        match source {
            Source::Virtual { total, read } if !self.fault.is_some_and(Fault::is_slow_or_cut) => {
                SimBody::pieces(total, read)
            }
            source => self.transported(source.read(0..source.len())),
        }
    }

    /// Returns the body as the fault lets it travel.
    fn transported(&self, bytes: Bytes) -> SimBody {
        match self.fault {
            Some(Fault::Truncated) => SimBody::cut(bytes),
            Some(Fault::Slow(over)) => SimBody::drip(bytes, over),
            _ => SimBody::full(bytes),
        }
    }
}

/// Applies a content fault to a document without checksums. Returns the content encoding if there is one.
fn tamper_with(body: Bytes, format: Format, fault: Fault, seed: u64) -> (Bytes, Option<&'static str>) {
    if fault == Fault::ZipBomb {
        // A file that is itself compressed is the bomb; any other travels as one.
        let encoding = (format != Format::Gzip).then_some("gzip");
        return (tamper::gzip_bomb(), encoding);
    }
    let bytes = match format {
        Format::Csv => tamper::table(body.to_vec(), fault, b',', true, seed),
        Format::Json => tamper::json(body.to_vec(), fault, seed),
        Format::Gzip => tamper::gzip(&body, fault, seed),
        Format::Text | Format::Html | Format::Zip | Format::Workbook => match fault {
            Fault::Garbage => tamper::garbage(body.len(), seed),
            Fault::EmptySuccess => Vec::new(),
            _ => body.to_vec(),
        },
    };
    (bytes.into(), None)
}

fn entity_tag(identity: &str) -> String {
    format!("\"{}\"", hex(&Md5::digest(identity.as_bytes()).into()))
}

fn unchanged(headers: &HeaderMap, tag: &str, modified: Option<Timestamp>) -> bool {
    if let Some(known) = headers.get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok()) {
        return known
            .split(',')
            .any(|t| matches!(t.trim(), t if t == tag || t == "*" || t.strip_prefix("W/") == Some(tag)));
    }
    let since = headers.get(header::IF_MODIFIED_SINCE).and_then(|v| v.to_str().ok());
    match (since.and_then(|text| httpdate::parse_http_date(text).ok()), modified) {
        (Some(since), Some(modified)) => {
            since.duration_since(UNIX_EPOCH).is_ok_and(|d| modified.unix() <= d.as_secs() as i64)
        }
        _ => false,
    }
}

enum Wanted {
    Whole,
    Part(Range<u64>),
    Nothing,
}

/// Parses one range of bytes. Several ranges and invalid ones get the whole file, as from static hosts.
fn byte_range(text: &str, total: u64) -> Wanted {
    let Some((from, to)) = text.strip_prefix("bytes=").and_then(|r| r.split_once('-')) else {
        return Wanted::Whole;
    };
    let (from, to) = (from.trim(), to.trim());
    let range = match (from.parse::<u64>(), to.parse::<u64>()) {
        (Err(_), Ok(suffix)) if from.is_empty() => total.saturating_sub(suffix)..total,
        (Ok(from), Err(_)) if to.is_empty() => from..total,
        (Ok(from), Ok(to)) if from <= to => from..total.min(to.saturating_add(1)),
        _ => return Wanted::Whole,
    };
    if range.start < range.end { Wanted::Part(range) } else { Wanted::Nothing }
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

pub fn http_date(at: Timestamp) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(at.unix().max(0) as u64))
}

pub fn plain(status: StatusCode, text: &'static str) -> Response<SimBody> {
    let mut response = Response::new(SimBody::full(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    set(response.headers_mut(), header::CONTENT_TYPE, "text/plain; charset=utf-8");
    response
}

/// The page that a bot wall answers with.
pub fn wall() -> Response<SimBody> {
    const PAGE: &str = "<!DOCTYPE html><html><head><title>Access Denied</title></head><body><h1>Access Denied</h1>\
                        <p>You don't have permission to access this resource.</p></body></html>\n";
    let mut response = plain(StatusCode::FORBIDDEN, PAGE);
    set(response.headers_mut(), header::CONTENT_TYPE, "text/html");
    response
}

pub fn redirect(to: &str) -> Response<SimBody> {
    let mut response = plain(StatusCode::FOUND, "");
    set(response.headers_mut(), header::LOCATION, to);
    response
}
