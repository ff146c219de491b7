//! Hostile and broken clients get a clear answer or a clean close, and others go on unharmed.

use crate::support::Rig;
use crate::support::client::Connection;
use gsi_http::Limits;
use std::time::Duration;

fn healthy(rig: &Rig) {
    assert_eq!(rig.get("/v1/global-stability").status, 200, "others are unharmed");
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

#[test]
fn long_request_lines() {
    let rig = Rig::new();
    let auth = format!("Host: x\r\nAuthorization: Bearer {}\r\n\r\n", rig.key);
    for size in [8 * 1024 + 1, 9_000, 20_000, 40_000, 100_000, 400_000] {
        for target in ["/v1/conflict?actor=", "/", "/v1/"] {
            let request = format!("GET {target}{} HTTP/1.1\r\n{auth}", "a".repeat(size));
            assert_eq!(refused(&rig, request.as_bytes()), (414, "uri_too_long".into()), "{size} {target}");
        }
    }
    // Just under the limit is an ordinary request.
    let line = 8 * 1024 - "GET /v1/ HTTP/1.1\r\n".len() - 10;
    let request = format!("GET /v1/{} HTTP/1.1\r\n{auth}", "a".repeat(line));
    assert_eq!(refused(&rig, request.as_bytes()), (404, "not_found".into()));
    healthy(&rig);
}

#[test]
fn header_floods() {
    let rig = Rig::new();
    let many: String = (0..150).map(|n| format!("x-h{n}: v\r\n")).collect();
    let large = format!("x-large: {}\r\n", "v".repeat(40_000));
    let endless = format!("x-endless: {}", "v".repeat(1_000_000));
    for flood in [many, large, endless] {
        let request = format!("GET /v1/conflict HTTP/1.1\r\nHost: x\r\n{flood}\r\n");
        assert_eq!(refused(&rig, request.as_bytes()), (431, "headers_too_large".into()), "{}", flood.len());
    }
    let fitting = format!("x-large: {}\r\n", "v".repeat(30_000));
    let request = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{fitting}\r\n");
    assert_eq!(rig.connect().send(request.as_bytes()).answer().unwrap().status, 200);
    healthy(&rig);
}

#[test]
fn what_is_not_http_is_a_problem_too() {
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
        let (status, code) = refused(&rig, row);
        assert_eq!((status, code.as_str()), (400, "bad_request"), "{:?}", String::from_utf8_lossy(row));
    }
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
    let bad = connection.answer().unwrap();
    assert_eq!((bad.status, bad.code().as_str()), (400, "bad_request"));
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
    // A byte now and then does not keep a request open for ever.
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
    assert!(closed, "a drip of bytes was taken for a request in good faith");
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
    // Far more answers than the sockets buffer, none of them read, until the server gives up.
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
        if rig.ask("GET", "/metrics", &[]).text().contains("gsi_http_connections_timed_out_total 1") {
            closed = true;
            break;
        }
    }
    assert!(closed, "the server waits for a reader that never comes");
    healthy(&rig);
}

#[test]
fn half_open_connections_are_let_go() {
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

/// Ten thousand idle connections, or as many as the descriptors allow. In a process of its own, so that what the other
/// tests hold meanwhile is not counted.
#[test]
fn ten_thousand_idle_connections() {
    const ALONE: &str = "GSI_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let this = ["--exact", "abuse::ten_thousand_idle_connections", "--nocapture"];
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let done = again.args(this).env(ALONE, "1").output().unwrap();
        println!("{}", String::from_utf8_lossy(&done.stdout));
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        return;
    }
    let patient = Limits { idle: Duration::from_secs(600), ..Limits::default() };
    let rig = Rig::with(|s| s.limits = patient);
    let limit = std::fs::read_to_string("/proc/self/limits").ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("Max open files"))?.to_owned();
        line.split_whitespace().nth(3)?.parse::<usize>().ok()
    });
    let count = 10_000.min(limit.unwrap_or(1024).saturating_sub(400) / 2);
    println!("{count} connections (descriptor limit {limit:?})");
    let memory = || -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or("VmRSS: 0 kB").to_owned();
        line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    let before = memory();
    let idle: Vec<Connection> = (0..count).map(|_| rig.connect()).collect();
    healthy(&rig);
    let grown = memory().saturating_sub(before);
    println!("{} KiB for {count}", grown);
    // Both ends are in it.
    assert!(grown < 16 * count, "{grown} KiB for {count} idle connections");
    let metrics = rig.ask("GET", "/metrics", &[]);
    let open = metrics.text().lines().find(|l| l.starts_with("gsi_http_connections ")).unwrap().to_owned();
    let open: usize = open.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(open >= count, "{open} of {count}");
    drop(idle);
    healthy(&rig);
}
