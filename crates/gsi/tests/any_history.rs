//! Whatever history the service makes, at whatever moment, pace and scenario, killed and started again or not: it replays
//! byte for byte. A few in the ordinary run; `GSI_HISTORIES=50` makes that many.

use gsi_model::{DAY, HOUR, TICK, Timestamp};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const USUALLY: u64 = 3;
/// One feed of each kind is enough, and history is made faster.
const LEFT_OUT: &str = "epss,poc,portwatch,ports,gscpi,usgs,ecb,epu,ucdp,gpr,ioda,treasury";
const SCENARIOS: [&str; 7] =
    ["calm", "border_war", "chokepoint_closure", "worm", "market_crash", "several", "silence"];
const PATIENCE: Duration = Duration::from_secs(900);

/// A small reproducible source of chance; the seed is printed so that a failure can be repeated.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

struct History {
    scenario: &'static str,
    seed: u64,
    days: u64,
    live: Timestamp,
    until: Timestamp,
    scale: u64,
    kills: u64,
}

impl History {
    /// Any second of any day, so that the history begins and ends between whole hours.
    fn draw(chance: &mut Chance) -> History {
        let first: Timestamp = "2026-01-10T00:00:00Z".parse().unwrap();
        let live = first
            .plus(chance.below(300) as i64 * DAY + chance.below(96) as i64 * TICK + chance.below(900) as i64);
        History {
            scenario: SCENARIOS[chance.below(SCENARIOS.len() as u64) as usize],
            seed: chance.below(1_000),
            // History older than four days is made by the hour, and what is older than ten by three.
            days: [5, 6, 7, 11][chance.below(4) as usize],
            live,
            until: live.plus(HOUR + chance.below(8) as i64 * TICK),
            scale: 450 << chance.below(4),
            kills: chance.below(3),
        }
    }

    fn gsi(data: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
        command
            .arg("--data")
            .arg(data)
            .args(["--log", "error"])
            .env_remove("GSI_HISTORIES")
            .env("GSI_DEMO_ROWS_PER_SLOT", "40")
            .env("GSI_FEEDS_DISABLED", LEFT_OUT)
            .env("GSI_LOG_REQUESTS", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn demo(&self, data: &Path) -> Command {
        let mut command = Self::gsi(data);
        command.args(["demo", "--listen", "127.0.0.1:0", "--scenario", self.scenario]);
        command.args(["--days", &self.days.to_string(), "--seed", &self.seed.to_string()]);
        command.args(["--at", &self.live.to_string(), "--until", &self.until.to_string()]);
        command.args(["--time-scale", &self.scale.to_string()]);
        command
    }

    fn make(&self, data: &Path, chance: &mut Chance) {
        for _ in 0..self.kills {
            let mut child = self.demo(data).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(500 + chance.below(6_000)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let mut child = self.demo(data).spawn().unwrap();
        let begun = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "the demo ended with {status}");
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "the demo never ends");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn any_history_replays_byte_for_byte() {
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut chance = Chance(seed);
    let count = std::env::var("GSI_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(USUALLY);
    for n in 0..count {
        let folder = tempfile::tempdir().unwrap();
        let history = History::draw(&mut chance);
        let History { scenario, seed: world, days, live, until, scale, kills } = &history;
        let told = format!(
            "seed {seed}, history {n}: {scenario} {world}, {days} days to {live}, then to {until} at {scale}, {kills} kills"
        );
        println!("{told}");
        history.make(folder.path(), &mut chance);
        let done = History::gsi(folder.path())
            .args(["replay", "--verify"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{told}\n{said}");
    }
}
