//! The service under test as a service manager keeps it: started again when it was killed, and heard.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LINES_KEPT: usize = 40;
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Heard {
    last_lines: Mutex<VecDeque<String>>,
    failed_ticks: AtomicU64,
    panics: AtomicU64,
    /// Nobody reads its log any more.
    closed: AtomicBool,
}

pub struct ManagedService {
    command: Box<dyn Fn() -> Command>,
    child: Child,
    heard: Arc<Heard>,
    /// It was killed, or began in the middle of a fault: then it may end.
    may_end: bool,
    pub starts: u64,
    pub kills: u64,
}

impl ManagedService {
    pub fn start(command: Box<dyn Fn() -> Command>) -> Self {
        let mut child = command().spawn().expect("start the service");
        let heard = Arc::new(Heard::default());
        listen(child.stderr.take().unwrap(), Arc::clone(&heard));
        ManagedService { command, child, heard, may_end: false, starts: 1, kills: 0 }
    }

    /// In place of one that has ended. `in_trouble`: something is wrong that the new one may end of.
    fn start_again(&mut self, in_trouble: bool) {
        self.child = (self.command)().spawn().expect("start the service");
        // The log is read again, as by whoever restarts a service.
        self.heard.closed.store(false, Ordering::SeqCst);
        listen(self.child.stderr.take().unwrap(), Arc::clone(&self.heard));
        self.may_end = in_trouble;
        self.starts += 1;
    }

    /// Starts another if it has ended, which it must not have done by itself.
    pub fn keep_running(&mut self, in_trouble: bool) {
        if let Some(status) = self.child.try_wait().unwrap() {
            assert!(self.may_end, "the service ended by itself: {status}\n{}", self.last_lines());
            self.start_again(in_trouble);
        }
    }

    /// From here on it must not end by itself.
    pub fn is_well(&mut self) {
        self.may_end = false;
    }

    pub fn kill(&mut self) {
        self.may_end = true;
        self.kills += 1;
        self.signal("-KILL");
    }

    pub fn signal(&self, signal: &str) {
        let process = self.child.id().to_string();
        // It may have ended of another fault.
        let _ = Command::new("kill").args([signal, &process]).stderr(Stdio::null()).status();
    }

    /// As it is told by `systemctl stop`, also in the middle of a halt; then another may be started.
    pub fn terminate(&mut self, within: Duration) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        self.may_end = true;
        self.signal("-TERM");
        self.signal("-CONT");
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, begun.elapsed());
            }
            assert!(begun.elapsed() < within, "SIGTERM does not end it\n{}", self.last_lines());
            std::thread::sleep(PAUSE);
        }
    }

    /// The reading end of its log, as when `head` has had its lines.
    pub fn close_stderr(&self) {
        self.heard.closed.store(true, Ordering::SeqCst);
    }

    pub fn failed_ticks(&self) -> u64 {
        self.heard.failed_ticks.load(Ordering::Relaxed)
    }

    pub fn panics(&self) -> u64 {
        self.heard.panics.load(Ordering::Relaxed)
    }

    pub fn last_lines(&self) -> String {
        let lines = self.heard.last_lines.lock().unwrap();
        lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for ManagedService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Requests are logged to the same place, so there is always a next line at which a closing is noticed.
fn listen(stderr: ChildStderr, heard: Arc<Heard>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if heard.closed.load(Ordering::SeqCst) {
                return;
            }
            if line.starts_with('{') {
                continue;
            }
            let count = |counter: &AtomicU64, words: &str| {
                counter.fetch_add(u64::from(line.contains(words)), Ordering::Relaxed);
            };
            count(&heard.failed_ticks, "the tick failed");
            count(&heard.panics, "panicked at");
            let mut lines = heard.last_lines.lock().unwrap();
            lines.push_back(line);
            if lines.len() > LINES_KEPT {
                lines.pop_front();
            }
        }
    });
}
