//! Messages as bytes. Each is written once, and all subscribers get the same bytes.

use crate::representation::json_bytes;
use bytes::Bytes;
use gsi_model::{Scope, Timestamp};
use serde::Serialize;

/// Messages that are sent together and need the same scope.
#[derive(Clone, Debug)]
pub struct MessagePart {
    /// `None`: for every key.
    pub scope: Option<Scope>,
    pub text: Bytes,
}

impl MessagePart {
    /// All parts as one, for a subscriber that may see all.
    pub fn join(parts: &[MessagePart]) -> Option<MessagePart> {
        let mut all = MessageWriter::new(None);
        parts.iter().for_each(|part| all.text.extend_from_slice(&part.text));
        all.finish()
    }

    pub fn weight(&self) -> usize {
        self.text.len()
    }
}

/// Collects the messages of one part.
pub struct MessageWriter {
    scope: Option<Scope>,
    text: Vec<u8>,
}

impl MessageWriter {
    pub fn new(scope: Option<Scope>) -> Self {
        MessageWriter { scope, text: Vec::new() }
    }

    /// One message. JSON text has no line breaks, so its data is one line.
    pub fn message<T: Serialize>(&mut self, event: &str, data: &T) -> &mut Self {
        self.line("event", event);
        self.text.extend_from_slice(b"data: ");
        self.text.extend_from_slice(&json_bytes(data));
        self.text.push(b'\n');
        self.end()
    }

    /// One message, marked as the position to continue from.
    pub fn marked<T: Serialize>(&mut self, event: &str, data: &T, tick: Timestamp) -> &mut Self {
        self.line("id", &tick.unix().to_string());
        self.message(event, data)
    }

    pub(crate) fn maybe<T: Serialize>(&mut self, event: &str, data: Option<T>) -> &mut Self {
        self.all(event, data)
    }

    /// One message for each item.
    pub fn all<T: Serialize>(&mut self, event: &str, data: impl IntoIterator<Item = T>) -> &mut Self {
        for one in data {
            self.message(event, &one);
        }
        self
    }

    /// Sets how long clients wait before they connect again.
    pub fn retry(&mut self, milliseconds: u64) -> &mut Self {
        self.line("retry", &milliseconds.to_string());
        self.end()
    }

    /// A comment, which is no message and keeps proxies from closing a silent connection.
    pub fn heartbeat(&mut self) -> &mut Self {
        self.text.extend_from_slice(b":\n");
        self.end()
    }

    fn line(&mut self, field: &str, value: &str) {
        self.text.extend_from_slice(field.as_bytes());
        self.text.extend_from_slice(b": ");
        self.text.extend_from_slice(value.as_bytes());
        self.text.push(b'\n');
    }

    fn end(&mut self) -> &mut Self {
        self.text.push(b'\n');
        self
    }

    /// `None` when nothing was written.
    pub fn finish(&mut self) -> Option<MessagePart> {
        let text = std::mem::take(&mut self.text);
        (!text.is_empty()).then(|| MessagePart { scope: self.scope, text: text.into() })
    }
}

/// The tick in `Last-Event-ID`, if this service wrote it.
pub fn read_id(text: &str) -> Option<Timestamp> {
    let digits = !text.is_empty() && text.len() <= 12 && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().map(Timestamp::from_unix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_its_messages() {
        let tick = Timestamp::from_unix(1_763_121_600);
        let part = MessageWriter::new(None)
            .marked("tick", &serde_json::json!({"a": "x\r\n\ny"}), tick)
            .finish()
            .unwrap();
        let text = "id: 1763121600\nevent: tick\ndata: {\"a\":\"x\\r\\n\\ny\"}\n\n";
        assert_eq!(part.text, text);
        assert!(MessageWriter::new(None).finish().is_none());
    }

    #[test]
    fn ids_read_back_and_nothing_else_does() {
        assert_eq!(read_id("1763121600"), Some(Timestamp::from_unix(1_763_121_600)));
        for other in ["", "-5", "12a", "1763121600 ", "9999999999999", "1.5", "evt_1"] {
            assert_eq!(read_id(other), None, "{other}");
        }
    }
}
