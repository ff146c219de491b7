//! The request log: one JSON line per request. Requests append their lines to a buffer, and a dedicated thread writes the
//! whole buffer at intervals. When the buffer is full, lines are dropped and counted.
//!
//! A line never contains the key, the query or a header of the request.

use crate::settings::{LOG_BUFFER_LINES, LogSink};
use gsi_model::Timestamp;
use prometheus_client::metrics::counter::Counter;
use std::io::Write;
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the buffer is written. Waking the thread for each line would cost more than the line. Requests format their own
/// lines, because a thread that formats a batch would delay all requests that share its core.
const WRITE_EVERY: Duration = Duration::from_millis(50);
/// How long a flush waits. A pipe without a reader can block the thread for any time.
const FLUSH_WITHIN: Duration = Duration::from_secs(5);
/// The capacity that an empty buffer keeps: the lines of one interval under load.
const KEPT_BYTES: usize = 1024 * 1024;
/// Most lines are shorter.
const USUAL_LINE_BYTES: usize = 256;
/// Refusals of requests without a valid key that are written each second. The next line says how many were not written.
const REFUSALS_PER_SECOND: u32 = 20;
/// Paths longer than this are cut in the log.
const MAX_PATH: usize = 512;

pub struct LogLine<'a> {
    pub at: Timestamp,
    pub method: &'a str,
    pub path: &'a str,
    pub status: u16,
    pub client: IpAddr,
    /// The id of the key.
    pub key: Option<&'a str>,
    /// The public id of a key that was refused.
    pub refused_key: Option<&'a str>,
    pub micros: u64,
    pub bytes: u64,
    pub request_id: [u8; 16],
}

impl LogLine<'_> {
    /// Any client can cause these lines, in any number.
    fn is_refused_stranger(&self) -> bool {
        self.key.is_none() && self.status >= 400
    }

    fn write(&self, out: &mut impl Write, left_out: u64) -> std::io::Result<()> {
        let path: String = crate::auth::keys::redact(self.path).chars().take(MAX_PATH).collect();
        let id = std::str::from_utf8(&self.request_id).unwrap_or("");
        write!(out, "{{\"time\":\"{}\",\"method\":", self.at)?;
        serde_json::to_writer(&mut *out, self.method)?;
        out.write_all(b",\"path\":")?;
        serde_json::to_writer(&mut *out, &path)?;
        write!(out, ",\"status\":{},\"key\":", self.status)?;
        serde_json::to_writer(&mut *out, &self.key)?;
        if let Some(id) = self.refused_key {
            out.write_all(b",\"refused_key\":")?;
            serde_json::to_writer(&mut *out, id)?;
        }
        if left_out > 0 {
            write!(out, ",\"left_out\":{left_out}")?;
        }
        writeln!(
            out,
            ",\"client\":\"{}\",\"micros\":{},\"bytes\":{},\"request_id\":\"{id}\"}}",
            self.client, self.micros, self.bytes
        )
    }
}

pub struct RequestLog {
    /// Asks the thread to write now and to confirm it. `None` when the log is off.
    flush: Option<Sender<Sender<()>>>,
    buffer: Arc<Mutex<LogBuffer>>,
    sample: Mutex<RefusalSample>,
    lost: Counter,
    left_out: Counter,
}

/// Whole lines that wait to be written.
#[derive(Default)]
struct LogBuffer {
    text: Vec<u8>,
    lines: usize,
}

impl RequestLog {
    /// `left_out` counts refusals that are not written because of the limit per second.
    pub fn start(sink: LogSink, lost: Counter, left_out: Counter) -> std::io::Result<Self> {
        let (buffer, sample) = (Arc::default(), Mutex::default());
        let mut log = RequestLog { flush: None, buffer, sample, lost, left_out };
        let out: Box<dyn Write + Send> = match sink {
            LogSink::Off => return Ok(log),
            LogSink::Stdout => Box::new(std::io::stdout()),
            LogSink::Writer(writer) => writer,
        };
        let (flush, flushes) = channel();
        let writer = LogWriter { out, buffer: Arc::clone(&log.buffer), lost: log.lost.clone() };
        let write = move || writer.run(&flushes);
        std::thread::Builder::new().name("request-log".into()).spawn(write)?;
        log.flush = Some(flush);
        Ok(log)
    }

    pub(crate) fn is_on(&self) -> bool {
        self.flush.is_some()
    }

    pub fn push(&self, line: &LogLine<'_>) {
        if !self.is_on() {
            return;
        }
        let mut left_out = 0;
        if line.is_refused_stranger() {
            let Some(unwritten) = locked(&self.sample).admit(line.at.unix()) else {
                self.left_out.inc();
                return;
            };
            left_out = unwritten;
        }
        let mut text = Vec::with_capacity(USUAL_LINE_BYTES);
        // Writing to memory does not fail.
        let _ = line.write(&mut text, left_out);
        let mut buffer = locked(&self.buffer);
        if buffer.lines == LOG_BUFFER_LINES {
            self.lost.inc();
            return;
        }
        buffer.text.extend_from_slice(&text);
        buffer.lines += 1;
    }

    /// Waits until all lines so far are written, at most [`FLUSH_WITHIN`].
    pub(crate) fn flush(&self) {
        let Some(flush) = &self.flush else { return };
        let (confirm, confirmed) = channel();
        if flush.send(confirm).is_ok() {
            let _ = confirmed.recv_timeout(FLUSH_WITHIN);
        }
    }
}

/// Limits the lines that any client can cause.
#[derive(Default)]
struct RefusalSample {
    /// The second of the last refusal, the refusals in it, and those left out since the last one that was written.
    second: i64,
    refusals: u32,
    left_out: u64,
}

impl RefusalSample {
    /// Returns how many refusals were left out before this one, or `None` if this one is left out too.
    fn admit(&mut self, second: i64) -> Option<u64> {
        if self.second != second {
            (self.second, self.refusals) = (second, 0);
        }
        self.refusals += 1;
        if self.refusals > REFUSALS_PER_SECOND {
            self.left_out += 1;
            return None;
        }
        Some(std::mem::take(&mut self.left_out))
    }
}

struct LogWriter {
    out: Box<dyn Write + Send>,
    buffer: Arc<Mutex<LogBuffer>>,
    lost: Counter,
}

impl LogWriter {
    /// Ends when the log is dropped, after writing the lines that wait.
    fn run(mut self, flushes: &Receiver<Sender<()>>) {
        let mut batch = LogBuffer::default();
        loop {
            let flush = flushes.recv_timeout(WRITE_EVERY);
            std::mem::swap(&mut batch, &mut *locked(&self.buffer));
            // A log that cannot be written must not stop the service.
            if self.out.write_all(&batch.text).and_then(|()| self.out.flush()).is_err() {
                self.lost.inc_by(batch.lines as u64);
            }
            batch.text.clear();
            batch.text.shrink_to(KEPT_BYTES);
            batch.lines = 0;
            match flush {
                Ok(confirm) => drop(confirm.send(())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn line(second: i64, status: u16) -> LogLine<'static> {
        LogLine {
            at: Timestamp::from_unix(second),
            method: "GET",
            path: "/v1/conflict",
            status,
            client: [192, 0, 2, 1].into(),
            key: None,
            refused_key: Some("abcdefghjk"),
            micros: 1,
            bytes: 2,
            request_id: *b"0123456789abcdef",
        }
    }

    #[test]
    fn a_flood_of_refusals_is_counted_and_a_sample_written() {
        let kept = Shared::default();
        let left_out = Counter::default();
        let sink = LogSink::Writer(Box::new(kept.clone()));
        let log = RequestLog::start(sink, Counter::default(), left_out.clone()).unwrap();
        (0..1_000).for_each(|_| log.push(&line(7, 401)));
        log.push(&line(7, 200));
        log.push(&line(8, 429));
        log.flush();
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.len(), REFUSALS_PER_SECOND as usize + 2);
        assert_eq!(left_out.get(), 980);
        assert_eq!(lines.last().unwrap()["left_out"], 980);
        assert_eq!(
            (&lines[0]["client"], &lines[0]["refused_key"]),
            (&"192.0.2.1".into(), &"abcdefghjk".into())
        );
    }

    #[test]
    fn a_slow_sink_drops_lines_and_counts_them() {
        let kept = Shared::default();
        let lost = Counter::default();
        let sink = LogSink::Writer(Box::new(kept.clone()));
        let log = RequestLog::start(sink, lost.clone(), Counter::default()).unwrap();
        // The thread may hold one full buffer while requests fill the next one.
        let too_many = 2 * LOG_BUFFER_LINES + 10;
        let blocked = kept.0.lock().unwrap();
        (0..too_many).for_each(|_| log.push(&line(7, 200)));
        drop(blocked);
        log.flush();
        let written = kept.0.lock().unwrap().iter().filter(|byte| **byte == b'\n').count();
        assert!(lost.get() >= 10);
        assert_eq!(written + lost.get() as usize, too_many);
    }

    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let lost = Counter::default();
        let sink = LogSink::Writer(Box::new(Broken));
        let log = RequestLog::start(sink, lost.clone(), Counter::default()).unwrap();
        (0..3).for_each(|_| log.push(&line(7, 200)));
        log.flush();
        assert_eq!(lost.get(), 3);
    }
}
