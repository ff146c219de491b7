//! A receiver of webhooks that behaves as tests want it to.

// Not every test that includes this uses all of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What a receiver does with a request.
#[derive(Clone, Copy)]
pub enum Behaviour {
    Status(u16),
    /// Reads and says nothing more.
    HangUp,
    /// Reads, and keeps the other side waiting.
    Silence,
    /// Answers well, and goes on for megabytes.
    Flood,
}

#[derive(Clone, Debug)]
pub struct Received {
    pub headers: BTreeMap<String, String>,
    pub body: String,
    pub accepted: bool,
}

/// A receiver that behaves as told, one behaviour a request, the last one from then on.
pub struct Receiver {
    pub url: String,
    got: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub fn start(behaviours: &'static [Behaviour]) -> Receiver {
        Receiver::behaving(move |n| behaviours[n.min(behaviours.len() - 1)])
    }

    /// A receiver that is told what to do with its first request, its second, and so on.
    pub fn behaving(behaviour: impl Fn(usize) -> Behaviour + Send + 'static) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/secret-path", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&got);
        std::thread::spawn(move || {
            for (n, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                if let Some(received) = answer(stream, behaviour(n)) {
                    kept.lock().unwrap().push(received);
                }
            }
        });
        Receiver { url, got }
    }

    pub fn got(&self) -> Vec<Received> {
        self.got.lock().unwrap().clone()
    }
}

fn answer(stream: TcpStream, behaviour: Behaviour) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut headers = BTreeMap::new();
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length: usize = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut stream = reader.into_inner();
    let accepted = match behaviour {
        Behaviour::HangUp => false,
        Behaviour::Silence => {
            // As long as this process lives.
            std::mem::forget(stream);
            false
        }
        Behaviour::Flood => {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&vec![b'x'; 1 << 20]);
            true
        }
        Behaviour::Status(status) => {
            let head = format!(
                "HTTP/1.1 {status} As Told\r\nlocation: /other\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
            (200..300).contains(&status)
        }
    };
    Some(Received { headers, body: String::from_utf8(body).ok()?, accepted })
}

/// A message that was sent again said the same.
pub fn one_message_for_each_id(got: &[Received]) {
    let mut words: BTreeMap<&str, &str> = BTreeMap::new();
    for received in got {
        let id = received.headers["webhook-id"].as_str();
        assert_eq!(*words.entry(id).or_insert(&received.body), received.body, "one id, one message");
    }
}
