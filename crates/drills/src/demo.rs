//! `gsi demo` as a child process that has finished its first start.

use crate::free_port;
use crate::http::{Answer, get_from};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Four times as long as a first start on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// The process is killed when the value is dropped.
#[derive(Debug)]
pub struct RunningDemo {
    pub child: Child,
    /// The address of its listener, for example `127.0.0.1:8080`.
    pub address: String,
    /// The address of its listener for metrics.
    pub metrics_address: String,
    /// The key that the demo prints.
    pub key: String,
    stderr: Arc<Mutex<String>>,
}

impl RunningDemo {
    /// Starts the command and waits until it has printed its address and its key.
    pub fn start(command: &mut Command) -> Self {
        let metrics_address = format!("127.0.0.1:{}", free_port());
        command.env("GSI_METRICS_LISTEN", &metrics_address);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let stderr = collect_lines(BufReader::new(child.stderr.take().expect("a pipe")));
        let begun = Instant::now();
        loop {
            let text = stderr.lock().unwrap().clone();
            assert!(begun.elapsed() < PATIENCE, "the demo is not ready: {text}");
            assert!(child.try_wait().unwrap().is_none(), "the demo ended: {text}");
            if let (Some(key), Some(page)) = (value_of(&text, "key "), value_of(&text, "dashboard ")) {
                let address = page.trim_start_matches("http://").split('/').next().unwrap().to_owned();
                return RunningDemo { child, address, metrics_address, key, stderr };
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns everything that it has written to stderr so far.
    pub fn log(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Sends a GET request with the demo's key.
    pub fn get(&self, path: &str) -> Answer {
        self.get_as(Some(&self.key), path)
    }

    pub fn get_as(&self, key: Option<&str>, path: &str) -> Answer {
        get_from(&self.address, path, key)
    }

    pub fn metrics(&self) -> String {
        let answer = get_from(&self.metrics_address, "/metrics", None);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// Returns the JSON of an answer that must succeed.
    pub fn json(&self, path: &str) -> serde_json::Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }
}

impl Drop for RunningDemo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect_lines(stderr: impl BufRead + Send + 'static) -> Arc<Mutex<String>> {
    let collected = Arc::new(Mutex::new(String::new()));
    let text = Arc::clone(&collected);
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            text.lock().unwrap().push_str(&(line + "\n"));
        }
    });
    collected
}

/// Returns the rest of the line that begins with a label.
fn value_of(text: &str, label: &str) -> Option<String> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(label))?;
    Some(rest.trim().to_owned())
}
