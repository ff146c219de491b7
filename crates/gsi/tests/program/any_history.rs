//! Any history that the service makes replays byte for byte: at any moment, pace and scenario, with kills or without. The
//! ordinary run makes a few; `TEST_HISTORIES=50` makes 50.

use crate::gsi;
use drills::{SeededRandom, seed_from_time, text_of, wait_until};
use gsi_model::{DAY, HOUR, TICK, Timestamp};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const HISTORIES: u64 = 3;
/// One feed of each kind is enough, and the history is faster to make.
const DISABLED: &str = "epss,poc,portwatch,ports,gscpi,usgs,ecb,epu,ucdp,gpr,ioda,treasury";
const SCENARIOS: [&str; 7] =
    ["calm", "border_war", "chokepoint_closure", "worm", "market_crash", "several", "silence"];
const PATIENCE: Duration = Duration::from_secs(900);

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
    /// Begins and ends at any second of any day, so in general between two hours.
    fn draw(random: &mut SeededRandom) -> History {
        let first: Timestamp = "2026-01-10T00:00:00Z".parse().unwrap();
        let live = first
            .plus(random.below(300) as i64 * DAY + random.below(96) as i64 * TICK + random.below(900) as i64);
        History {
            scenario: SCENARIOS[random.below(SCENARIOS.len() as u64) as usize],
            seed: random.below(1_000),
            // History older than four days is made by the hour, and what is older than ten by three.
            days: [5, 6, 7, 11][random.below(4) as usize],
            live,
            until: live.plus(HOUR + random.below(8) as i64 * TICK),
            scale: 450 << random.below(4),
            kills: random.below(3),
        }
    }

    fn gsi(data: &Path) -> Command {
        let mut command = gsi(data);
        command
            .args(["--log", "error"])
            .env("GSI_DEMO_ROWS_PER_SLOT", "40")
            .env("GSI_FEEDS_DISABLED", DISABLED);
        command
    }

    fn demo(&self, data: &Path) -> Command {
        let mut command = Self::gsi(data);
        command.args(["demo", "--listen", "127.0.0.1:0", "--scenario", self.scenario]);
        command.args(["--days", &self.days.to_string(), "--seed", &self.seed.to_string()]);
        command.args(["--at", &self.live.to_string(), "--until", &self.until.to_string()]);
        command.args(["--time-scale", &self.scale.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn make(&self, data: &Path, random: &mut SeededRandom) {
        for _ in 0..self.kills {
            let mut child = self.demo(data).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(500 + random.below(6_000)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let mut child = self.demo(data).spawn().unwrap();
        wait_until("the demo ends", PATIENCE, || child.try_wait().unwrap().is_some());
        let status = child.wait().unwrap();
        assert!(status.success(), "the demo ended with {status}");
    }
}

#[test]
fn any_history_replays_byte_for_byte() {
    let seed = seed_from_time();
    let mut random = SeededRandom::new(seed);
    let count = std::env::var("TEST_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(HISTORIES);
    for n in 0..count {
        let folder = tempfile::tempdir().unwrap();
        let history = History::draw(&mut random);
        let History { scenario, seed: world, days, live, until, scale, kills } = &history;
        let description = format!(
            "seed {seed}, history {n}: {scenario} {world}, {days} days to {live}, then to {until} at {scale}, {kills} kills"
        );
        println!("{description}");
        history.make(folder.path(), &mut random);
        let done = History::gsi(folder.path()).args(["replay", "--verify"]).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{description}\n{}", text_of(&done));
    }
}
