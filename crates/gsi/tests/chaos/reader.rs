//! A well-behaved client: one kept connection, one request at a time, prepared resources only. Every answer is compared with all
//! others of the same tick, from any process of the service.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Error, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PREPARED: [&str; 4] = [
    "/v1/global-stability",
    "/v1/summaries",
    "/v1/global-stability/pillar/conflict",
    "/v1/global-stability/pillar/macro",
];
const PAUSE: Duration = Duration::from_millis(5);
/// Longer than any client waits, for machines that are busy with other tests.
const PATIENCE: Duration = Duration::from_secs(10);
const COMPLAINTS_KEPT: usize = 20;

pub struct WellBehavedReader {
    shared: Arc<ReaderState>,
    thread: Option<JoinHandle<()>>,
}

struct ReaderState {
    port: u16,
    key: String,
    /// Odd while the service has to answer. Every change adds one.
    owed: AtomicU64,
    ended: AtomicBool,
    seen: Mutex<ReaderNotes>,
}

#[derive(Default)]
struct ReaderNotes {
    /// By path and tick: the one body that may ever be served.
    bodies: HashMap<(&'static str, String), u64>,
    complaints: Vec<String>,
    micros: Vec<u64>,
    excused: u64,
}

/// How long answers took since the last call of [`WellBehavedReader::take_times`].
#[derive(Default)]
pub struct ReadTimes {
    micros: Vec<u64>,
    /// Requests without an answer while the service did not have to answer.
    pub excused: u64,
}

impl ReadTimes {
    pub fn count(&self) -> usize {
        self.micros.len()
    }

    pub fn add(&mut self, more: ReadTimes) {
        self.micros.extend(more.micros);
        self.micros.sort_unstable();
        self.excused += more.excused;
    }

    /// Returns the time in milliseconds within which `percent` of a hundred answers came.
    pub fn percentile(&self, percent: usize) -> f64 {
        let last = self.micros.len().saturating_sub(1);
        let at = (self.micros.len() * percent / 100).min(last);
        self.micros.get(at).map_or(0.0, |micros| *micros as f64 / 1e3)
    }
}

impl WellBehavedReader {
    /// Starts asking. At first the service does not have to answer.
    pub fn start(port: u16, key: &str) -> Self {
        let shared = Arc::new(ReaderState {
            port,
            key: key.to_owned(),
            owed: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            seen: Mutex::default(),
        });
        let state = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let mut connection = None;
            for turn in 0.. {
                if state.ended.load(Ordering::Relaxed) {
                    return;
                }
                state.ask(&mut connection, PREPARED[turn % PREPARED.len()]);
                std::thread::sleep(PAUSE);
            }
        });
        WellBehavedReader { shared, thread: Some(thread) }
    }

    /// Sets whether the service has to answer every request from now on.
    pub fn expect_answers(&self, owed: bool) {
        let now = self.shared.owed.load(Ordering::SeqCst);
        if (now % 2 == 1) != owed {
            self.shared.owed.store(now + 1, Ordering::SeqCst);
        }
    }

    /// Wrong or missing answers so far. There must be none.
    pub fn complaints(&self) -> Vec<String> {
        self.shared.seen.lock().unwrap().complaints.clone()
    }

    pub fn ticks_seen(&self) -> usize {
        let seen = self.shared.seen.lock().unwrap();
        seen.bodies.keys().filter(|(path, _)| *path == PREPARED[0]).count()
    }

    pub fn take_times(&self) -> ReadTimes {
        let mut seen = self.shared.seen.lock().unwrap();
        let mut micros = std::mem::take(&mut seen.micros);
        micros.sort_unstable();
        ReadTimes { micros, excused: std::mem::take(&mut seen.excused) }
    }
}

impl Drop for WellBehavedReader {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

type Kept = BufReader<TcpStream>;

impl ReaderState {
    fn ask(&self, connection: &mut Option<Kept>, path: &'static str) {
        let (owed, begun) = (self.owed.load(Ordering::SeqCst), Instant::now());
        let kept = connection.take().map(|kept| self.ask_on(kept, path));
        // A kept connection may have been closed meanwhile; every client then opens another.
        let answer = match kept {
            Some(Ok(answer)) => Ok(answer),
            _ => self.connect().and_then(|fresh| self.ask_on(fresh, path)),
        };
        let micros = begun.elapsed().as_micros() as u64;
        let is_owed = owed % 2 == 1 && self.owed.load(Ordering::SeqCst) == owed;
        let mut seen = self.seen.lock().unwrap();
        let complaint = match answer {
            Ok((200, body, kept)) => {
                *connection = Some(kept);
                seen.micros.extend(is_owed.then_some(micros));
                seen.check(path, &body)
            }
            Ok((status, body, _)) if is_owed => Some(format!("{path}: {status} {body}")),
            Err(error) if is_owed => Some(format!("{path}: {error}")),
            _ => {
                seen.excused += 1;
                None
            }
        };
        if seen.complaints.len() < COMPLAINTS_KEPT {
            seen.complaints.extend(complaint);
        }
    }

    fn connect(&self) -> std::io::Result<Kept> {
        let address = SocketAddr::from(([127, 0, 0, 1], self.port));
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(BufReader::new(stream))
    }

    fn ask_on(&self, mut kept: Kept, path: &str) -> std::io::Result<(u16, String, Kept)> {
        let question =
            format!("GET {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {}\r\n\r\n", self.key);
        kept.get_mut().write_all(question.as_bytes())?;
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            if kept.read_line(&mut line)? == 0 {
                return Err(Error::other("closed before the end of the head"));
            }
            let lower = line.trim_end().to_ascii_lowercase();
            if lower.is_empty() {
                break;
            } else if status == 0 {
                status = lower.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(1);
            } else if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(Error::other)?;
            }
        }
        let mut body = vec![0; length];
        kept.read_exact(&mut body)?;
        Ok((status, String::from_utf8(body).map_err(Error::other)?, kept))
    }
}

impl ReaderNotes {
    fn check(&mut self, path: &'static str, body: &str) -> Option<String> {
        let json: serde_json::Value = match serde_json::from_str(body) {
            Ok(json) => json,
            Err(error) => return Some(format!("{path}: not JSON: {error}")),
        };
        let tick = json["as_of"].as_str().unwrap_or("?").to_owned();
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let is = hasher.finish();
        let first = *self.bodies.entry((path, tick.clone())).or_insert(is);
        (first != is).then(|| format!("{path} of {tick} had another body before: {body}"))
    }
}
