//! Constant readers. They behave like a load balancer: after a second without an answer they ask the next replica. Every answer is
//! compared with all others of the same tick.

use drills::http::{Answer, get};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a balancer waits for one replica.
const PATIENCE: Duration = Duration::from_secs(1);
const LIST_PATIENCE: Duration = Duration::from_secs(6);
const READERS: usize = 3;
const PAUSE: Duration = Duration::from_millis(15);
/// Read from memory, then from the database.
const PREPARED: [&str; 4] = [
    "/v1/global-stability",
    "/v1/summaries",
    "/v1/global-stability/pillar/conflict",
    "/v1/global-stability/pillar/macro",
];
const LISTS: [&str; 3] = ["/v1/conflict?limit=5", "/v1/briefings?limit=2", "/v1/global-stability/explain"];

#[derive(Default)]
pub struct Counts {
    pub asked: AtomicU64,
    pub moved_on: AtomicU64,
    pub failed: AtomicU64,
    pub lists_asked: AtomicU64,
    pub lists_failed: AtomicU64,
}

#[derive(Default)]
struct Seen {
    /// By path and tick: the one body that may ever be served.
    bodies: HashMap<(&'static str, String), String>,
    complaints: Vec<String>,
    failures: Vec<String>,
}

pub struct Load {
    pub counts: Arc<Counts>,
    seen: Arc<Mutex<Seen>>,
    stop: Arc<AtomicBool>,
    readers: Vec<JoinHandle<()>>,
}

impl Load {
    pub fn start(ports: Vec<u16>, key: &str) -> Self {
        let (counts, seen) = (Arc::new(Counts::default()), Arc::new(Mutex::new(Seen::default())));
        let stop = Arc::new(AtomicBool::new(false));
        let readers = (0..READERS)
            .map(|reader| {
                let (counts, seen, stop) = (counts.clone(), seen.clone(), stop.clone());
                let (ports, key) = (ports.clone(), key.to_owned());
                std::thread::spawn(move || {
                    let mut round = reader;
                    while !stop.load(Ordering::Relaxed) {
                        round += 1;
                        ask(round, &ports, &key, &counts, &seen);
                        std::thread::sleep(PAUSE);
                    }
                })
            })
            .collect();
        Load { counts, seen, stop, readers }
    }

    /// Answers that differed or were no JSON. There must be none.
    pub fn complaints(&self) -> Vec<String> {
        self.seen.lock().unwrap().complaints.clone()
    }

    pub fn failures(&self) -> Vec<String> {
        self.seen.lock().unwrap().failures.clone()
    }

    pub fn ticks_seen(&self) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.bodies.keys().filter(|(path, _)| *path == PREPARED[0]).count()
    }

    pub fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for reader in self.readers.drain(..) {
            reader.join().unwrap();
        }
    }
}

fn ask(round: usize, ports: &[u16], key: &str, counts: &Counts, seen: &Mutex<Seen>) {
    // Every fifth question goes to the database.
    let list = round % 5 == 0;
    let path = match list {
        true => LISTS[(round / 5) % LISTS.len()],
        false => PREPARED[round % PREPARED.len()],
    };
    let (asked, failed) = match list {
        true => (&counts.lists_asked, &counts.lists_failed),
        false => (&counts.asked, &counts.failed),
    };
    asked.fetch_add(1, Ordering::Relaxed);
    let mut last = String::new();
    for attempt in 0..ports.len() {
        let port = ports[(round + attempt) % ports.len()];
        match get(port, path, Some(key), if list { LIST_PATIENCE } else { PATIENCE }) {
            Ok(answer) if answer.status == 200 => {
                if !list {
                    check(path, port, answer, seen);
                }
                return;
            }
            Ok(answer) => last = format!("{} {}", answer.status, answer.body),
            Err(error) => last = error.to_string(),
        }
        counts.moved_on.fetch_add(1, Ordering::Relaxed);
    }
    failed.fetch_add(1, Ordering::Relaxed);
    let mut seen = seen.lock().unwrap();
    if seen.failures.len() < 20 {
        seen.failures.push(format!("{path}: {last}"));
    }
}

fn check(path: &'static str, port: u16, answer: Answer, seen: &Mutex<Seen>) {
    let json: serde_json::Value = match serde_json::from_str(&answer.body) {
        Ok(json) => json,
        Err(error) => {
            let complaint = format!("{path} of {port}: not JSON: {error}");
            return seen.lock().unwrap().complaints.push(complaint);
        }
    };
    let tick = json["as_of"].as_str().unwrap_or("?").to_owned();
    let mut seen = seen.lock().unwrap();
    match seen.bodies.get(&(path, tick.clone())) {
        None => drop(seen.bodies.insert((path, tick), answer.body)),
        Some(known) if *known == answer.body => {}
        Some(known) => {
            let complaint = format!("{path} of {tick} differs on {port}:\n{known}\n{}", answer.body);
            seen.complaints.push(complaint);
        }
    }
}
