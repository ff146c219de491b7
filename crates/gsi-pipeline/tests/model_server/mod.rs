//! A chat-completions endpoint for tests, which can also fail in every way a real one could.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Clone)]
pub enum Behaviour {
    /// A status and a body, with its length.
    Raw(u16, String),
    /// A body without a content length.
    Chunked(String),
    /// The n-th question gets the n-th of these as its text.
    InTurn(Vec<String>),
    /// The question that holds the first text gets the second.
    ByText(Vec<(String, String)>),
    NeverEnds,
    Trickle(String),
    Silent,
    HangUp,
    /// Half of the announced body.
    BreakOff(String),
    Redirect(String),
}

/// The body of a successful answer.
pub fn completion(text: &str) -> String {
    serde_json::json!({
        "id": "cmpl-1",
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "total_tokens": 7 },
    })
    .to_string()
}

pub fn answering(text: &str) -> Behaviour {
    Behaviour::Raw(200, completion(text))
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub head: String,
    pub body: String,
}

pub struct ModelServer {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    serving: JoinHandle<()>,
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl ModelServer {
    pub async fn start(behaviour: Behaviour) -> ModelServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let requests = asked.clone();
        let turn = Arc::new(AtomicUsize::new(0));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (behaviour, requests, turn) = (behaviour.clone(), requests.clone(), turn.clone());
                tokio::spawn(async move {
                    // A client that closes the connection is no failure of the test.
                    let _ = answer(stream, behaviour, &requests, &turn).await;
                });
            }
        });
        ModelServer { address, asked, serving }
    }

    pub fn address(&self) -> String {
        self.address.clone()
    }

    pub fn questions(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<Asked> {
    let mut bytes = Vec::new();
    let mut buffer = [0u8; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|l| {
                    l.to_ascii_lowercase().strip_prefix("content-length:").map(|n| n.trim().to_owned())
                })
                .and_then(|n| n.parse::<usize>().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return Ok(Asked { head: head.to_owned(), body: body.to_owned() });
            }
        }
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&buffer[..read]);
    }
}

fn head(status: u16, length: Option<usize>, more: &str) -> String {
    let length = match length {
        Some(n) => format!("content-length: {n}\r\n"),
        None => "transfer-encoding: chunked\r\n".to_owned(),
    };
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n{length}{more}\r\n"
    )
}

async fn answer(
    mut stream: TcpStream,
    behaviour: Behaviour,
    requests: &Mutex<Vec<Asked>>,
    turn: &AtomicUsize,
) -> std::io::Result<()> {
    let asked = read_request(&mut stream).await?;
    requests.lock().unwrap().push(asked.clone());
    let whole = |status: u16, body: &str| format!("{}{body}", head(status, Some(body.len()), ""));
    match behaviour {
        Behaviour::Raw(status, body) => stream.write_all(whole(status, &body).as_bytes()).await?,
        Behaviour::InTurn(texts) => {
            let n = turn.fetch_add(1, Ordering::SeqCst);
            stream.write_all(whole(200, &completion(&texts[n % texts.len()])).as_bytes()).await?;
        }
        Behaviour::ByText(pairs) => {
            let body: serde_json::Value = serde_json::from_str(&asked.body)?;
            let data = body["messages"][1]["content"].as_str().unwrap_or("");
            let data: serde_json::Value = serde_json::from_str(data)?;
            let text = data["text"].as_str().unwrap_or("");
            let reply = pairs.iter().find(|(question, _)| question == text).map_or("", |p| p.1.as_str());
            stream.write_all(whole(200, &completion(reply)).as_bytes()).await?;
        }
        Behaviour::Chunked(body) => {
            stream.write_all(head(200, None, "").as_bytes()).await?;
            for part in body.as_bytes().chunks(4096) {
                stream.write_all(format!("{:x}\r\n", part.len()).as_bytes()).await?;
                stream.write_all(part).await?;
                stream.write_all(b"\r\n").await?;
            }
            stream.write_all(b"0\r\n\r\n").await?;
        }
        Behaviour::NeverEnds => {
            stream.write_all(head(200, None, "").as_bytes()).await?;
            loop {
                stream.write_all(b"1\r\n \r\n").await?;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        Behaviour::Trickle(body) => {
            stream.write_all(head(200, Some(body.len()), "").as_bytes()).await?;
            for byte in body.bytes() {
                stream.write_all(&[byte]).await?;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        Behaviour::Silent => std::future::pending::<()>().await,
        Behaviour::HangUp => {}
        Behaviour::BreakOff(body) => {
            stream.write_all(head(200, Some(body.len()), "").as_bytes()).await?;
            stream.write_all(&body.as_bytes()[..body.len() / 2]).await?;
        }
        Behaviour::Redirect(to) => {
            let more = format!("location: {to}/v1/chat/completions\r\n");
            stream.write_all(head(307, Some(0), &more).as_bytes()).await?;
        }
    }
    stream.flush().await
}
