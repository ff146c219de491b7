//! Makes spans of a trace from what the rooms tell under [`gsi_model::TRACE_TARGET`]: a span with its fields, or an event that
//! says `microseconds` of a request that is over.

use super::message::{Attribute, FinishedSpan, SpanIds, SpanKind};
use super::sending::SpanSender;
use std::fmt::Debug;
use std::time::{Duration, SystemTime};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

pub struct TraceLayer {
    sender: SpanSender,
    slow: Duration,
}

impl TraceLayer {
    /// Requests that took less than `slow` are left out.
    pub fn new(sender: SpanSender, slow: Duration) -> TraceLayer {
        TraceLayer { sender, slow }
    }
}

struct OpenSpan {
    ids: SpanIds,
    parent: Option<SpanIds>,
    begun: SystemTime,
    told: ToldFields,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TraceLayer {
    fn on_new_span(&self, fields: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let parent =
            span.parent().and_then(|parent| parent.extensions().get::<OpenSpan>().map(|open| open.ids));
        let mut told = ToldFields::default();
        fields.record(&mut told);
        let open = OpenSpan { ids: SpanIds::within(parent), parent, begun: SystemTime::now(), told };
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, fields: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            fields.record(&mut open.told);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(OpenSpan { ids, parent, begun, told }) = span.extensions_mut().remove() else { return };
        self.sender.send(FinishedSpan {
            ids,
            parent,
            name: span.name(),
            kind: SpanKind::Internal,
            begun,
            ended: SystemTime::now(),
            attributes: told.attributes,
            error: told.error,
        });
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut told = ToldFields::default();
        event.record(&mut told);
        let Some(took) = told.took.filter(|took| *took >= self.slow) else { return };
        let ended = SystemTime::now();
        self.sender.send(FinishedSpan {
            ids: SpanIds::within(None),
            parent: None,
            name: "request",
            kind: SpanKind::Server,
            begun: ended.checked_sub(took).unwrap_or(ended),
            ended,
            attributes: told.attributes,
            error: told.error,
        });
    }
}

/// What a span or an event says of itself. `error` and `microseconds` have a place of their own.
#[derive(Default)]
struct ToldFields {
    attributes: Vec<(&'static str, Attribute)>,
    error: Option<String>,
    took: Option<Duration>,
}

impl ToldFields {
    fn tell(&mut self, field: &Field, value: Attribute) {
        match (field.name(), value) {
            ("message", _) => {}
            ("error", Attribute::Text(error)) => self.error = Some(error),
            ("microseconds", Attribute::Number(n)) => {
                self.took = Some(Duration::from_micros(n.unsigned_abs()));
            }
            (name, value) => self.attributes.push((name, value)),
        }
    }
}

impl Visit for ToldFields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.tell(field, Attribute::Text(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.tell(field, Attribute::Text(value.to_owned()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.tell(field, Attribute::Number(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.tell(field, Attribute::Number(i64::try_from(value).unwrap_or(i64::MAX)));
    }
}
