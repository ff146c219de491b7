//! The request log: one JSON line per request. A dedicated thread formats and writes the lines. When it falls behind,
//! lines are dropped and counted.
//!
//! A line never contains the key, the query or a header of the request.

use crate::auth::key_ring::KeyEntry;
use crate::settings::{LOG_BUFFER_LINES, LogSink};
use gsi_model::Timestamp;
use http::Method;
use prometheus_client::metrics::counter::Counter;
use std::io::{BufWriter, Write};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

/// How often the writer takes the waiting lines. Waking it for each line would cost more than the line.
const DRAIN_EVERY: Duration = Duration::from_millis(50);
/// Refusals of requests without a valid key that are written each second. The next line says how many were not written.
const REFUSALS_PER_SECOND: u32 = 20;
/// Paths longer than this are cut in the log.
const MAX_PATH: usize = 512;

pub struct LogLine {
    pub at: Timestamp,
    pub method: Method,
    pub path: String,
    pub status: u16,
    pub client: IpAddr,
    pub key: Option<Arc<KeyEntry>>,
    /// The public id of a key that was refused.
    pub refused_key: Option<String>,
    pub micros: u64,
    pub bytes: u64,
    pub request_id: [u8; 16],
}

impl LogLine {
    /// Any client can cause these lines, in any number.
    fn is_refused_stranger(&self) -> bool {
        self.key.is_none() && self.status >= 400
    }

    fn write(&self, out: &mut impl Write, left_out: u64) -> std::io::Result<()> {
        let path: String = crate::auth::keys::redact(&self.path).chars().take(MAX_PATH).collect();
        let id = std::str::from_utf8(&self.request_id).unwrap_or("");
        write!(out, "{{\"time\":\"{}\",\"method\":", self.at)?;
        serde_json::to_writer(&mut *out, self.method.as_str())?;
        out.write_all(b",\"path\":")?;
        serde_json::to_writer(&mut *out, &path)?;
        write!(out, ",\"status\":{},\"key\":", self.status)?;
        serde_json::to_writer(&mut *out, &self.key.as_ref().map(|k| &k.id))?;
        if let Some(id) = &self.refused_key {
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
    sender: Option<mpsc::Sender<LogLine>>,
    lost: Counter,
}

impl RequestLog {
    /// `left_out` counts refusals that are not written because of the limit per second.
    pub fn start(sink: LogSink, lost: Counter, left_out: Counter) -> std::io::Result<Self> {
        let out: Box<dyn Write + Send> = match sink {
            LogSink::Off => return Ok(RequestLog { sender: None, lost }),
            LogSink::Stdout => Box::new(std::io::stdout()),
            LogSink::Writer(writer) => writer,
        };
        // The standard library's channel would allocate its whole buffer at the start.
        let (sender, mut receiver) = mpsc::channel(LOG_BUFFER_LINES);
        std::thread::Builder::new().name("request-log".into()).spawn({
            let mut writer = LineWriter::new(out, lost.clone(), left_out);
            move || writer.drain(&mut receiver)
        })?;
        Ok(RequestLog { sender: Some(sender), lost })
    }

    pub(crate) fn is_on(&self) -> bool {
        self.sender.is_some()
    }

    pub fn push(&self, line: LogLine) {
        if let Some(sender) = &self.sender
            && sender.try_send(line).is_err()
        {
            self.lost.inc();
        }
    }
}

struct LineWriter {
    out: BufWriter<Box<dyn Write + Send>>,
    lost: Counter,
    left_out: Counter,
    /// The second being written, the refusals in it, and the refusals not written since the last one that was.
    second: i64,
    refusals: u32,
    unwritten: u64,
}

impl LineWriter {
    fn new(out: Box<dyn Write + Send>, lost: Counter, left_out: Counter) -> Self {
        let out = BufWriter::with_capacity(64 * 1024, out);
        LineWriter { out, lost, left_out, second: 0, refusals: 0, unwritten: 0 }
    }

    /// Ends when the log is dropped, after writing the lines that wait.
    fn drain(&mut self, lines: &mut mpsc::Receiver<LogLine>) {
        loop {
            match lines.try_recv() {
                Ok(line) => self.write(&line),
                Err(TryRecvError::Empty) => {
                    self.flush();
                    std::thread::sleep(DRAIN_EVERY);
                }
                Err(TryRecvError::Disconnected) => return self.flush(),
            }
        }
    }

    fn write(&mut self, line: &LogLine) {
        let mut left_out = 0;
        if line.is_refused_stranger() {
            if self.second != line.at.unix() {
                (self.second, self.refusals) = (line.at.unix(), 0);
            }
            self.refusals += 1;
            if self.refusals > REFUSALS_PER_SECOND {
                self.unwritten += 1;
                self.left_out.inc();
                return;
            }
            left_out = std::mem::take(&mut self.unwritten);
        }
        // A log that cannot be written must not stop the service.
        if line.write(&mut self.out, left_out).is_err() {
            self.lost.inc();
        }
    }

    fn flush(&mut self) {
        if self.out.flush().is_err() {
            self.lost.inc();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, PoisonError};

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

    fn line(second: i64, status: u16) -> LogLine {
        LogLine {
            at: Timestamp::from_unix(second),
            method: Method::GET,
            path: "/v1/conflict".into(),
            status,
            client: [192, 0, 2, 1].into(),
            key: None,
            refused_key: Some("abcdefghjk".to_owned()),
            micros: 1,
            bytes: 2,
            request_id: *b"0123456789abcdef",
        }
    }

    #[test]
    fn a_flood_of_refusals_is_counted_and_a_sample_written() {
        let kept = Shared::default();
        let left_out = Counter::default();
        let mut writer = LineWriter::new(Box::new(kept.clone()), Counter::default(), left_out.clone());
        (0..1_000).for_each(|_| writer.write(&line(7, 401)));
        writer.write(&line(7, 200));
        writer.write(&line(8, 429));
        writer.flush();
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
}
