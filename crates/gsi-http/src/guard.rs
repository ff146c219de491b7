//! The stream under each connection: keeps its deadlines, and puts a problem in place of the bare answers that the
//! HTTP library gives to requests it cannot read.
//!
//! Deadlines are kept in shared words that a sweeper compares once in a while, so a request costs no timer.

use crate::log::Line;
use crate::problem::{self, Code, Refusal};
use crate::repeat::{Memory, Word};
use crate::service::Service;
use crate::settings::{LINGER_BYTES, MAX_HEADERS, MAX_REQUEST_LINE};
use bytes::Bytes;
use http::Method;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a connection is doing, for the sweeper. Times are milliseconds of the coarse clock.
pub struct Watch {
    now: Arc<AtomicU64>,
    idle: u64,
    write: u64,
    deadline: AtomicU64,
    waiting: AtomicBool,
    /// The last answer was given before everything was read: read a little more before closing.
    linger: AtomicBool,
    /// The answer is a stream: once its head is written, the connection is the stream's.
    streams: AtomicBool,
}

impl Watch {
    pub fn new(now: Arc<AtomicU64>, idle: u64, write: u64) -> Self {
        let deadline = now.load(Ordering::Relaxed) + idle;
        Watch {
            now,
            idle,
            write,
            deadline: AtomicU64::new(deadline),
            waiting: AtomicBool::new(true),
            linger: AtomicBool::new(false),
            streams: AtomicBool::new(false),
        }
    }

    fn allow(&self, milliseconds: u64) {
        self.deadline.store(self.now.load(Ordering::Relaxed) + milliseconds, Ordering::Relaxed);
    }

    /// A request has been read; the answer may take as long as writing it may.
    pub fn handling(&self) {
        self.waiting.store(false, Ordering::Relaxed);
        self.allow(self.write);
    }

    pub fn linger(&self) {
        self.linger.store(true, Ordering::Relaxed);
    }

    pub fn becomes_a_stream(&self) {
        self.streams.store(true, Ordering::Relaxed);
    }

    /// The head of the stream's answer has been written whole.
    pub fn is_stream_begun(&self) -> bool {
        self.streams.load(Ordering::Relaxed) && self.is_waiting()
    }

    /// A stream is being written to: this must not take for ever.
    pub fn writing(&self) {
        self.waiting.store(false, Ordering::Relaxed);
        self.allow(self.write);
    }

    /// A stream has nothing to say, which may well take for ever.
    pub fn resting(&self) {
        self.deadline.store(u64::MAX, Ordering::Relaxed);
    }

    pub fn is_overdue(&self) -> bool {
        self.now.load(Ordering::Relaxed) > self.deadline.load(Ordering::Relaxed)
    }

    /// No request is being read or answered.
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// The library's own answers. It adds no date (we do), so each is one constant text.
const BARE: [(Code, &[u8]); 3] = [
    (Code::BadRequest, b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
    (Code::UriTooLong, b"HTTP/1.1 414 URI Too Long\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
    (
        Code::HeadersTooLarge,
        b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
    ),
];

fn bare_answer(written: &[u8]) -> Option<(Code, usize)> {
    if !written.ends_with(b"content-length: 0\r\n\r\n") {
        return None;
    }
    BARE.iter().find(|(_, text)| written.ends_with(text)).map(|(code, text)| (*code, text.len()))
}

pub struct Guarded<S> {
    stream: S,
    watch: Arc<Watch>,
    service: Arc<Service>,
    phase: Phase,
    /// Bytes of the request line so far; `None` once its end was seen.
    line: Option<usize>,
    /// A problem that takes the place of a bare answer, and how much of it is written.
    instead: Option<(Bytes, usize)>,
    closing: Option<usize>,
    memory: Memory,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Reading,
    Writing,
}

impl<S> Guarded<S> {
    pub fn new(stream: S, watch: Arc<Watch>, service: Arc<Service>, word: Arc<Word>) -> Self {
        Guarded {
            stream,
            watch,
            service,
            phase: Phase::Waiting,
            line: Some(0),
            instead: None,
            closing: None,
            memory: Memory::new(word),
        }
    }

    pub fn into_inner(self) -> S {
        self.stream
    }

    fn saw(&mut self, bytes: &[u8]) {
        // What arrives while an answer is being taken earns it no more time.
        if self.phase == Phase::Waiting {
            self.phase = Phase::Reading;
            self.watch.waiting.store(false, Ordering::Relaxed);
            self.watch.allow(self.watch.idle);
            self.memory.begin(bytes);
        } else {
            self.memory.go_on();
        }
        if let Some(length) = self.line {
            self.line = match bytes.iter().take(MAX_REQUEST_LINE).position(|b| *b == b'\n') {
                Some(_) => None,
                None => Some(length + bytes.len()),
            };
        }
    }

    fn wrote_all(&mut self) {
        self.phase = Phase::Waiting;
        self.line = Some(0);
        self.memory.end();
        self.watch.waiting.store(true, Ordering::Relaxed);
        self.watch.allow(self.watch.idle);
    }

    fn problem_for(&self, code: Code) -> Bytes {
        let code = match (code, self.line) {
            (Code::HeadersTooLarge, Some(length)) if length > MAX_REQUEST_LINE => Code::UriTooLong,
            _ => code,
        };
        self.service.metrics.malformed.fetch_add(1, Ordering::Relaxed);
        let detail = match code {
            Code::UriTooLong => format!("The request line may have {MAX_REQUEST_LINE} bytes."),
            Code::HeadersTooLarge => {
                format!("The request head may have {MAX_HEADERS} bytes and 100 headers.")
            }
            _ => "The request could not be read as HTTP/1.1.".to_owned(),
        };
        raw_problem(&self.service, &Refusal::new(code, detail))
    }
}

/// A whole problem answer as bytes, for when there is no request to answer.
pub fn raw_problem(service: &Service, refusal: &Refusal) -> Bytes {
    let request_id = service.next_request_id();
    let id = std::str::from_utf8(&request_id).unwrap_or_default();
    let body = refusal.body("/", id);
    let now = service.clock.now();
    let date = crate::prepared::http_date(now);
    service.log.push(Line {
        at: now,
        // What was sent is not repeated: it could be anything.
        method: Method::from_bytes(b"UNREAD").unwrap_or_default(),
        path: "/".into(),
        status: refusal.status.as_u16(),
        key: None,
        micros: 0,
        bytes: body.len() as u64,
        request_id,
    });
    let mut text = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: {}\r\ncontent-length: {}\r\ncache-control: no-store\r\nconnection: close\r\n\
         date: {}\r\nx-content-type-options: nosniff\r\nx-request-id: {id}\r\n",
        refusal.status.as_u16(),
        refusal.status.canonical_reason().unwrap_or(""),
        problem::CONTENT_TYPE.to_str().unwrap_or_default(),
        body.len(),
        date.to_str().unwrap_or_default(),
    );
    for (name, value) in &refusal.headers {
        text.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(&body);
    bytes.into()
}

impl<S: AsyncWrite + Unpin> Guarded<S> {
    /// Answers the last request again if these bytes are it; returns whether they are dealt with.
    fn answer_repeated(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> io::Result<bool> {
        if self.phase != Phase::Waiting {
            return Ok(false);
        }
        let Some(asked) = self.memory.recall(bytes) else { return Ok(false) };
        let (service, stream) = (&self.service, &mut self.stream);
        let mut rest = Vec::new();
        let sent: Option<io::Result<()>> = service.repeat(asked, |answer| {
            let n = match Pin::new(stream).poll_write(cx, answer) {
                Poll::Ready(n) => n?,
                Poll::Pending => 0,
            };
            rest.extend_from_slice(&answer[n..]);
            Ok(())
        });
        let Some(result) = sent else { return Ok(false) };
        result?;
        self.memory.keep_rest(rest);
        match self.poll_rest(cx) {
            Poll::Ready(done) => done?,
            // Once: who takes the rest in crumbs earns no more time with each.
            Poll::Pending => self.watch.writing(),
        }
        Ok(true)
    }

    /// Writes what is left of a repeated answer, and sees it off: an encrypted stream may keep some of it back.
    fn poll_rest(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.memory.rest().is_empty() {
            let n = ready!(Pin::new(&mut self.stream).poll_write(cx, self.memory.rest()))?;
            if n == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.memory.wrote_of_rest(n);
        }
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.memory.sent_all();
        self.watch.waiting.store(true, Ordering::Relaxed);
        self.watch.allow(self.watch.idle);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if this.memory.is_unsent() {
                ready!(this.poll_rest(cx))?;
            }
            let before = buf.filled().len();
            ready!(Pin::new(&mut this.stream).poll_read(cx, buf))?;
            let bytes = &buf.filled()[before..];
            if bytes.is_empty() {
                return Poll::Ready(Ok(()));
            }
            if !this.answer_repeated(cx, bytes)? {
                this.saw(bytes);
                return Poll::Ready(Ok(()));
            }
            buf.set_filled(before);
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.phase != Phase::Writing {
            self.phase = Phase::Writing;
            self.watch.waiting.store(false, Ordering::Relaxed);
            self.watch.allow(self.watch.write);
        }
        let this = &mut *self;
        if this.instead.is_none()
            && let Some((code, length)) = bare_answer(buf)
        {
            let earlier = buf.len() - length;
            if earlier > 0 {
                return Pin::new(&mut this.stream).poll_write(cx, &buf[..earlier]);
            }
            this.instead = Some((this.problem_for(code), 0));
            this.watch.linger();
        }
        if let Some((text, done)) = &mut this.instead {
            while *done < text.len() {
                let n = ready!(Pin::new(&mut this.stream).poll_write(cx, &text[*done..]))?;
                if n == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                *done += n;
            }
            this.instead = None;
            return Poll::Ready(Ok(buf.len()));
        }
        let n = ready!(Pin::new(&mut this.stream).poll_write(cx, buf))?;
        this.memory.wrote(n);
        if n == buf.len() {
            this.wrote_all();
        }
        Poll::Ready(Ok(n))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Closes our side; after an early refusal also reads on for a moment, or the client's system would discard the
    /// answer together with what it had not sent yet.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.closing.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.watch.linger.load(Ordering::Relaxed) {
                return Poll::Ready(Ok(()));
            }
            this.watch.waiting.store(false, Ordering::Relaxed);
            this.watch.allow(crate::settings::LINGER_TIMEOUT.as_millis() as u64);
            this.closing = Some(LINGER_BYTES);
        }
        let mut scratch = [0; 4096];
        while let Some(left) = this.closing.filter(|left| *left > 0) {
            let mut buf = ReadBuf::new(&mut scratch);
            match ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buf)) {
                Ok(()) if !buf.filled().is_empty() => {
                    this.closing = Some(left.saturating_sub(buf.filled().len()));
                }
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }

    fn is_write_vectored(&self) -> bool {
        false
    }
}
