//! What an operator no longer keeps: it goes beside a running service, is counted, and whoever asks for it is told so. What
//! was published stays, and what is kept still replays to the byte.

#[path = "demo/mod.rs"]
mod support;

use gsi_model::{Clock, DAY, SimulatedPace, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use support::{PATIENCE, Running, get};

/// Two weeks: the newest ten days are kept.
const LIVE: &str = "2026-11-14T10:00:00Z";
const DAYS: &str = "14";
/// The tenth of the days that end with the live one.
const EDGE: &str = "2026-11-05T00:00:00Z";
const OLD: &str = "2026-11-03T12:00:00Z";
const LEFT_OUT: &str = "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,gscpi,usgs,gdacs,treasury,ecb,epu";

fn gsi(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
    command.arg("--data").arg(data).stdin(Stdio::null());
    command
        .env("GSI_LOG_REQUESTS", "off")
        .env("GSI_FEEDS_DISABLED", LEFT_OUT)
        .env("GSI_DEMO_ROWS_PER_SLOT", "40")
        .env("GSI_FEEDS_ARCHIVE_DAYS", "3");
    command
}

fn keeping_ten_days(data: &Path) -> Command {
    let mut command = gsi(data);
    for kind in ["NEWS_ROW", "EVENT_VERSION", "ENGINE_STATE"] {
        command.env(format!("GSI_RETENTION_{kind}_DAYS"), "10");
    }
    command
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

fn prune(command: &mut Command, flags: &[&str]) -> Value {
    let done = command.args(["store", "prune", "--json"]).args(flags).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn what_is_no_longer_kept_goes_beside_a_running_service_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut demo = gsi(&data);
    demo.args(["demo", "--listen", "127.0.0.1:0", "--days", DAYS, "--at", LIVE, "--log", "error"]);
    demo.args(["--scenario", "border_war"]);
    let service = support::start(&mut demo);
    let ask = |path: &str| {
        let (status, body) = get(&service.address, path, Some(&service.key));
        (status, serde_json::from_str::<Value>(&body).unwrap())
    };
    let old_score = ask(&format!("/v1/global-stability?as_of={OLD}"));
    let old_briefings = ask(&format!("/v1/briefings?as_of={OLD}"));
    let old_events = ask(&format!("/v1/conflict?as_of={OLD}"));
    let explained = ask(&format!("/v1/global-stability/explain?as_of={OLD}")).1;
    let inputs = format!("/v1/snapshots/{}/inputs", explained["snapshot"].as_str().unwrap());
    assert_eq!((old_score.0, old_events.0, ask(&inputs).0), (200, 200, 200));
    assert!(!old_events.1["events"].as_array().unwrap().is_empty());
    let history = ask("/v1/global-stability/history?step=1d").1;

    // Nothing is configured: nothing is old. Then it is only said, then done.
    let nothing = prune(&mut gsi(&data), &[]);
    let would = prune(&mut keeping_ten_days(&data), &["--dry-run"]);
    assert_eq!(ask(&inputs).0, 200);
    let done = prune(&mut keeping_ten_days(&data), &[]);
    for kind in ["news_rows", "event_versions", "engine_states"] {
        let (none, would, done) = (&nothing["kinds"][kind], &would["kinds"][kind], &done["kinds"][kind]);
        assert_eq!((none["removed"].as_u64(), &none["kept_since"]), (Some(0), &Value::Null), "{kind}");
        assert_eq!(
            (&would["removed"], would["kept_since"].as_str()),
            (&done["removed"], Some(EDGE)),
            "{kind}"
        );
        let number = |part: &Value, name: &str| part[name].as_u64().unwrap();
        assert!(number(done, "removed") > 0, "{kind}");
        assert_eq!(
            number(done, "rows_before") - number(done, "removed"),
            number(done, "rows_after"),
            "{kind}"
        );
        // A few rows of a page leave it where it is.
        let freed = number(done, "bytes_before").saturating_sub(number(done, "bytes_after"));
        assert!(freed > 0 || kind != "news_rows", "{kind}");
    }
    assert!(done["archive"]["files_before"].is_u64(), "{done}");

    // What was published answers as before; what is gone says which kind, and from before when.
    assert_eq!(ask(&format!("/v1/global-stability?as_of={OLD}")), old_score);
    assert_eq!(ask(&format!("/v1/briefings?as_of={OLD}")), old_briefings);
    assert_eq!(ask("/v1/global-stability/history?step=1d").1, history);
    assert_eq!(ask("/v1/conflict").0, 200);
    assert_eq!(ask(&format!("/v1/conflict?as_of={EDGE}")).0, 200);
    for (path, kind) in [
        (format!("/v1/conflict?min_escalation=0&as_of={OLD}"), "Replaced event versions"),
        (inputs, "Engine states"),
    ] {
        let (status, problem) = ask(&path);
        assert_eq!((status, problem["code"].as_str()), (410, Some("no_longer_kept")), "{path}: {problem}");
        assert_eq!(problem["detail"], format!("{kind} from before {EDGE} are no longer kept."));
        assert_eq!(get(&service.address, problem["type"].as_str().unwrap(), None).0, 200);
    }
    drop(service);

    // Only compacting wants the store for itself, which it now has.
    let whole = prune(&mut keeping_ten_days(&data), &["--compact"]);
    let bytes = |when: &str| whole["store_bytes"][when].as_u64().unwrap();
    assert!(bytes("after") < bytes("before"), "{whole}");
    assert_eq!(whole["kinds"]["news_rows"]["removed"], 0);

    // The rest replays; what is gone has an exit code of its own.
    let replay = |flags: &[&str]| {
        gsi(&data).args(["replay", "--verify", "--log", "error"]).args(flags).output().unwrap()
    };
    let rest = replay(&[]);
    assert_eq!(rest.status.code(), Some(0), "{}", said(&rest));
    assert!(said(&rest).contains("ticks cannot be computed again") && said(&rest).contains("byte for byte"));
    let gone = replay(&["--from", OLD]);
    assert_eq!(gone.status.code(), Some(4), "{}", said(&gone));
    assert!(said(&gone).contains("from before 2026-11-05T00:00:00Z are no longer kept"), "{}", said(&gone));
    // And the service goes on from it.
    let again = support::start(&mut demo);
    assert_eq!(get(&again.address, "/v1/conflict", Some(&again.key)).0, 200);
    drop(again);
    let sound = gsi(&data).args(["store", "check"]).output().unwrap();
    assert!(sound.status.success(), "{}", said(&sound));
}

/// A rehearsal in which a day takes a second: the service does as many of its ticks as it can, and lets the others be.
struct FastDays {
    pace: SimulatedPace,
    since: u64,
    publishers: SimServer,
}

impl FastDays {
    fn begin() -> FastDays {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let begins: Timestamp = LIVE.parse().unwrap();
        let pace =
            SimulatedPace { begins, since: UNIX_EPOCH + Duration::from_secs(since), scale: DAY as f64 };
        let world = World::new(WorldSettings {
            rows_per_slot: 100.0,
            mentions_per_row: 0.0,
            live: begins,
            ..WorldSettings::new(3, begins.minus(DAY))
        });
        FastDays { pace, since, publishers: SimServer::start(Arc::new(world), Arc::new(pace)).unwrap() }
    }

    /// A service in it that keeps ten days and says when it prunes, and its key.
    fn serve(&self, data: &Path) -> Running {
        let mut command = keeping_ten_days(data);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn,gsi::pruning=info"])
            .env("GSI_REHEARSAL_PUBLISHERS", self.publishers.base_url())
            .env("GSI_REHEARSAL_BEGINS", LIVE)
            .env("GSI_REHEARSAL_SINCE", Timestamp::from_unix(self.since as i64).to_string())
            .env("GSI_REHEARSAL_SCALE", self.pace.scale.to_string())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|l| Some(l.split_once("answering on http://")?.1.to_owned())).unwrap();
        let stderr = Arc::new(Mutex::new(String::new()));
        let heard = stderr.clone();
        std::thread::spawn(move || lines.for_each(|line| heard.lock().unwrap().push_str(&(line + "\n"))));
        let made =
            gsi(data).args(["key", "create", "--name", "reader", "--rate", "60000/min"]).output().unwrap();
        let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        Running { child, address, key, stderr }
    }
}

#[test]
fn a_service_prunes_by_itself_when_a_day_begins_and_tells_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let days = FastDays::begin();
    let mut service = days.serve(&data);
    let ask = |path: &str| {
        let (status, body) = get(&service.address, path, Some(&service.key));
        (status, serde_json::from_str::<Value>(&body).unwrap())
    };
    let wait_until = |what: &str, holds: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "never {what}: {}", service.stderr.lock().unwrap());
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_until("events", &|| {
        let (status, body) = ask("/v1/conflict?min_escalation=0");
        status == 200 && !body["events"].as_array().unwrap().is_empty()
    });
    let old = days.pace.now();
    let (score, events) =
        (format!("/v1/global-stability?as_of={old}"), format!("/v1/conflict?min_escalation=0&as_of={old}"));
    let published = ask(&score);
    assert_eq!((published.0, ask(&events).0), (200, 200));

    wait_until("pruned", &|| ask(&events).0 == 410);
    let problem = ask(&events).1;
    assert_eq!(problem["code"], "no_longer_kept", "{problem}");
    assert_eq!(ask(&score), published, "what was published stays");
    // What was removed is counted when all of it is gone. It looked on every day before, and nothing was old then.
    let removed = || -> Vec<u64> {
        let log = service.stderr.lock().unwrap();
        let told = log.lines().filter(|l| l.contains("older than the retention keeps"));
        told.map(|l| l.split_once("removed=").unwrap().1.trim().parse().unwrap()).collect()
    };
    wait_until("told", &|| removed().iter().any(|rows| *rows > 0));
    let told = removed();
    let in_vain = told.iter().take_while(|rows| **rows == 0).count();
    assert!(in_vain >= 5, "{told:?}");

    Command::new("kill").arg(service.child.id().to_string()).status().unwrap();
    assert!(service.child.wait().unwrap().success());
    let sound = gsi(&data).args(["store", "check"]).output().unwrap();
    assert!(sound.status.success(), "{}", said(&sound));
}
