//! What an operator no longer keeps: it goes beside a running service, is counted, and whoever asks for it is told so. What
//! was published stays, and what is kept still replays to the byte.

#[path = "demo/mod.rs"]
mod support;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use support::get;

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
