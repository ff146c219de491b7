//! Replay of a history that the real program made: every published tick can be computed again, from the store, from downloaded
//! inputs, and without everything that became known later.

use crate::GSI;
use drills::demo::RunningDemo;
use drills::store::{last_tick, open};
use drills::{SeededRandom, text_of, wait_until};
use gsi_index::{Engine, Method, SeriesTable};
use gsi_model::{CountrySnapshot, DAY, HOUR, NewsSlot, Observation, TICK, Timestamp};
use gsi_store::method_name;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const LIVE: &str = "2026-11-14T03:00:00Z";
const DAYS: &str = "3";
/// One feed of each kind is enough, and the history is faster to make.
const DISABLED: &str = "epss,poc,portwatch,ports,gscpi,usgs,ecb,epu";
const PATIENCE: Duration = Duration::from_secs(600);
const DRAWS: usize = 500;
/// Draws that are also computed from a table that holds only what was known then.
const TRUNCATED: usize = 40;
/// Rows within which their order is random. Among all rows it is random only once, because that is slow.
const NEIGHBOURS: usize = 500;
const WORKERS: usize = 2;
const SWEEP: usize = 25;

fn gsi(data: &Path) -> Command {
    let mut command = crate::gsi(data);
    command.env("GSI_DEMO_ROWS_PER_SLOT", "150").env("GSI_FEEDS_DISABLED", DISABLED);
    command
}

fn demo(data: &Path) -> Command {
    let mut command = gsi(data);
    command.args(["demo", "--listen", "127.0.0.1:0", "--days", DAYS, "--at", LIVE, "--log", "error"]);
    // The first hours of the history have a border war and its events.
    command.args(["--scenario", "border_war"]);
    command
}

/// A history that is made once for all tests here, by a service that is killed twice and started again.
fn history() -> &'static PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replayed-history");
        let _ = std::fs::remove_dir_all(&data);
        let live: Timestamp = LIVE.parse().unwrap();
        for (until, quietly) in [(live.minus(2 * DAY), false), (live.minus(DAY), false), (live, true)] {
            let mut child = demo(&data).stderr(Stdio::null()).spawn().expect("start the service");
            wait_until("the history is made", PATIENCE, || {
                assert!(child.try_wait().unwrap().is_none(), "the service ended early");
                last_tick(&data).is_some_and(|tick| tick >= until)
            });
            // SIGKILL interrupts the work, except in the last life.
            if quietly {
                std::thread::sleep(Duration::from_millis(200));
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
        data
    })
}

fn copy_of_history(folder: &Path) -> PathBuf {
    let data = folder.join("copy");
    std::fs::create_dir_all(&data).unwrap();
    for entry in std::fs::read_dir(history()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, data.join(path.file_name().unwrap())).unwrap();
        }
    }
    data
}

fn verify(data: &Path) -> (Option<i32>, String) {
    let done = gsi(data).args(["replay", "--verify", "--log", "error"]).output().unwrap();
    (done.status.code(), text_of(&done))
}

#[test]
fn a_history_with_crashes_replays_byte_for_byte() {
    let (code, said) = verify(history());
    assert_eq!(code, Some(0), "{said}");
    let published = open(history()).history(None, Timestamp::MIN, Timestamp::MAX).unwrap().len();
    assert!(published > 150, "{published}");
    assert!(said.contains(&format!("{published} ticks are the same byte for byte")), "{said}");

    // A replay of a part begins with the stored state before it.
    let from: Timestamp = LIVE.parse::<Timestamp>().unwrap().minus(DAY);
    let done = gsi(history())
        .args(["replay", "--verify", "--from", &from.to_string(), "--to", &from.plus(10 * TICK).to_string()])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&done.stdout).starts_with("11 ticks are the same"));
}

#[test]
fn spans_end_with_the_tick_or_the_day_they_name() {
    let from: Timestamp = LIVE.parse::<Timestamp>().unwrap().minus(DAY);
    let day = from.day();
    let published = open(history()).history(None, day.start(), day.plus(1).start()).unwrap().len();
    assert!(published > 1, "{published}");
    for (span, ticks) in [(from.to_string(), 1), (day.to_string(), published)] {
        let tried = gsi(history())
            .args(["hook", "try", "--when", "score >= 1", "--from", &span, "--to", &span, "--json"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&tried.stdout);
        assert!(said.contains(&format!("\"ticks\": {ticks}")), "{span}: {tried:?}");
        let replayed = gsi(history()).args(["replay", "--from", &span, "--to", &span]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&replayed.stdout).lines().count(), ticks, "{span}: {replayed:?}");
    }
}

#[test]
fn the_first_difference_is_shown_and_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let middle: Timestamp = LIVE.parse::<Timestamp>().unwrap().minus(DAY);
    let check = |change: &str, named: &str| {
        let data = copy_of_history(folder.path());
        let file = rusqlite::Connection::open(data.join("gsi.db")).unwrap();
        let changed = file.execute(change, []).unwrap();
        assert!(changed > 0, "{change}");
        drop(file);
        let (code, said) = verify(&data);
        assert_eq!(code, Some(3), "{change}: {said}");
        assert!(said.contains(named) && said.contains("stored") && said.contains("computed"), "{said}");
        std::fs::remove_dir_all(data).unwrap();
    };
    // A value of a score, a published text, and a row of an event.
    check(
        &format!(
            "UPDATE observation SET value = value * 2 + 1 WHERE known_at = (SELECT max(known_at) FROM observation o
               JOIN series s ON s.key = o.series WHERE s.series LIKE 'ofr.%' AND known_at <= {})",
            middle.unix()
        ),
        "snapshot at ",
    );
    check(
        &format!("UPDATE snapshot_body SET summary = summary || ' So it is.' WHERE tick = {}", middle.unix()),
        &format!("{middle}: summary at text"),
    );
    check(&format!("DELETE FROM news_row WHERE added = {}", middle.minus(TICK).unix()), "event");
}

fn get(service: &RunningDemo, path: &str) -> (u16, Vec<u8>) {
    let answer = service.get(path);
    (answer.status, answer.body.into_bytes())
}

#[test]
fn downloaded_inputs_give_the_published_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = copy_of_history(folder.path());
    let published = open(&data).history(None, Timestamp::MIN, Timestamp::MAX).unwrap();
    let service = RunningDemo::start(&mut demo(&data));
    // In a history that was fast-forwarded, countries are scored once an hour.
    let hourly = published.iter().skip(120).find(|p| p.tick.unix() % HOUR == 0).unwrap();
    let ticks = [published[1].tick, hourly.tick, published[published.len() - 1].tick];
    for tick in ticks {
        let (status, explained) = get(&service, &format!("/v1/global-stability/explain?as_of={tick}"));
        assert_eq!(status, 200);
        let id = serde_json::from_slice::<serde_json::Value>(&explained).unwrap()["snapshot"].clone();
        let (status, inputs) = get(&service, &format!("/v1/snapshots/{}/inputs", id.as_str().unwrap()));
        assert_eq!(status, 200);
        let file = folder.path().join("inputs.json");
        std::fs::write(&file, &inputs).unwrap();
        let recompute = |form: &str| {
            let mut command = Command::new(GSI);
            command.current_dir(folder.path()).args(["recompute", "inputs.json", "--as", form]);
            command.output().unwrap()
        };
        let done = recompute("explain");
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(done.stdout, explained, "{tick}");
        let (_, overview) = get(&service, &format!("/v1/global-stability?as_of={tick}"));
        assert_eq!(recompute("overview").stdout, overview, "{tick}");
        if tick == hourly.tick {
            let computed: CountrySnapshot = serde_json::from_slice(&recompute("countries").stdout).unwrap();
            let stored = open(&data).countries_at(tick).unwrap();
            assert_eq!(Some(&computed), stored.as_ref());
            assert!(!computed.ranked().is_empty());
        }

        // A small change is detected.
        let mut changed: serde_json::Value = serde_json::from_slice(&inputs).unwrap();
        if tick == hourly.tick {
            let events = changed["countries"]["events"].as_object_mut().unwrap();
            let violent = events.values_mut().find(|e| e["violence"].as_f64().unwrap() > 0.01).unwrap();
            violent["violence"] = serde_json::json!(violent["violence"].as_f64().unwrap() * 1.1);
            std::fs::write(&file, changed.to_string()).unwrap();
            let done = recompute("explain");
            assert_eq!(done.status.code(), Some(3), "{}", String::from_utf8_lossy(&done.stderr));
            assert_eq!(done.stdout, explained, "the world's score does not depend on it");
        }
        let mut changed: serde_json::Value = serde_json::from_slice(&inputs).unwrap();
        let rows = changed["series"].as_array_mut().unwrap();
        let stress = rows.iter_mut().find(|s| s["series"] == "ofr.volatility").unwrap();
        for row in stress["rows"].as_array_mut().unwrap().iter_mut().rev().take(5) {
            row[3] = serde_json::json!(row[3].as_f64().unwrap() + 0.01);
        }
        std::fs::write(&file, changed.to_string()).unwrap();
        let done = recompute("explain");
        assert_eq!(done.status.code(), Some(3), "{}", String::from_utf8_lossy(&done.stderr));
        changed["method"]["parameters"]["coverage_ok"] = serde_json::json!(0.61);
        std::fs::write(&file, changed.to_string()).unwrap();
        let done = recompute("explain");
        assert_eq!(done.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&done.stderr).contains("digest"));
    }
    assert_eq!(get(&service, "/v1/snapshots/snp_00000000000000000000000000/inputs").0, 404);
    let (status, method) = get(&service, &format!("/v1/method?as_of={}", ticks[0]));
    assert_eq!((status, method), (200, get(&service, "/v1/method").1));
}

struct Everything {
    observations: Vec<Observation>,
    slots: Vec<NewsSlot>,
}

impl Everything {
    /// What was known by `tick`, inserted in random order among `neighbours`.
    fn table(&self, tick: Timestamp, neighbours: usize, random: &mut SeededRandom) -> SeriesTable {
        let mut table = SeriesTable::new();
        let mut rows: Vec<&Observation> = self.observations.iter().filter(|o| o.known_at <= tick).collect();
        rows.chunks_mut(neighbours).for_each(|rows| random.shuffle(rows));
        rows.into_iter().for_each(|o| table.insert(o));
        let mut slots: Vec<&NewsSlot> = self.slots.iter().filter(|s| s.known_at <= tick).collect();
        slots.chunks_mut(neighbours).for_each(|slots| random.shuffle(slots));
        slots.into_iter().for_each(|s| table.insert_slot(s));
        table
    }
}

#[test]
fn data_that_became_known_later_changes_nothing() {
    let store = open(history());
    let mut all = Everything { observations: Vec::new(), slots: Vec::new() };
    store.observations(Timestamp::MAX, &mut |o| all.observations.push(o)).unwrap();
    store.slots(Timestamp::MIN, Timestamp::MAX, Timestamp::MAX, &mut |s| all.slots.push(s)).unwrap();
    let ticks: Vec<Timestamp> =
        store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap().iter().map(|p| p.tick).skip(1).collect();
    let first = store.published_at(ticks[0]).unwrap().unwrap().snapshot;
    let document = store.meta(&method_name(&first.method_digest)).unwrap().expect("the method is stored");
    let method = Arc::new(Method::from_document(&serde_json::from_str(&document).unwrap()).unwrap());

    let mut random = SeededRandom::new(20_261_114);
    let everything = all.table(Timestamp::MAX, usize::MAX, &mut random);
    let mut draws: Vec<Timestamp> =
        (0..DRAWS).map(|_| ticks[random.below(ticks.len() as u64) as usize]).collect();
    // An engine that jumps between days starts again each time, which is slow. After one sweep like that, all others are in order,
    // forwards and backwards in turn.
    for (n, sweep) in draws.chunks_mut(SWEEP).enumerate().skip(1) {
        sweep.sort_unstable();
        if n % 2 == 1 {
            sweep.reverse();
        }
    }
    let check = |draws: &[Timestamp], seed: u64| {
        let mut random = SeededRandom::new(seed);
        // One engine goes back and forth in time over a table that also has everything that became known later.
        let mut knowing = Engine::new(method.clone());
        for (n, tick) in draws.iter().enumerate() {
            let tick = *tick;
            let stored = store.published_at(tick).unwrap().unwrap().snapshot;
            let previous = store.state_at(tick.minus(1)).unwrap().map(|f| f.state);
            let state_at = |moment: Timestamp| store.state_at(moment).unwrap().map(|f| f.state);
            let compare = |engine: &mut Engine, table: &SeriesTable| {
                let computed = engine.compute(tick, table, previous.as_deref(), &state_at, stored.simulated);
                let mut snapshot = computed.snapshot.expect("a snapshot");
                snapshot.feeds = stored.feeds.clone();
                snapshot.words_digest = stored.words_digest.clone();
                snapshot.alerts_digest = stored.alerts_digest.clone();
                snapshot.context = stored.context.clone();
                snapshot.beside = stored.beside.clone();
                assert_eq!(
                    serde_json::to_string(&snapshot).unwrap(),
                    serde_json::to_string(&stored).unwrap(),
                    "{tick}, draw {n}"
                );
                assert_eq!(
                    Some(computed.state),
                    store.state_at(tick).unwrap().map(|f| f.state),
                    "state of {tick}"
                );
            };
            compare(&mut knowing, &everything);
            if n % (DRAWS / TRUNCATED) == 0 {
                compare(&mut Engine::new(method.clone()), &all.table(tick, NEIGHBOURS, &mut random));
            }
        }
    };
    std::thread::scope(|scope| {
        for (seed, draws) in (1..).zip(draws.chunks(DRAWS.div_ceil(WORKERS))) {
            let check = &check;
            scope.spawn(move || check(draws, seed));
        }
    });
}
