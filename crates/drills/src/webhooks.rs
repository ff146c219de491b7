//! A receiver of webhooks that misbehaves as configured.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A receiver's reaction to a request.
#[derive(Debug, Clone, Copy)]
pub enum Behaviour {
    /// Answers with this status.
    Status(u16),
    /// Closes the connection without an answer.
    HangUp,
    /// Keeps the connection open and does not answer.
    Silence,
    /// Answers with 200 and megabytes of body.
    Flood,
}

/// A request that a receiver has read.
#[derive(Debug, Clone)]
pub struct Received {
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// Whether the answer was a success.
    pub accepted: bool,
}

/// Listens on loopback until the process ends.
#[derive(Debug)]
pub struct WebhookReceiver {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl WebhookReceiver {
    /// Uses one behaviour for each request, and the last one for all that follow.
    pub fn start(behaviours: &'static [Behaviour]) -> Self {
        Self::start_with(move |request| behaviours[request.min(behaviours.len() - 1)])
    }

    /// Chooses the behaviour by the number of the request, which begins with 0.
    pub fn start_with(behaviour: impl Fn(usize) -> Behaviour + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/secret-path", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let requests = Arc::clone(&received);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                if let Some(request) = answer(stream, behaviour(number)) {
                    requests.lock().unwrap().push(request);
                }
            }
        });
        WebhookReceiver { url, received }
    }

    /// All requests so far, in the order in which they came.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
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
    let accepted = respond(reader.into_inner(), behaviour);
    Some(Received { headers, body: String::from_utf8(body).ok()?, accepted })
}

/// Returns whether the answer is a success.
fn respond(mut stream: TcpStream, behaviour: Behaviour) -> bool {
    match behaviour {
        Behaviour::HangUp => false,
        Behaviour::Silence => {
            // The connection stays open until the process ends.
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
                "HTTP/1.1 {status} Chosen\r\nlocation: /other\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
            (200..300).contains(&status)
        }
    }
}

/// Checks that requests with the same `webhook-id` have the same body.
pub fn assert_one_body_for_each_id(received: &[Received]) {
    let mut bodies: BTreeMap<&str, &str> = BTreeMap::new();
    for request in received {
        let id = request.headers["webhook-id"].as_str();
        assert_eq!(*bodies.entry(id).or_insert(&request.body), request.body, "message {id} has changed");
    }
}
