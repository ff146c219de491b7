//! The service under test as a service manager runs it: started again after a kill, with its log read.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LINES_KEPT: usize = 40;
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Default)]
struct LogWatch {
    last_lines: Mutex<VecDeque<String>>,
    failed_ticks: AtomicU64,
    panics: AtomicU64,
    /// The reader of the log has closed it.
    closed: AtomicBool,
}

pub struct ManagedService {
    command: Box<dyn Fn() -> Command>,
    child: Child,
    watch: Arc<LogWatch>,
    /// Whether it may end, because it was killed or started during a fault.
    may_end: bool,
    pub starts: u64,
    pub kills: u64,
}

impl ManagedService {
    pub fn start(command: Box<dyn Fn() -> Command>) -> Self {
        let mut child = command().spawn().expect("start the service");
        let watch = Arc::new(LogWatch::default());
        listen(child.stderr.take().unwrap(), Arc::clone(&watch));
        ManagedService { command, child, watch, may_end: false, starts: 1, kills: 0 }
    }

    /// Starts a process in place of one that has ended. `in_trouble`: during a fault that may end it.
    fn start_again(&mut self, in_trouble: bool) {
        self.child = (self.command)().spawn().expect("start the service");
        // A service manager reads the log of the new process.
        self.watch.closed.store(false, Ordering::SeqCst);
        listen(self.child.stderr.take().unwrap(), Arc::clone(&self.watch));
        self.may_end = in_trouble;
        self.starts += 1;
    }

    /// Starts a new process if the last one has ended. Panics if it was not allowed to end.
    pub fn keep_running(&mut self, in_trouble: bool) {
        if let Some(status) = self.child.try_wait().unwrap() {
            assert!(self.may_end, "the service ended by itself: {status}\n{}", self.last_lines());
            self.start_again(in_trouble);
        }
    }

    /// From now on the process may not end.
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
        // Another fault may have ended it.
        let _ = Command::new("kill").args([signal, &process]).stderr(Stdio::null()).status();
    }

    /// Ends the process like `systemctl stop`, even while it is halted.
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

    /// Closes the reading end of its log, like `head` after its last line.
    pub fn close_stderr(&self) {
        self.watch.closed.store(true, Ordering::SeqCst);
    }

    pub fn failed_ticks(&self) -> u64 {
        self.watch.failed_ticks.load(Ordering::Relaxed)
    }

    pub fn panics(&self) -> u64 {
        self.watch.panics.load(Ordering::Relaxed)
    }

    pub fn last_lines(&self) -> String {
        let lines = self.watch.last_lines.lock().unwrap();
        lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for ManagedService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the log until it is closed. Requests are logged as well, so a next line always comes.
fn listen(stderr: ChildStderr, watch: Arc<LogWatch>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if watch.closed.load(Ordering::SeqCst) {
                return;
            }
            if line.starts_with('{') {
                continue;
            }
            let count = |counter: &AtomicU64, words: &str| {
                counter.fetch_add(u64::from(line.contains(words)), Ordering::Relaxed);
            };
            count(&watch.failed_ticks, "the tick failed");
            count(&watch.panics, "panicked at");
            let mut lines = watch.last_lines.lock().unwrap();
            lines.push_back(line);
            if lines.len() > LINES_KEPT {
                lines.pop_front();
            }
        }
    });
}
