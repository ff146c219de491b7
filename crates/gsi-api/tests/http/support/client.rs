//! A client that sends raw bytes and returns a parsed head and body.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than any answer takes on a busy machine, so only a hang exceeds it.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    pub fn headers_named(&self, name: &str) -> usize {
        self.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).count()
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or("").to_owned()
    }
}

pub struct Connection {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("connect");
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Connection { stream, buffer: Vec::new() }
    }

    pub fn send(&mut self, bytes: &[u8]) -> &mut Self {
        // A server may refuse before it has read everything.
        let _ = self.stream.write_all(bytes);
        self
    }

    fn fill(&mut self) -> bool {
        let mut chunk = [0; 16 * 1024];
        match self.stream.read(&mut chunk) {
            Ok(0) => false,
            Ok(n) => {
                self.buffer.extend_from_slice(&chunk[..n]);
                true
            }
            Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => false,
            Err(e) => panic!("read: {e}"),
        }
    }

    /// Returns the next answer, or `None` if the server closes instead. `head_only` says that the request was a HEAD.
    pub fn answer_to(&mut self, head_only: bool) -> Option<Answer> {
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|w| w == b"\r\n\r\n") {
                break end + 4;
            }
            if !self.fill() {
                assert!(self.buffer.is_empty(), "cut off: {:?}", String::from_utf8_lossy(&self.buffer));
                return None;
            }
        };
        let head = String::from_utf8(self.buffer[..end].to_vec()).expect("ASCII head");
        let mut lines = head.split("\r\n");
        let status_line = lines.next().unwrap();
        let status = status_line.split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> =
            lines.filter_map(|l| l.split_once(": ").map(|(n, v)| (n.to_owned(), v.to_owned()))).collect();
        let mut answer = Answer { status, headers, body: vec![] };
        let length: usize = answer.header("content-length").map_or(0, |l| l.parse().unwrap());
        let length = if head_only || status == 304 || status == 204 { 0 } else { length };
        while self.buffer.len() < end + length {
            assert!(self.fill(), "body cut off");
        }
        answer.body = self.buffer[end..end + length].to_vec();
        self.buffer.drain(..end + length);
        Some(answer)
    }

    pub fn answer(&mut self) -> Option<Answer> {
        self.answer_to(false)
    }

    /// Returns the next chunk of a chunked body. It is empty at a clean end, and `None` if the connection breaks.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(line) = self.buffer.windows(2).position(|w| w == b"\r\n") {
                let size = std::str::from_utf8(&self.buffer[..line]).expect("a size");
                let size = usize::from_str_radix(size, 16).unwrap_or_else(|_| panic!("not a size: {size}"));
                let (start, end) = (line + 2, line + 2 + size);
                if self.buffer.len() >= end + 2 {
                    let chunk = self.buffer[start..end].to_vec();
                    assert_eq!(&self.buffer[end..end + 2], b"\r\n");
                    self.buffer.drain(..end + 2);
                    return Some(chunk);
                }
            }
            if !self.fill() {
                return None;
            }
        }
    }

    /// Waits for bytes if there are none, and returns all that have arrived.
    pub fn rest(&mut self) -> String {
        while self.buffer.is_empty() {
            assert!(self.fill(), "closed");
        }
        String::from_utf8(std::mem::take(&mut self.buffer)).expect("UTF-8")
    }

    /// Returns whether the server closes without another byte.
    pub fn is_closed(&mut self) -> bool {
        self.buffer.is_empty() && !self.fill()
    }
}
