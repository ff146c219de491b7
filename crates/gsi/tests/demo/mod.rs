//! The demo as a child process, from its start to its greeting, and a question to it.
#![allow(dead_code, reason = "shared by tests of which none uses all of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub const PATIENCE: Duration = Duration::from_secs(240);

pub struct Running {
    pub child: Child,
    pub address: String,
    pub key: String,
    /// Everything it has said so far.
    pub stderr: Arc<Mutex<String>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts it and waits until it has said that it is ready.
pub fn start(command: &mut Command) -> Running {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("start");
    let said = Arc::new(Mutex::new(String::new()));
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let heard = said.clone();
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            heard.lock().unwrap().push_str(&(line + "\n"));
        }
    });
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < PATIENCE, "not ready: {}", said.lock().unwrap());
        assert!(child.try_wait().unwrap().is_none(), "ended: {}", said.lock().unwrap());
        let text = said.lock().unwrap().clone();
        let after = |label: &str| {
            let line = text.lines().find(|l| l.trim_start().starts_with(label))?;
            Some(line.trim_start()[label.len()..].trim().to_owned())
        };
        if let (Some(key), Some(page)) = (after("key "), after("dashboard ")) {
            let address = page.trim_start_matches("http://").split('/').next().unwrap().to_owned();
            return Running { child, address, key, stderr: said };
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Status, and the whole answer.
pub fn answer(address: &str, path: &str, key: Option<&str>) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let credentials = key.map_or(String::new(), |k| format!("Authorization: Bearer {k}\r\n"));
    write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{credentials}\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0), answer)
}

/// Status, and the body alone.
pub fn get(address: &str, path: &str, key: Option<&str>) -> (u16, String) {
    let (status, answer) = answer(address, path, key);
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(!head.to_ascii_lowercase().contains("transfer-encoding: chunked"), "{head}");
    (status, body.to_owned())
}
