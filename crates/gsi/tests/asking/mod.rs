//! One question to a service on loopback, and waiting until something holds.
#![allow(dead_code, reason = "shared by tests of which none uses all of it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

pub fn get(port: u16, path: &str, key: Option<&str>, patience: Duration) -> std::io::Result<Answer> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let credentials = key.map_or(String::new(), |k| format!("Authorization: Bearer {k}\r\n"));
    write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{credentials}\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let broken = || std::io::Error::other("not an answer");
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(broken)?;
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or_else(broken)?;
    Ok(Answer { status, head: head.to_lowercase(), body: body.to_owned() })
}

/// Asks until the answer is as wanted; returns how long that took.
pub fn until(what: &str, patience: Duration, mut done: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < patience, "{what}: not within {patience:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    begun.elapsed()
}
