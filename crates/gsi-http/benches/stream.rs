//! Many subscribers on one process: how long a snapshot takes to reach them all, what one costs in memory, and what
//! they leave of the throughput of ordinary requests. Everything stays on loopback and ends by itself.
//!
//! The subscribers live in a process of their own (this program, called again), so that the memory measured is the
//! service's. `wrk` makes the ordinary requests.

#[path = "../tests/http/support/mod.rs"]
mod support;

use gsi_http::{Limits, LogSink};
use gsi_model::{TICK, Timestamp};
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use support::{Rig, world};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const ROUNDS: usize = 5;
const PUBLICATIONS: usize = 10;
/// Ticks are a quarter of an hour apart; while throughput is measured they come three hundred times as often.
const PUBLISH_EVERY: Duration = Duration::from_secs(3);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["subscribe", address, key, count] => subscribe(address, key, count.parse().unwrap()),
        _ => measure(number("BENCH_SUBSCRIBERS", 5000), number("BENCH_SECONDS", 5)),
    }
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn nanos() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()
}

fn measure(count: usize, seconds: usize) {
    let rig = Rig::with(|settings| {
        settings.limits = Limits {
            max_streams: count,
            streams_per_key: count,
            max_connections: 2 * count + 1000,
            ..Limits::default()
        };
        settings.request_log = LogSink::Off;
    });
    let mut tick = world::at(world::LAST);
    // Warm: the buffers of ordinary requests are there before memory is looked at.
    throughput(&rig, 1);
    let before = resident();
    let mut crowd = Crowd::gather(&rig, count);
    let after = resident();
    println!("subscribers                               {count}");
    println!(
        "memory per subscriber                     {:.1} kB (resident, in the service)",
        (after - before) / count as f64
    );

    let mut times: Vec<f64> = (0..PUBLICATIONS)
        .map(|_| {
            std::thread::sleep(Duration::from_millis(200));
            let begun = nanos();
            publish(&rig, &mut tick);
            (crowd.all_told(tick) - begun) as f64 / 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "publication to the last subscriber        median {:.0} ms, worst of {PUBLICATIONS} {:.0} ms  (at most 200 wanted)",
        times[PUBLICATIONS / 2],
        times[PUBLICATIONS - 1]
    );
    drop(crowd);

    let mut ratios = Vec::new();
    for round in 1..=ROUNDS {
        // The same snapshots are published both times; only the subscribers are more.
        let mut measure = || {
            std::thread::scope(|scope| {
                let measured = scope.spawn(|| throughput(&rig, seconds));
                while !measured.is_finished() {
                    publish(&rig, &mut tick);
                    std::thread::sleep(PUBLISH_EVERY);
                }
                measured.join().unwrap()
            })
        };
        let before = measure();
        let crowd = Crowd::gather(&rig, count);
        let with = measure();
        drop(crowd);
        // A machine that gets slower or faster meanwhile does so for both.
        let alone = (before + measure()) / 2.0;
        println!(
            "round {round}: {alone:.0} requests/s alone, {with:.0} with {count} subscribers and a snapshot every 3 s"
        );
        ratios.push(with / alone);
    }
    ratios.sort_by(f64::total_cmp);
    println!("throughput kept (median of rounds)        {:.3}  (at least 0.9 wanted)", ratios[ROUNDS / 2]);
}

fn publish(rig: &Rig, tick: &mut Timestamp) {
    *tick = tick.plus(TICK);
    let snapshot = world::snapshot(*tick, world::scores_at(*tick));
    rig.service.publish(&snapshot, &world::summary(*tick)).unwrap();
}

/// Resident memory of this process in kB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Requests a second to the overview.
fn throughput(rig: &Rig, seconds: usize) -> f64 {
    let run = Command::new("wrk")
        .args(["-t1", "-c32", &format!("-d{seconds}s"), "-H", &format!("Authorization: Bearer {}", rig.key)])
        .arg(format!("http://{}/v1/global-stability", rig.address))
        .output()
        .expect("wrk runs");
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(!text.contains("Non-2xx"), "{text}");
    let line = text.lines().find(|l| l.starts_with("Requests/sec:")).expect("wrk's figure");
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// The process with the subscribers.
struct Crowd {
    process: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl Crowd {
    fn gather(rig: &Rig, count: usize) -> Crowd {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["subscribe", &rig.address.to_string(), &rig.key, &count.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut says = BufReader::new(process.stdout.take().unwrap()).lines();
        assert_eq!(says.next().unwrap().unwrap(), "ready");
        Crowd { process, says }
    }

    /// When the last of them had heard of the tick.
    fn all_told(&mut self, tick: Timestamp) -> u128 {
        let line = self.says.next().expect("the crowd is there").unwrap();
        let (id, at) = line.split_once(' ').unwrap();
        assert_eq!(id, tick.unix().to_string());
        at.parse().unwrap()
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Holds `count` streams; says `ready` when all have been greeted, then for each tick when the last heard of it.
fn subscribe(address: &str, key: &str, count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let request = format!("GET /stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n");
    let heard = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let mut all = tokio::task::JoinSet::new();
        for _ in 0..count {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            let heard = heard.clone();
            all.spawn(async move {
                let mut buffer = Vec::with_capacity(2048);
                loop {
                    let n = stream.read_buf(&mut buffer).await.unwrap();
                    assert!(n > 0, "a stream has ended");
                    while let Some(id) = take_id(&mut buffer) {
                        let turn = heard.fetch_add(1, Ordering::Relaxed) + 1;
                        // The first round is the greeting.
                        if turn == count {
                            println!("ready");
                        } else if turn.is_multiple_of(count) {
                            println!("{id} {}", nanos());
                        }
                    }
                }
            });
        }
        while all.join_next().await.is_some() {}
    });
}

/// The id at the end of a tick, once all of it has arrived; everything up to there is dropped.
fn take_id(buffer: &mut Vec<u8>) -> Option<u64> {
    let start = buffer.windows(4).position(|w| w == b"\nid:")? + 1;
    let end = start + buffer[start..].windows(2).position(|w| w == b"\n\n")?;
    let text = String::from_utf8_lossy(&buffer[start..end]);
    let id = text.lines().find_map(|l| l.strip_prefix("id: "))?.parse().ok();
    buffer.drain(..end + 2);
    id
}
