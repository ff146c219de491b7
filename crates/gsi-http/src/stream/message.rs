//! Messages as bytes. Each is written once, in the form in which every subscriber gets it.

use bytes::Bytes;
use gsi_model::{Scope, Timestamp};
use serde::Serialize;

/// Some messages that go out together and need the same scope.
#[derive(Clone, Debug)]
pub struct Part {
    /// `None`: for every key.
    pub scope: Option<Scope>,
    /// As one chunk of HTTP/1.1, and within it the bare text, which is what HTTP/1.0 gets.
    chunk: Bytes,
    text: Bytes,
}

impl Part {
    pub fn bytes(&self, chunked: bool) -> &Bytes {
        if chunked { &self.chunk } else { &self.text }
    }

    /// All of them as one, for a subscriber that may see all.
    pub fn join(parts: &[Part]) -> Option<Part> {
        let mut all = Writer::new(None);
        parts.iter().for_each(|part| all.text.extend_from_slice(&part.text));
        all.finish()
    }

    pub fn weight(&self) -> usize {
        self.chunk.len()
    }
}

/// Collects the messages of one part.
pub struct Writer {
    scope: Option<Scope>,
    text: Vec<u8>,
}

impl Writer {
    pub fn new(scope: Option<Scope>) -> Self {
        Writer { scope, text: Vec::new() }
    }

    /// One message. JSON text has no line breaks, so its data is one line.
    pub fn message<T: Serialize>(&mut self, event: &str, data: &T) -> &mut Self {
        self.line("event", event);
        self.text.extend_from_slice(b"data: ");
        self.text.extend_from_slice(&crate::wire::bytes(data));
        self.text.push(b'\n');
        self.end()
    }

    /// The same, marked as the place to go on from.
    pub fn marked<T: Serialize>(&mut self, event: &str, data: &T, tick: Timestamp) -> &mut Self {
        self.line("id", &tick.unix().to_string());
        self.message(event, data)
    }

    pub fn maybe<T: Serialize>(&mut self, event: &str, data: Option<T>) -> &mut Self {
        self.all(event, data)
    }

    /// A message for each.
    pub fn all<T: Serialize>(&mut self, event: &str, data: impl IntoIterator<Item = T>) -> &mut Self {
        for one in data {
            self.message(event, &one);
        }
        self
    }

    /// Tells clients how long to wait before they connect again.
    pub fn retry(&mut self, milliseconds: u64) -> &mut Self {
        self.line("retry", &milliseconds.to_string());
        self.end()
    }

    /// A comment: keeps the connection known to be alive, and is no message.
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

    /// `None` when nothing was written: an empty chunk would end the body.
    pub fn finish(&mut self) -> Option<Part> {
        if self.text.is_empty() {
            return None;
        }
        let head = format!("{:x}\r\n", self.text.len());
        let mut chunk = Vec::with_capacity(head.len() + self.text.len() + 2);
        chunk.extend_from_slice(head.as_bytes());
        chunk.append(&mut self.text);
        chunk.extend_from_slice(b"\r\n");
        let chunk = Bytes::from(chunk);
        let text = chunk.slice(head.len()..chunk.len() - 2);
        Some(Part { scope: self.scope, chunk, text })
    }
}

/// What `Last-Event-ID` says, if it is one of ours.
pub fn read_id(text: &str) -> Option<Timestamp> {
    let digits = !text.is_empty() && text.len() <= 12 && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().map(Timestamp::from_unix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_one_chunk_and_its_text() {
        let tick = Timestamp::from_unix(1_763_121_600);
        let part =
            Writer::new(None).marked("tick", &serde_json::json!({"a": "x\r\n\ny"}), tick).finish().unwrap();
        let text = "id: 1763121600\nevent: tick\ndata: {\"a\":\"x\\r\\n\\ny\"}\n\n";
        assert_eq!(part.bytes(false), text);
        assert_eq!(part.bytes(true), &format!("{:x}\r\n{text}\r\n", text.len()));
        assert!(Writer::new(None).finish().is_none());
    }

    #[test]
    fn ids_read_back_and_nothing_else_does() {
        assert_eq!(read_id("1763121600"), Some(Timestamp::from_unix(1_763_121_600)));
        for other in ["", "-5", "12a", "1763121600 ", "9999999999999", "1.5", "evt_1"] {
            assert_eq!(read_id(other), None, "{other}");
        }
    }
}
