//! The fetcher against a loopback publisher that misbehaves on request.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const HOSTS: &[&str] = &["example.org", "mirror.example.org"];

/// Answers each request with the raw bytes that `answer` returns for its head.
async fn publisher(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Fetcher {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base: Url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        loop {
            let Ok((mut stream, _)) = listener.accept().await else { return };
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                let mut buffer = [0; 4096];
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer).await {
                        Ok(n) if n > 0 => head.extend_from_slice(&buffer[..n]),
                        _ => return,
                    }
                }
                let reply = answer(&String::from_utf8_lossy(&head));
                if reply == b"hang" {
                    std::future::pending::<()>().await;
                }
                let _ = stream.write_all(&reply).await;
            });
        }
    });
    let mut settings = FetcherSettings::simulated(base);
    settings.total_timeout = Duration::from_millis(700);
    settings.retry_base = Duration::from_millis(1);
    Fetcher::new(settings).unwrap()
}

fn reply(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn request(path: &str) -> Request {
    let now = "2026-11-15T00:00:00Z".parse().unwrap();
    Request::new("oil", format!("https://example.org{path}"), HOSTS, now).max_bytes(1_000)
}

fn code(outcome: Result<Fetched, PayloadRefusal>) -> String {
    outcome.map_or_else(|r| r.code.to_string(), |f| format!("ok {}", String::from_utf8_lossy(&f.bytes)))
}

#[tokio::test]
async fn each_answer_becomes_its_refusal_code() {
    let fetcher = publisher(|head| {
        let path = head.split(' ').nth(1).unwrap();
        assert!(path.starts_with("/example.org/") || path.starts_with("/mirror.example.org/"), "{path}");
        match path.splitn(3, '/').nth(2).unwrap() {
            "good?a=b" => reply("200 OK", "", b"data"),
            "empty" => reply("200 OK", "", b""),
            "wall" => reply("200 OK", "", b" \n<!DOCTYPE HTML><title>Denied</title>"),
            "large" => reply("200 OK", "", &[b'x'; 1_001]),
            "endless" => {
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".as_bytes().to_vec();
                [head, vec![b'x'; 100_000]].concat()
            }
            "short" => reply("200 OK", "", b"data").into_iter().rev().skip(2).rev().collect(),
            "teapot" => reply("418 Teapot", "", b""),
            "denied" => reply("403 Forbidden", "", b"<html>"),
            "gone" => reply("404 Not Found", "", b""),
            "broken" => reply("500 Oops", "", b""),
            "surprise" => reply("304 Not Modified", "", b""),
            "partial" => reply("206 Partial Content", "", b"tail"),
            "moved" => reply("302 Found", "Location: https://mirror.example.org/good?a=b\r\n", b""),
            "relative" => reply("301 Moved", "Location: /good?a=b\r\n", b""),
            "loop" => reply("302 Found", "Location: /loop\r\n", b""),
            "foreign" => reply("302 Found", "Location: https://evil.test/\r\n", b""),
            "private" => reply("302 Found", "Location: http://127.0.0.1/admin\r\n", b""),
            "metadata" => reply("302 Found", "Location: http://169.254.169.254/latest\r\n", b""),
            "file" => reply("302 Found", "Location: file:///etc/passwd\r\n", b""),
            "nowhere" => reply("302 Found", "", b""),
            "hang" => b"hang".to_vec(),
            "silent" => Vec::new(),
            other => panic!("{other}"),
        }
    })
    .await;
    for (path, want) in [
        ("/good?a=b", "ok data"),
        ("/empty", "empty"),
        ("/wall", "html_wall"),
        ("/large", "too_large"),
        ("/endless", "too_large"),
        ("/short", "short_body"),
        ("/teapot", "status_4xx"),
        ("/denied", "status_403"),
        ("/gone", "status_404"),
        ("/broken", "status_5xx"),
        ("/surprise", "status_other"),
        ("/partial", "status_other"),
        ("/moved", "ok data"),
        ("/relative", "ok data"),
        ("/loop", "redirect"),
        ("/foreign", "redirect"),
        ("/private", "redirect"),
        ("/metadata", "redirect"),
        ("/file", "redirect"),
        ("/nowhere", "redirect"),
        ("/hang", "timeout"),
        ("/silent", "connect"),
    ] {
        assert_eq!(code(fetcher.get(&request(path)).await), want, "{path}");
    }
}

#[tokio::test]
async fn keys_stay_on_their_host_and_plain_http_is_refused() {
    let fetcher = publisher(|head| match head.split(' ').nth(1).unwrap() {
        "/example.org/elsewhere" => reply("302 Found", "Location: https://mirror.example.org/data\r\n", b""),
        "/example.org/down" => reply("302 Found", "Location: http://example.org/data\r\n", b""),
        "/example.org/here" => reply("302 Found", "Location: /data\r\n", b""),
        path => reply("200 OK", "", path.as_bytes()),
    })
    .await;
    for (path, plain, with_key) in [
        ("/elsewhere", "ok /mirror.example.org/data", "redirect"),
        ("/down", "ok /example.org/data", "redirect"),
        ("/here", "ok /example.org/data", "ok /example.org/data"),
    ] {
        assert_eq!(code(fetcher.get(&request(path)).await), plain, "{path}");
        let keyed = Request { headers: vec![("x-api-key", "secret".to_owned())], ..request(path) };
        assert_eq!(code(fetcher.get(&keyed).await), with_key, "{path}");
    }
    // Without a base address in place of the publishers, nothing is sent.
    let fetcher = Fetcher::new(FetcherSettings::default()).unwrap();
    let now = "2026-11-15T00:00:00Z".parse().unwrap();
    let request = Request::new("gdelt", "http://example.org/data", HOSTS, now);
    assert_eq!(code(fetcher.get(&request).await), "plain_http");
}

#[tokio::test]
async fn temporary_failures_are_retried() {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = count.clone();
    let fetcher = publisher(move |_| match seen.fetch_add(1, Ordering::SeqCst) {
        0 => reply("503 Busy", "Retry-After: 0\r\n", b""),
        1 => reply("500 Oops", "", b""),
        _ => reply("200 OK", "", b"data"),
    })
    .await;
    assert_eq!(code(fetcher.get(&request("/a")).await), "ok data");
    assert_eq!(count.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_long_retry_after_ends_the_poll() {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = count.clone();
    let fetcher = publisher(move |_| {
        seen.fetch_add(1, Ordering::SeqCst);
        reply("429 Slow down", "Retry-After: 3600\r\n", b"")
    })
    .await;
    assert_eq!(code(fetcher.get(&request("/a")).await), "status_429");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn conditional_and_partial_requests() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = heads.clone();
    let fetcher = publisher(move |head| {
        let lower = head.to_ascii_lowercase();
        seen.lock().unwrap().push(lower.clone());
        match () {
            () if lower.contains("range: bytes=-4") => reply("206 Partial Content", "", b"tail"),
            () if lower.contains("if-none-match: \"v1\"") => reply("304 Not Modified", "", b""),
            () => {
                reply("200 OK", "ETag: \"v1\"\r\nLast-Modified: Sat, 14 Nov 2026 10:00:00 GMT\r\n", b"data")
            }
        }
    })
    .await;
    let first = fetcher.get(&request("/a")).await.unwrap();
    assert_eq!(first.etag.as_deref(), Some("\"v1\""));
    assert_eq!(first.modified_at.unwrap().to_string(), "2026-11-14T10:00:00Z");
    let mut again = request("/a");
    again.etag = first.etag;
    again.last_modified = first.last_modified;
    assert!(fetcher.get(&again).await.unwrap().not_modified);
    let mut tail = request("/a");
    tail.tail = Some(4);
    let piece = fetcher.get(&tail).await.unwrap();
    assert!(piece.partial && &piece.bytes[..] == b"tail");
    let heads = heads.lock().unwrap();
    assert!(heads[1].contains("if-modified-since: sat, 14 nov 2026 10:00:00 gmt"));
    assert!(heads[2].contains("accept-encoding: identity"));
    assert!(heads.iter().all(|h| h.contains("user-agent: gsi/")));
}

#[test]
fn a_private_base_must_be_allowed() {
    for (base, wanted, ok) in [
        ("http://127.0.0.1:9000", false, false),
        ("http://127.0.0.1:9000", true, true),
        ("http://localhost:9000", false, false),
        ("https://mirror.example.org/x", false, true),
        ("file:///tmp", true, false),
    ] {
        let settings = FetcherSettings {
            rewrite_base: Some(base.parse().unwrap()),
            allow_private: wanted,
            ..FetcherSettings::default()
        };
        assert_eq!(Fetcher::new(settings).is_ok(), ok, "{base}");
    }
}

#[tokio::test]
async fn names_of_private_addresses_are_not_followed() {
    let fetcher = Fetcher::new(FetcherSettings { retries: 0, ..FetcherSettings::default() }).unwrap();
    let request = Request::new("oil", "https://localhost/", &["localhost"], Timestamp::default());
    assert_eq!(code(fetcher.get(&request).await), "address");
}

#[test]
fn addresses_are_rewritten_to_the_base() {
    let check = |base: &str, url: &str, want: &str| {
        let moved = rewritten(&base.parse().unwrap(), &url.parse().unwrap()).unwrap();
        assert_eq!(moved.as_str(), want);
    };
    check("http://127.0.0.1:9", "https://a.org/p/q.zip?x=1", "http://127.0.0.1:9/a.org/p/q.zip?x=1");
    check("http://127.0.0.1:9/base/", "http://a.org", "http://127.0.0.1:9/base/a.org/");
}
