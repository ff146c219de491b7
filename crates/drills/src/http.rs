//! A small HTTP client for one request on a new connection.

use std::io::{Error, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than any request takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Status line and headers, unchanged.
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// Sends a GET request to a service on loopback and reads the whole answer.
pub fn get(port: u16, path: &str, key: Option<&str>, patience: Duration) -> std::io::Result<Answer> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let credentials = key.map_or(String::new(), |key| format!("Authorization: Bearer {key}\r\n"));
    write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{credentials}\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let broken = || Error::other("not a whole answer");
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(broken)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
    Ok(Answer { status, head: head.to_owned(), body: body.to_owned() })
}

/// Like [`get`], but takes an address such as `127.0.0.1:8080` and panics without an answer.
pub fn get_from(address: &str, path: &str, key: Option<&str>) -> Answer {
    let port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("an address with a port");
    let answer = get(port, path, key, PATIENCE).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(answer.header("transfer-encoding"), None, "this client reads no chunked bodies: {path}");
    answer
}
