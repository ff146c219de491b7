//! A request that comes again word for word on its connection. Programs that poll send the same bytes each time; once
//! a request was read and answered from what is prepared, its repetition needs no reading: the bytes are compared.
//!
//! Everything that may have changed since is still looked at for each: the key, its quota, the snapshot, the second.
//! Whatever is not as it was goes the long way, which answers it right.

use crate::auth::{KeyEntry, same};
use crate::log::Line;
use crate::negotiate::Encoding;
use crate::prepared::Single;
use crate::reply::{RATE_LIMIT, RATE_LIMIT_POLICY, REQUEST_ID};
use crate::service::Service;
use http::{HeaderMap, Method, header};
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Longer heads are not remembered.
const MAX_REMEMBERED: usize = 1024;

/// How a request was answered that can be answered so again.
pub struct Repeatable {
    pub entry: Arc<KeyEntry>,
    /// The table of keys that accepted it.
    pub generation: u64,
    pub single: Single,
    pub encoding: Encoding,
    pub label: &'static str,
    pub path: Cow<'static, str>,
    pub body_length: usize,
}

/// Where whoever answers leaves word for whoever holds the stream.
#[derive(Default)]
pub struct Word(Mutex<Option<Repeatable>>);

impl Word {
    pub fn leave(&self, repeatable: Option<Repeatable>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = repeatable;
    }

    fn take(&self) -> Option<Repeatable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// One connection's memory of its last request.
pub struct Memory {
    word: Arc<Word>,
    head: Vec<u8>,
    answer: Option<Repeatable>,
    /// The request under way came as one piece that held nothing else.
    whole: bool,
    /// All requests so far did, so the next piece begins with a request.
    aligned: bool,
    /// Bytes written in answer to the request under way.
    written: usize,
    /// What could not be written at once of a repeated answer, and how much of it has been since.
    rest: (Vec<u8>, usize),
    /// A repeated answer is not on its way in full yet.
    unsent: bool,
}

impl Memory {
    pub fn new(word: Arc<Word>) -> Self {
        Memory {
            word,
            head: Vec::new(),
            answer: None,
            whole: false,
            aligned: true,
            written: 0,
            rest: Default::default(),
            unsent: false,
        }
    }

    /// How to answer these bytes, which came where a request may begin, if they are the last request again.
    pub fn recall(&self, bytes: &[u8]) -> Option<&Repeatable> {
        self.answer.as_ref().filter(|_| same(&self.head, bytes))
    }

    /// The first bytes of a request that goes the long way.
    pub fn begin(&mut self, bytes: &[u8]) {
        self.answer = None;
        self.written = 0;
        self.whole = self.aligned && bytes.len() <= MAX_REMEMBERED && is_one_head(bytes);
        self.head.clear();
        if self.whole {
            self.head.extend_from_slice(bytes);
        }
    }

    pub fn go_on(&mut self) {
        self.whole = false;
    }

    pub fn wrote(&mut self, bytes: usize) {
        self.written += bytes;
    }

    /// Everything that was to be written is.
    pub fn end(&mut self) {
        self.aligned &= self.whole;
        if self.aligned
            && let Some(answer) = self.word.take()
        {
            self.answer = Some(answer).filter(|a| a.body_length < self.written);
        }
    }

    pub fn rest(&self) -> &[u8] {
        &self.rest.0[self.rest.1..]
    }

    pub fn is_unsent(&self) -> bool {
        self.unsent
    }

    pub fn keep_rest(&mut self, rest: Vec<u8>) {
        self.rest = (rest, 0);
        self.unsent = true;
    }

    pub fn sent_all(&mut self) {
        self.unsent = false;
    }

    pub fn wrote_of_rest(&mut self, bytes: usize) {
        self.rest.1 += bytes;
        if self.rest().is_empty() {
            self.rest = Default::default();
        }
    }
}

/// A head from its first byte to its last, with nothing after it, whatever one takes for the end of a line.
fn is_one_head(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\r\n\r\n").is_some_and(|at| at + 4 == bytes.len())
        && memchr::memchr_iter(b'\n', bytes).all(|at| at > 0 && bytes[at - 1] == b'\r')
}

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Service {
    /// The answer to a repeated request, to be written by `write`; `None` if it has to go the long way.
    pub fn repeat<R>(&self, asked: &Repeatable, write: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let begun = Instant::now();
        let current = self.current();
        let prepared = current.as_deref()?;
        let moment = self.moment(Some(prepared));
        if self.draining.load(Ordering::Relaxed) || !self.keys().vouches(asked, moment.now) {
            return None;
        }
        // Made by the long way, once a second.
        let body = &prepared.document(asked.single).form(asked.encoding).body;
        let head = moment.written_head(asked.single, asked.encoding, body.len())?;
        let verdict = asked.entry.take(self.nanos(begun));
        if !verdict.allowed {
            return None;
        }
        let id = self.next_request_id();
        let done = ANSWER.with_borrow_mut(|out| {
            out.clear();
            out.extend_from_slice(head);
            add(out, REQUEST_ID.as_str(), &id);
            add(out, RATE_LIMIT_POLICY.as_str(), asked.entry.policy.as_bytes());
            out.extend_from_slice(RATE_LIMIT.as_str().as_bytes());
            out.extend_from_slice(b": ");
            asked.entry.write_rate(verdict, out);
            out.extend_from_slice(b"\r\n\r\n");
            out.extend_from_slice(body);
            write(out)
        });
        let (micros, bytes) = (begun.elapsed().as_micros() as u64, body.len() as u64);
        self.metrics.request(asked.label, 200, micros, bytes);
        self.metrics.repeated.fetch_add(1, Ordering::Relaxed);
        if self.log.is_on() {
            self.log.push(Line {
                at: moment.now,
                method: Method::GET,
                path: asked.path.clone(),
                status: 200,
                key: Some(Arc::clone(&asked.entry)),
                micros,
                bytes,
                request_id: id,
            });
        }
        Some(done)
    }
}

fn add(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
}

/// The status line and the headers as they are sent, but for the personal ones.
pub fn write_head(headers: &HeaderMap, body_length: usize) -> Vec<u8> {
    let mut out = b"HTTP/1.1 200 OK\r\n".to_vec();
    for (name, value) in headers {
        if ![REQUEST_ID, RATE_LIMIT_POLICY, RATE_LIMIT].contains(name) {
            add(&mut out, name.as_str(), value.as_bytes());
        }
    }
    add(&mut out, header::CONTENT_LENGTH.as_str(), body_length.to_string().as_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_head_and_nothing_else() {
        let check = |text: &str, want: bool| assert_eq!(is_one_head(text.as_bytes()), want, "{text:?}");
        check("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true);
        check("GET / HTTP/1.1\r\nHost: a\r\n", false);
        check("GET / HTTP/1.1\r\nHost: a\r\n\r\nG", false);
        check("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", false);
        check("GET / HTTP/1.1\nHost: a\n\nGET / HTTP/1.1\r\n\r\n", false);
        check("\nGET / HTTP/1.1\r\n\r\n", false);
        check("", false);
    }
}
