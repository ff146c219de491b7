//! Spans, and the message that brings them to a collector (OTLP over HTTP, in JSON).

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    Text(String),
    Number(i64),
}

/// Whether the work is the program's own or answers somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpanKind {
    Internal = 1,
    Server = 2,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanIds {
    pub trace: [u8; 16],
    pub span: [u8; 8],
}

impl SpanIds {
    /// A span within another, or the first of a trace of its own.
    pub fn within(parent: Option<SpanIds>) -> SpanIds {
        let mut random = [0; 24];
        // Ids tell spans apart and protect nothing: without randomness they are all the same, and traces are useless.
        let _ = getrandom::fill(&mut random);
        let (mut trace, mut span) = ([0; 16], [0; 8]);
        trace.copy_from_slice(&random[..16]);
        span.copy_from_slice(&random[16..]);
        SpanIds { trace: parent.map_or(trace, |parent| parent.trace), span }
    }
}

#[derive(Clone, Debug)]
pub struct FinishedSpan {
    pub ids: SpanIds,
    pub parent: Option<SpanIds>,
    pub name: &'static str,
    pub kind: SpanKind,
    pub begun: SystemTime,
    pub ended: SystemTime,
    pub attributes: Vec<(&'static str, Attribute)>,
    /// What went wrong, if anything did.
    pub error: Option<String>,
}

/// All of them in one message.
pub fn message(spans: &[FinishedSpan]) -> Value {
    let resource = [("service.name", "gsi"), ("service.version", env!("CARGO_PKG_VERSION"))];
    json!({ "resourceSpans": [{
        "resource": { "attributes": resource.map(|(key, value)| text(key, value)) },
        "scopeSpans": [{
            "scope": { "name": "gsi" },
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }] })
}

fn span(span: &FinishedSpan) -> Value {
    let attributes = span.attributes.iter().map(|(key, value)| match value {
        Attribute::Text(value) => text(key, value),
        // As all 64-bit numbers of this format, in text.
        Attribute::Number(value) => json!({ "key": key, "value": { "intValue": value.to_string() } }),
    });
    json!({
        "traceId": HEXLOWER.encode(&span.ids.trace),
        "spanId": HEXLOWER.encode(&span.ids.span),
        "parentSpanId": span.parent.map_or(String::new(), |parent| HEXLOWER.encode(&parent.span)),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": nanoseconds(span.begun),
        "endTimeUnixNano": nanoseconds(span.ended),
        "attributes": attributes.collect::<Vec<_>>(),
        "status": span.error.as_ref().map_or(json!({}), |error| json!({ "code": 2, "message": error })),
    })
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn nanoseconds(at: SystemTime) -> String {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_message_as_the_format_has_it() {
        let at = |nanoseconds| UNIX_EPOCH + Duration::from_nanos(nanoseconds);
        let parent = SpanIds { trace: [0xab; 16], span: [1; 8] };
        let told = message(&[FinishedSpan {
            ids: SpanIds { trace: [0xab; 16], span: [2; 8] },
            parent: Some(parent),
            name: "commit",
            kind: SpanKind::Internal,
            begun: at(5),
            ended: at(1_700_000_000_000_000_007),
            attributes: vec![("tick", Attribute::Text("t".into())), ("rows", Attribute::Number(-3))],
            error: Some("full".into()),
        }]);
        assert_eq!(
            told["resourceSpans"][0]["scopeSpans"][0]["spans"][0],
            json!({
                "traceId": "abababababababababababababababab",
                "spanId": "0202020202020202",
                "parentSpanId": "0101010101010101",
                "name": "commit",
                "kind": 1,
                "startTimeUnixNano": "5",
                "endTimeUnixNano": "1700000000000000007",
                "attributes": [
                    { "key": "tick", "value": { "stringValue": "t" } },
                    { "key": "rows", "value": { "intValue": "-3" } },
                ],
                "status": { "code": 2, "message": "full" },
            })
        );
    }

    #[test]
    fn what_is_within_a_span_is_of_its_trace() {
        let outer = SpanIds::within(None);
        let inner = SpanIds::within(Some(outer));
        assert!(inner.trace == outer.trace && inner.span != outer.span);
        assert_ne!(SpanIds::within(None).trace, outer.trace);
    }
}
