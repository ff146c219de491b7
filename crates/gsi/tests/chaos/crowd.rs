//! Clients that behave badly: some stay silent, some send expensive requests and hang up.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Requests with a filter, which are answered from the store and not from prepared bodies.
pub const COSTLY: [&str; 4] = [
    "/v1/conflict?limit=100&actor=a",
    "/v1/conflict?limit=100&min_escalation=0.01",
    "/v1/conflict?limit=100&bbox=-180,-90,180,90",
    "/v1/global-stability/history?step=15m",
];
const AT_ONCE: usize = 8;
/// The service may be halted at the same time and not answer.
const PATIENCE: Duration = Duration::from_millis(300);

fn connect(port: u16) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Opens at most `connections` connections. Every third sends half of a request.
pub fn connect_silently(port: u16, connections: usize) -> Vec<TcpStream> {
    let mut silent = Vec::new();
    while let Some(mut stream) = connect(port).ok().filter(|_| silent.len() < connections) {
        if silent.len().is_multiple_of(3) {
            let _ = stream.write_all(b"GET /v1/global-stability HTTP/1.1\r\nHost: te");
        }
        silent.push(stream);
    }
    silent
}

/// Sends requests and hangs up before the answer or in the middle of it.
pub fn ask_and_hang_up(port: u16, key: &str, questions: usize, random: &mut ChaCha8Rng) {
    let plans: Vec<(usize, usize)> =
        (0..questions).map(|_| (random.random_range(0..COSTLY.len()), random.random_range(0..64))).collect();
    std::thread::scope(|scope| {
        for part in plans.chunks(questions.div_ceil(AT_ONCE)) {
            scope.spawn(move || {
                for (path, bytes_read) in part {
                    let Ok(mut stream) = connect(port) else { return };
                    let path = COSTLY[*path];
                    let question =
                        format!("GET {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n\r\n");
                    let _ = stream.write_all(question.as_bytes());
                    if bytes_read % 2 == 1 {
                        let _ = stream.read(&mut vec![0; *bytes_read]);
                    }
                }
            });
        }
    });
}
