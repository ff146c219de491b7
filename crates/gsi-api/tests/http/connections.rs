//! Many requests on one connection: each gets one complete answer with the data of that moment. Many connections: which ones
//! stay open.

use crate::support::client::{Answer, Connection};
use crate::support::{Rig, wait_until, world};
use gsi_api::{Limits, keys};
use gsi_model::{Clock, RateLimit, Scope};
use socket2::{Domain, Socket, Type};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

const OVERVIEW: &str = "/v1/global-stability";

fn request(target: &str, key: &str, more: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n{more}\r\n")
}

fn ask(connection: &mut Connection, request: &str) -> Answer {
    connection.send(request.as_bytes()).answer().expect("an answer")
}

/// The parts of an answer that do not differ between equal requests.
fn shared(answer: &Answer) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let mut headers = answer.headers.clone();
    headers.retain(|(name, _)| name != "x-request-id" && name != "ratelimit");
    headers.sort();
    (answer.status, headers, answer.body.clone())
}

#[test]
fn the_same_request_again_gets_the_same_answer() {
    let rig = Rig::new();
    let targets = [OVERVIEW, "/v1/global-stability/pillar/cyber", "/v1/summaries"];
    for target in targets {
        for (encoding, name) in [("", None), ("Accept-Encoding: gzip\r\n", Some("gzip"))] {
            let key = rig.mint(&[Scope::All], Some(RateLimit { per_minute: 60, burst: 50 }), None);
            let mut connection = rig.connect();
            let request = request(target, &key, encoding);
            let since = Instant::now();
            let first = ask(&mut connection, &request);
            assert_eq!((first.status, first.header("content-encoding")), (200, name), "{target}");
            let mut ids = std::collections::HashSet::from([first.header("x-request-id").unwrap().to_owned()]);
            for k in 2..=20u64 {
                let again = ask(&mut connection, &request);
                assert_eq!(shared(&again), shared(&first), "{target}");
                // The bucket refills one token a second, and a busy machine may take that long.
                let earned = since.elapsed().as_secs();
                let possible: Vec<String> = (k.saturating_sub(earned + 1)..=k)
                    .map(|used| format!("\"default\";r={};t={used}", 50 - used))
                    .collect();
                let left = again.header("ratelimit").unwrap();
                assert!(possible.iter().any(|p| p == left), "{left} is none of {possible:?}");
                let id = again.header("x-request-id").unwrap();
                let line = rig.log_with(id);
                let line = line.lines().find(|l| l.contains(id)).unwrap();
                assert!(line.contains(target) && line.contains("\"status\":200"), "{line}");
                assert!(ids.insert(id.to_owned()), "a request id was used twice");
            }
        }
    }
}

#[test]
fn answers_show_changes_between_requests() {
    let rig = Rig::new();
    let end = world::at(world::LAST).plus(20 * 60);
    let key = rig.mint(&[Scope::All], None, Some(end));
    let request = request(OVERVIEW, &key, "");
    let mut connection = rig.connect();
    let first = ask(&mut connection, &request);
    assert_eq!(ask(&mut connection, &request).body, first.body);

    let tick = world::at(world::LAST).plus(900);
    rig.clock.set(tick.plus(1));
    rig.service.publish(&world::snapshot(tick, [9.0; 4]), &world::summary(tick)).unwrap();
    for _ in 0..3 {
        let fresh = ask(&mut connection, &request);
        assert_eq!(fresh.json()["as_of"], tick.to_string());
        assert_ne!(fresh.header("etag"), first.header("etag"));
        assert_ne!(fresh.header("date"), first.header("date"));
    }
    // Other requests on the same connection are answered in order.
    let other = request.replace(OVERVIEW, "/v1/summaries");
    let summary = ask(&mut connection, &other).body;
    assert_eq!(ask(&mut connection, &request).json()["as_of"], tick.to_string());
    assert_eq!(ask(&mut connection, &other).body, summary);
    assert_eq!(ask(&mut connection, &other).body, summary);

    rig.clock.set(end);
    let late = ask(&mut connection, &other);
    assert_eq!((late.status, late.code().as_str()), (401, "expired_credentials"));
}

#[test]
fn a_revoked_key_and_an_empty_bucket_are_noticed() {
    let rig = Rig::new();
    let key = rig.mint(&[Scope::All], Some(RateLimit { per_minute: 1, burst: 5 }), None);
    let request = request(OVERVIEW, &key, "");
    let mut connection = rig.connect();
    let statuses: Vec<u16> = (0..7).map(|_| ask(&mut connection, &request).status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429]);

    let unlimited = rig.mint(&[Scope::All], None, None);
    let request = self::request(OVERVIEW, &unlimited, "");
    assert_eq!(ask(&mut connection, &request).status, 200);
    assert_eq!(ask(&mut connection, &request).status, 200);
    let id = keys::ParsedKey::parse(&unlimited).unwrap().id.to_owned();
    let record = rig.store.keys().unwrap().into_iter().find(|k| k.id == id).unwrap();
    rig.store.put_key(&keys::revoke(&record, rig.clock.now()), &crate::support::note()).unwrap();
    rig.service.refresh_keys().unwrap();
    assert_eq!(ask(&mut connection, &request).status, 401);
    assert_eq!(ask(&mut connection, &request).status, 401);
}

#[test]
fn requests_split_in_any_way_are_each_answered_once() {
    let rig = Rig::new();
    let one = request(OVERVIEW, &rig.key, "");
    let bare = one.replace("\r\n", "\n");
    let head = one.replace("GET ", "HEAD ");
    let shapes: [&[&str]; 8] = [
        &[&one, &one, &one],
        // Two requests in one write, twice.
        &[&format!("{one}{one}"), &one, &format!("{one}{one}"), &one],
        &[&format!("{bare}{one}"), &format!("{bare}{one}"), &one],
        // A write that equals the previous request and is the middle of another.
        &[&one, &one, "GET /v1/summaries HTTP/1.1\r\nHost: test\r\nX-A: ", &one],
        &[&one, &one[..20], &one[20..], &one, &one[..1], &one[1..], &one],
        &[&one, &format!("\r\n{one}"), &one],
        &[&bare, &bare, &one, &one],
        &[&head, &head, &one, &one, &head],
    ];
    for (n, shape) in shapes.iter().enumerate() {
        let mut connection = rig.connect();
        let sent: String = shape.concat();
        for piece in *shape {
            connection.send(piece.as_bytes());
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        // Where a request is inside another's header, the inner one's lines belong to the outer one.
        let heads =
            if n == 3 { vec!["GET"; 3] } else { sent.split_inclusive("\n").filter_map(method).collect() };
        for (k, method) in heads.iter().enumerate() {
            let answer = connection.answer_to(*method == "HEAD").expect("an answer");
            // The outer request then has two Host headers.
            let want = if n == 3 && k == 2 { 400 } else { 200 };
            assert_eq!(answer.status, want, "shape {n}, answer {k}");
        }
        connection.send(request("/v1/nowhere", &rig.key, "").as_bytes());
        assert_eq!(connection.answer().unwrap().status, 404, "shape {n}: more answers than requests");
    }
}

fn method(line: &str) -> Option<&str> {
    ["GET", "HEAD"].into_iter().find(|m| line.strip_prefix(m).is_some_and(|rest| rest.starts_with(' ')))
}

#[test]
fn conditional_requests_work_repeatedly() {
    let rig = Rig::new();
    let etag = rig.get(OVERVIEW).header("etag").unwrap().to_owned();
    let request = request(OVERVIEW, &rig.key, &format!("If-None-Match: {etag}\r\n"));
    let mut connection = rig.connect();
    for _ in 0..4 {
        assert_eq!(ask(&mut connection, &request).status, 304);
    }
}

#[test]
fn a_client_that_reads_late_gets_every_answer_complete() {
    let rig = Rig::new();
    let request = request("/v1/global-stability/pillar/conflict", &rig.key, "");
    let mut connection = rig.connect();
    let first = ask(&mut connection, &request);
    // More than the system's buffers hold, each in a separate write.
    let mut sender = connection.stream.try_clone().unwrap();
    const MANY: usize = 3_000;
    let text = request.clone();
    let thread = std::thread::spawn(move || {
        use std::io::Write;
        for n in 0..MANY {
            sender.write_all(text.as_bytes()).unwrap();
            if n < 100 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
    });
    std::thread::sleep(std::time::Duration::from_millis(500));
    for n in 0..MANY {
        let answer = connection.answer().unwrap_or_else(|| panic!("answer {n} is missing"));
        assert_eq!(shared(&answer), shared(&first), "answer {n}");
    }
    thread.join().unwrap();
}

/// A connection from another address of this machine.
fn connect_from(source: [u8; 4], rig: &Rig) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((source, 0)).into()).unwrap();
    socket.connect(&rig.address.into()).unwrap();
    socket.into()
}

/// Sends a request and returns the status line of the answer, which is empty if the server has closed the connection.
fn status_line(mut stream: &TcpStream, request: &str) -> String {
    let mut line = String::new();
    // On a closed connection, either the write or the read fails.
    let _ = stream.write_all(request.as_bytes());
    let _ = BufReader::new(stream).read_line(&mut line);
    line
}

#[test]
fn one_address_cannot_use_all_connections() {
    let limits = Limits { max_connections: 8, max_connections_per_address: 3, ..Limits::default() };
    let rig = Rig::with(|s| s.limits = limits);
    let stream = request("/stream", &rig.key, "");
    let connections: Vec<TcpStream> = (0..6).map(|_| connect_from([127, 0, 0, 2], &rig)).collect();
    let lines: Vec<String> = connections.iter().map(|connection| status_line(connection, &stream)).collect();
    let served = lines.iter().filter(|line| line.starts_with("HTTP/1.1 200")).count();
    assert_eq!(served, 3, "{lines:?}");
    assert_eq!(rig.get(OVERVIEW).status, 200, "another address is served");
    drop(connections);
}

#[test]
fn an_address_may_use_few_connections_by_default() {
    let share = |max_connections: usize| {
        Limits { max_connections, max_connections_per_address: 0, ..Limits::default() }.per_address()
    };
    assert_eq!([1, 20, 1_000, 20_000].map(share), [1, 10, 64, 400]);
}

#[test]
fn idle_connections_are_closed_for_new_ones() {
    let limits = Limits { max_connections: 4, max_connections_per_address: 4, ..Limits::default() };
    let rig = Rig::with(|s| s.limits = limits);
    let idle: Vec<Connection> = (0..4)
        .map(|_| {
            let mut connection = rig.connect();
            assert_eq!(ask(&mut connection, &request(OVERVIEW, &rig.key, "")).status, 200);
            connection
        })
        .collect();
    // The client may have the answer before the server marks the connection idle.
    let mut newest = loop {
        let mut connection = rig.connect();
        connection.send(request("/stream", &rig.key, "").as_bytes());
        if connection.answer().unwrap().status == 200 {
            break connection;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    // One is in use and three are idle, so one more is accepted.
    wait_until(|| rig.get(OVERVIEW).status == 200);
    assert!(newest.chunk().is_some(), "a connection in use stays open");
    drop(idle);
}
