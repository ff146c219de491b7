//! The request log: one JSON line per request, formatted and written by a thread of its own. A request only hands
//! over a small record; when the writer falls behind, lines are counted instead of kept.
//!
//! Never in a line: the key, the query, any header of the client.

use crate::key_ring::KeyEntry;
use crate::settings::{LOG_BUFFER_LINES, LogSink};
use gsi_model::Timestamp;
use http::Method;
use prometheus_client::metrics::counter::Counter;
use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

/// How often the writer looks for lines. Waking it for each would cost more than the line.
const DRAIN_EVERY: Duration = Duration::from_millis(50);
/// Paths longer than this are cut in the log.
const MAX_PATH: usize = 512;

pub struct LogLine {
    pub at: Timestamp,
    pub method: Method,
    pub path: Cow<'static, str>,
    pub status: u16,
    pub key: Option<Arc<KeyEntry>>,
    pub micros: u64,
    pub bytes: u64,
    pub request_id: [u8; 16],
}

impl LogLine {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let path: String = crate::keys::redact(&self.path).chars().take(MAX_PATH).collect();
        let id = std::str::from_utf8(&self.request_id).unwrap_or("");
        write!(out, "{{\"time\":\"{}\",\"method\":", self.at)?;
        serde_json::to_writer(&mut *out, self.method.as_str())?;
        out.write_all(b",\"path\":")?;
        serde_json::to_writer(&mut *out, &path)?;
        write!(out, ",\"status\":{},\"key\":", self.status)?;
        serde_json::to_writer(&mut *out, &self.key.as_ref().map(|k| &k.id))?;
        writeln!(out, ",\"micros\":{},\"bytes\":{},\"request_id\":\"{id}\"}}", self.micros, self.bytes)
    }
}

pub struct RequestLog {
    sender: Option<SyncSender<LogLine>>,
    lost: Counter,
}

impl RequestLog {
    pub fn start(sink: LogSink, lost: Counter) -> std::io::Result<Self> {
        let out: Box<dyn Write + Send> = match sink {
            LogSink::Off => return Ok(RequestLog { sender: None, lost }),
            LogSink::Stdout => Box::new(std::io::stdout()),
            LogSink::Writer(writer) => writer,
        };
        let (sender, receiver) = sync_channel(LOG_BUFFER_LINES);
        std::thread::Builder::new().name("request-log".into()).spawn(move || drain(&receiver, out))?;
        Ok(RequestLog { sender: Some(sender), lost })
    }

    pub fn is_on(&self) -> bool {
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

/// Ends when the log is dropped; whatever was handed over by then is written.
fn drain(lines: &Receiver<LogLine>, out: Box<dyn Write + Send>) {
    let mut out = BufWriter::with_capacity(64 * 1024, out);
    loop {
        match lines.try_recv() {
            Ok(line) => {
                // A log that cannot be written must not stop the service.
                let _ = line.write(&mut out);
            }
            Err(TryRecvError::Empty) => {
                let _ = out.flush();
                std::thread::sleep(DRAIN_EVERY);
            }
            Err(TryRecvError::Disconnected) => {
                let _ = out.flush();
                return;
            }
        }
    }
}
