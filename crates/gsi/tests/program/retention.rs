//! `gsi store prune` while the service runs: what it removes is counted, and requests for it get 410. What was published stays,
//! and what is kept still replays exactly.

use drills::demo::RunningDemo;
use drills::{DISABLED_FEEDS, text_of};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Two weeks: the newest ten days are kept.
const LIVE: &str = "2026-11-14T10:00:00Z";
const DAYS: &str = "14";
/// The tenth of the days that end with the live one.
const EDGE: &str = "2026-11-05T00:00:00Z";
const OLD: &str = "2026-11-03T12:00:00Z";

fn gsi(data: &Path) -> Command {
    let mut command = crate::gsi(data);
    command
        .env("GSI_FEEDS_DISABLED", DISABLED_FEEDS)
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

fn prune(command: &mut Command, flags: &[&str]) -> Value {
    let done = command.args(["store", "prune", "--json"]).args(flags).output().unwrap();
    assert!(done.status.success(), "{}", text_of(&done));
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn pruning_while_the_service_runs_is_counted_and_answered_with_410() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut demo = gsi(&data);
    demo.args(["demo", "--listen", "127.0.0.1:0", "--days", DAYS, "--at", LIVE, "--log", "error"]);
    demo.args(["--scenario", "border_war"]);
    let service = RunningDemo::start(&mut demo);
    let ask = |path: &str| {
        let answer = service.get(path);
        (answer.status, serde_json::from_str::<Value>(&answer.body).unwrap())
    };
    let old_score = ask(&format!("/v1/global-stability?as_of={OLD}"));
    let old_briefings = ask(&format!("/v1/briefings?as_of={OLD}"));
    let old_events = ask(&format!("/v1/conflict?as_of={OLD}"));
    let explained = ask(&format!("/v1/global-stability/explain?as_of={OLD}")).1;
    let inputs = format!("/v1/snapshots/{}/inputs", explained["snapshot"].as_str().unwrap());
    assert_eq!((old_score.0, old_events.0, ask(&inputs).0), (200, 200, 200));
    assert!(!old_events.1["events"].as_array().unwrap().is_empty());
    let history = ask("/v1/global-stability/history?step=1d").1;

    // Without a configured number of days nothing is removed. Then a dry run, then the real one.
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

    // What was published is still served. Requests for what is gone are answered with the kind and the time.
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
        assert_eq!(service.get_as(None, problem["type"].as_str().unwrap()).status, 200);
    }
    drop(service);

    // Compacting needs the store without the service.
    let whole = prune(&mut keeping_ten_days(&data), &["--compact"]);
    let bytes = |when: &str| whole["store_bytes"][when].as_u64().unwrap();
    assert!(bytes("after") < bytes("before"), "{whole}");
    assert_eq!(whole["kinds"]["news_rows"]["removed"], 0);

    // The rest replays. A replay of what is gone has a separate exit code.
    let replay = |flags: &[&str]| {
        gsi(&data).args(["replay", "--verify", "--log", "error"]).args(flags).output().unwrap()
    };
    let rest = replay(&[]);
    assert_eq!(rest.status.code(), Some(0), "{}", text_of(&rest));
    assert!(
        text_of(&rest).contains("ticks cannot be computed again") && text_of(&rest).contains("byte for byte")
    );
    let gone = replay(&["--from", OLD]);
    assert_eq!(gone.status.code(), Some(4), "{}", text_of(&gone));
    assert!(
        text_of(&gone).contains("from before 2026-11-05T00:00:00Z are no longer kept"),
        "{}",
        text_of(&gone)
    );
    // The service starts again on it.
    let again = RunningDemo::start(&mut demo);
    assert_eq!(again.get("/v1/conflict").status, 200);
    drop(again);
    let sound = gsi(&data).args(["store", "check"]).output().unwrap();
    assert!(sound.status.success(), "{}", text_of(&sound));
}
