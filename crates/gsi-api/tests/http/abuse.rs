//! Hostile and broken clients get a clear answer or a clean close, and the service continues to serve others.

use crate::support::{Rig, wait_until};
use gsi_api::Limits;
use std::time::Duration;

fn healthy(rig: &Rig) {
    assert_eq!(rig.get("/v1/global-stability").status, 200, "other clients are served");
}

fn refused(rig: &Rig, bytes: &[u8]) -> (u16, String) {
    let mut connection = rig.connect();
    connection.send(bytes);
    let answer = connection.answer().expect("an answer before the close");
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert!(answer.header("x-request-id").is_some() && answer.header("date").is_some());
    assert_eq!(answer.json()["request_id"].as_str(), answer.header("x-request-id"));
    rig.log_with(answer.header("x-request-id").unwrap());
    let known = (answer.status, answer.code());
    if answer.header("connection") == Some("close") {
        assert!(connection.is_closed(), "{known:?}");
    }
    known
}

/// Sends bytes that do not parse as a request. The HTTP library answers with a bare status, closes, and logs it.
fn unreadable(rig: &Rig, bytes: &[u8]) -> u16 {
    let mut connection = rig.connect();
    connection.send(bytes);
    let answer = connection.answer().expect("an answer before the close");
    assert_eq!(answer.header("content-length"), Some("0"));
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(connection.is_closed());
    rig.log_with("\"method\":\"UNREAD\"");
    answer.status
}

#[test]
fn long_request_lines() {
    let rig = Rig::new();
    let auth = format!("Host: x\r\nAuthorization: Bearer {}\r\n\r\n", rig.key);
    for target in ["/v1/conflict?actor=", "/", "/v1/"] {
        let request = |size: usize| format!("GET {target}{} HTTP/1.1\r\n{auth}", "a".repeat(size));
        for size in [8 * 1024 + 1, 9_000, 20_000, 40_000, 60_000] {
            let got = refused(&rig, request(size).as_bytes());
            assert_eq!(got, (414, "uri_too_long".into()), "{size} {target}");
        }
        // Beyond the size that the server reads.
        for size in [100_000, 400_000] {
            let status = unreadable(&rig, request(size).as_bytes());
            assert!(matches!(status, 414 | 431), "{size} {target}: {status}");
        }
    }
    // A request just under the limit is ordinary.
    let line = 8 * 1024 - "GET /v1/ HTTP/1.1\r\n".len() - 10;
    let request = format!("GET /v1/{} HTTP/1.1\r\n{auth}", "a".repeat(line));
    assert_eq!(refused(&rig, request.as_bytes()), (404, "not_found".into()));
    healthy(&rig);
}

#[test]
fn header_floods() {
    let rig = Rig::new();
    let with = |flood: &str| format!("GET /v1/conflict HTTP/1.1\r\nHost: x\r\n{flood}\r\n");
    let many = |count: usize| (0..count).map(|n| format!("x-h{n}: v\r\n")).collect::<String>();
    let large = |size: usize| format!("x-large: {}\r\n", "v".repeat(size));
    for flood in [large(33_000), large(60_000)] {
        let got = refused(&rig, with(&flood).as_bytes());
        assert_eq!(got, (431, "headers_too_large".into()), "{}", flood.len());
    }
    // Beyond what is read at all.
    for flood in [many(100), many(1_000), large(500_000), format!("x-endless: {}", "v".repeat(1_000_000))] {
        assert_eq!(unreadable(&rig, with(&flood).as_bytes()), 431, "{}", flood.len());
    }
    for fitting in [many(99), large(30_000)] {
        let request = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{fitting}\r\n");
        assert_eq!(rig.connect().send(request.as_bytes()).answer().unwrap().status, 200);
    }
    healthy(&rig);
}

#[test]
fn input_that_is_not_http_gets_a_bare_400_and_a_close() {
    let rig = Rig::new();
    let rows: &[&[u8]] = &[
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon here\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nbad\x00name: v\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
    ];
    for row in rows {
        assert_eq!(unreadable(&rig, row), 400, "{:?}", String::from_utf8_lossy(row));
    }
    // The server counts when the connection has ended, and the client may see the end earlier.
    let counted = format!("gsi_http_malformed_total {}\n", rows.len());
    wait_until(|| rig.metrics().contains(&counted));
    healthy(&rig);
}

#[test]
fn a_bad_request_after_a_good_one_on_the_same_connection() {
    let rig = Rig::new();
    let good = format!("GET /v1/summaries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n", rig.key);
    let mut connection = rig.connect();
    connection.send(format!("{good}{good}nonsense\r\n\r\n").as_bytes());
    assert_eq!(connection.answer().unwrap().status, 200);
    assert_eq!(connection.answer().unwrap().status, 200);
    assert_eq!(connection.answer().unwrap().status, 400);
    assert!(connection.is_closed());
}

#[test]
fn broken_escapes_and_hosts() {
    let rig = Rig::new();
    let auth = format!("Authorization: Bearer {}\r\n\r\n", rig.key);
    let rows = [
        ("GET /v1/%zz HTTP/1.1\r\nHost: x\r\n", 404),
        ("GET /v1/conflict?actor=%ff%fe HTTP/1.1\r\nHost: x\r\n", 400),
        ("GET /v1/conflict?%ff=1 HTTP/1.1\r\nHost: x\r\n", 400),
        ("GET /v1/conflict?actor=%C3%28 HTTP/1.1\r\nHost: x\r\n", 400),
        ("GET /v1/conflict?actor=% HTTP/1.1\r\nHost: x\r\n", 400),
        ("GET /v1/global-stability/pillar/%00 HTTP/1.1\r\nHost: x\r\n", 404),
        ("GET /v1/summaries HTTP/1.1\r\n", 400),
        ("GET /v1/summaries HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400),
    ];
    for (head, status) in rows {
        let mut connection = rig.connect();
        connection.send(format!("{head}{auth}").as_bytes());
        assert_eq!(connection.answer().unwrap().status, status, "{head}");
    }
}

#[test]
fn bodies_are_refused_and_the_connection_closed() {
    let rig = Rig::new();
    let auth = format!("Host: x\r\nAuthorization: Bearer {}\r\n", rig.key);
    let chunked = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".to_owned();
    let small = "Content-Length: 5\r\n\r\nhello".to_owned();
    let large = format!("Content-Length: 5000000\r\n\r\n{}", "x".repeat(5_000_000));
    let never = "Content-Length: 5000000\r\n\r\n".to_owned();
    for body in [&chunked, &small, &large, &never] {
        let request = format!("GET /v1/global-stability HTTP/1.1\r\n{auth}{body}");
        assert_eq!(refused(&rig, request.as_bytes()), (413, "body_not_allowed".into()), "{}", body.len());
        let request = format!("POST /v1/global-stability HTTP/1.1\r\n{auth}{body}");
        assert_eq!(refused(&rig, request.as_bytes()), (405, "method_not_allowed".into()));
        let request = format!("POST /v1/global-stability HTTP/1.1\r\nHost: x\r\n{body}");
        assert_eq!(refused(&rig, request.as_bytes()), (401, "missing_credentials".into()));
        let request = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{body}");
        assert_eq!(refused(&rig, request.as_bytes()), (413, "body_not_allowed".into()));
    }
    let empty = format!("GET /v1/global-stability HTTP/1.1\r\n{auth}Content-Length: 0\r\n\r\n");
    assert_eq!(rig.connect().send(empty.as_bytes()).answer().unwrap().status, 200);
    healthy(&rig);
}

fn short_timeouts() -> Rig {
    Rig::with(|s| {
        s.limits = Limits {
            idle: Duration::from_millis(400),
            write: Duration::from_millis(800),
            ..Limits::default()
        };
    })
}

#[test]
fn idle_and_slow_clients_are_closed() {
    let rig = short_timeouts();
    let mut silent = rig.connect();
    let mut half = rig.connect();
    half.send(b"GET /v1/global-stability HTT");
    let mut after_one = rig.connect();
    after_one.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(after_one.answer().unwrap().status, 200);
    for connection in [&mut silent, &mut half, &mut after_one] {
        assert!(connection.is_closed(), "closed without an answer");
    }
    // A slow drip of bytes does not keep a request open.
    let mut drip = rig.connect();
    let mut closed = false;
    for byte in std::iter::repeat_n(b'a', 3000) {
        use std::io::Write;
        if drip.stream.write_all(&[byte]).is_err() {
            closed = true;
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(closed, "the server kept reading a request that arrives byte by byte");
    healthy(&rig);
}

#[test]
fn a_client_that_does_not_read_is_closed() {
    let rig = short_timeouts();
    let request = format!(
        "GET /v1/conflict?limit=200 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n",
        rig.key
    )
    .repeat(50);
    let connection = rig.connect();
    connection.stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    // Requests more answers than the sockets buffer, and reads none, until the server closes.
    let mut closed = false;
    for _ in 0..5_000 {
        use std::io::Write;
        match (&connection.stream).write(request.as_bytes()) {
            Err(e)
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::BrokenPipe
                ) =>
            {
                closed = true;
                break;
            }
            _ => {}
        }
        if rig.metrics().contains("gsi_http_connections_timed_out_total 1") {
            closed = true;
            break;
        }
    }
    assert!(closed, "the server still waits for a client that does not read");
    healthy(&rig);
}

#[test]
fn half_open_connections_are_closed() {
    let rig = Rig::new();
    let mut connection = rig.connect();
    connection.send(b"GET /v1/glob");
    connection.stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(connection.is_closed());
    let mut polite = rig.connect();
    polite.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!(polite.answer().unwrap().status, 200);
    assert!(polite.is_closed());
    healthy(&rig);
}
