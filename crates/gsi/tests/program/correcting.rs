//! Corrections: the operator asks for one while the service runs, and readers see it once.

use drills::demo::{PATIENCE, RunningDemo};
use drills::wait_until;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// One feed of each kind is enough.
const DISABLED: &str = "epss,poc,portwatch,ports,gscpi,usgs,ecb,epu";

fn gsi(data: &Path) -> Command {
    let mut command = crate::gsi(data);
    command.env("GSI_DEMO_ROWS_PER_SLOT", "60").env("GSI_FEEDS_DISABLED", DISABLED);
    command
}

/// A demo with two days of history, at `pace` simulated seconds to a second.
fn demo(data: &Path, at: &str, pace: &str) -> Command {
    let mut command = gsi(data);
    command.args(["demo", "--listen", "127.0.0.1:0", "--days", "2", "--scenario", "border_war"]);
    command.args(["--at", at, "--time-scale", pace]);
    command
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let done = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

fn correct(data: &Path, id: &str, because: &str) -> (Option<i32>, String) {
    let (code, _, said) = run(gsi(data).args(["briefing", "correct", id, "--because", because]));
    (code, said)
}

fn listed(data: &Path, more: &[&str]) -> Vec<Value> {
    let (code, out, said) = run(gsi(data).args(["briefing", "list", "--json"]).args(more));
    assert_eq!(code, Some(0), "{said}");
    serde_json::from_str(&out).unwrap()
}

fn wait_for(running: &RunningDemo, path: &str, found: impl Fn(&Value) -> bool) -> Value {
    wait_until(path, PATIENCE, || found(&running.json(path)));
    running.json(path)
}

fn id_of<'r>(rows: &'r [Value], subject: &str) -> &'r str {
    let fits = |r: &&Value| r["subject"].as_str().is_some_and(|s| s.starts_with(subject));
    rows.iter().find(fits).unwrap_or_else(|| panic!("no briefing on {subject}"))["id"].as_str().unwrap()
}

#[test]
fn a_correction_is_published_once_with_the_next_tick() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    // The next tick is a quarter of an hour away, so requests for corrections wait.
    let running = RunningDemo::start(&mut demo(data, "2026-11-14T00:30:00Z", "1"));
    let rows = listed(data, &["--day", "2026-11-13"]);
    assert!(rows.len() >= 6, "{rows:?}");
    let (global, macros, theater) = (id_of(&rows, "global"), id_of(&rows, "macro"), id_of(&rows, "theater:"));
    let as_it_was = running.json(&format!("/v1/briefings/{global}"));
    assert_eq!((&as_it_was["corrects"], &as_it_was["corrected_by"]), (&Value::Null, &Value::Null));

    for (id, because, code, says) in [
        ("brf_0123456789ABCDEFGHJKMNPQRS", "wrong-text", 1, "there is no briefing"),
        ("no such thing", "wrong-text", 1, "there is no briefing"),
        (global, "boredom", 2, "wrong-text, revised-data, late-data"),
        (global, "revised-data", 0, "the next tick publishes a correction of"),
        (global, "wrong-text", 1, "(revised-data) and waits for the next tick"),
        (macros, "wrong-text", 0, "requested"),
        (theater, "late-data", 0, "requested"),
    ] {
        let (got, said) = correct(data, id, because);
        assert_eq!(got, Some(code), "{id} {because}: {said}");
        assert!(said.contains(says), "{id} {because}: {said}");
    }
    let row = |rows: Vec<Value>, id: &str| rows.into_iter().find(|r| r["id"] == id).unwrap();
    assert_eq!(row(listed(data, &[]), global)["correction_asked"]["because"], "revised-data");
    let waiting = running.json(&format!("/v1/briefings/{global}"));
    assert_eq!(waiting, as_it_was, "asking alone changes nothing");

    // A kill between the request and the tick loses nothing.
    drop(running);
    let running = RunningDemo::start(&mut demo(data, "2026-11-14T00:30:00Z", "450"));
    let path = format!("/v1/briefings/{global}");
    let corrected = wait_for(&running, &path, |b| !b["corrected_by"].is_null());
    for (field, value) in as_it_was.as_object().unwrap() {
        assert!(
            field == "corrected_by" || corrected[field] == *value,
            "{field} of a published briefing changed"
        );
    }
    let new = running.json(&format!("/v1/briefings/{}", corrected["corrected_by"].as_str().unwrap()));
    assert_eq!(new["corrects"], global);
    assert_eq!((&new["day"], &new["subject"]), (&as_it_was["day"], &as_it_was["subject"]));
    let text = new["summary"].as_str().unwrap();
    let opening = "This corrects the briefing published at 00:00 UTC on 14 November: a publisher has revised its data. \
                   It is written from what was known at ";
    assert!(text.starts_with(opening), "{text}");
    assert!(new["headline"].as_str().unwrap().starts_with("Correction: "), "{new}");
    assert_eq!(new["as_of"], new["published_at"], "newer data are in the newest snapshot");

    // A wrong text is corrected from the same snapshot.
    let other = running.json(&format!("/v1/briefings/{macros}"));
    let new_words = running.json(&format!("/v1/briefings/{}", other["corrected_by"].as_str().unwrap()));
    assert_eq!((&new_words["as_of"], &new_words["subject"]), (&other["as_of"], &other["subject"]));
    assert_eq!(new_words["published_at"], new["published_at"], "all of them with one tick");
    let body = |b: &Value| {
        b["summary"].as_str().unwrap().split("\n\n").skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(body(&new_words).last(), body(&other).last(), "the same sources");
    let theater = running.json(&format!("/v1/briefings/{theater}"));
    assert!(theater["corrected_by"].is_string(), "{theater}");

    // Before that tick, a reader of the past sees no correction.
    let published = new["published_at"].as_str().unwrap();
    let then = running.json(&format!("/v1/briefings/{global}?as_of=2026-11-14T00:15:00Z"));
    assert_eq!(then["corrected_by"], Value::Null);
    // The list has it once, like any other, also after more ticks.
    let later = wait_for(&running, "/v1/global-stability", |s| {
        s["as_of"].as_str().is_some_and(|at| at > published && at >= "2026-11-14T02:00:00Z")
    });
    let page = running.json("/v1/briefings?limit=100");
    let corrections = |b: &&Value| b["headline"].as_str().unwrap().starts_with("Correction: ");
    let found = page["briefings"].as_array().unwrap().iter().filter(corrections).count();
    assert_eq!(found, 3, "as of {}", later["as_of"]);

    // A second correction needs the newest edition.
    let newest = new["id"].as_str().unwrap();
    let (code, said) = correct(data, global, "wrong-text");
    assert_eq!(code, Some(1));
    assert!(said.contains(newest), "{said}");
    assert_eq!(correct(data, newest, "wrong-text").0, Some(0));
    let twice = wait_for(&running, &format!("/v1/briefings/{newest}"), |b| !b["corrected_by"].is_null());
    let third = running.json(&format!("/v1/briefings/{}", twice["corrected_by"].as_str().unwrap()));
    assert_eq!((&third["corrects"], &third["as_of"]), (&twice["id"], &twice["as_of"]));
    assert!(
        third["summary"].as_str().unwrap().contains("its text was not supported by its facts"),
        "{third}"
    );
    let (_, said) = correct(data, global, "wrong-text");
    assert!(said.contains(third["id"].as_str().unwrap()), "{said}");
    let day = listed(data, &["--day", "2026-11-13"]);
    assert_eq!(day.len(), rows.len() + 4, "the day's list holds all editions");
    drop(running);

    // A request is an input of its tick, so a replay gives the same words.
    let (code, out, said) = run(gsi(data).args(["replay", "--verify", "--log", "error"]));
    assert_eq!(code, Some(0), "{out}{said}");
    let (code, out, said) = run(gsi(data).args(["store", "check", "--json"]));
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["contents"]["corrections"]["rows"], 4);
    // A replay with another request gives other words.
    let file = rusqlite::Connection::open(data.join("gsi.db")).unwrap();
    file.execute("UPDATE correction SET reason = 'late-data' WHERE briefing = ?1", [global]).unwrap();
    drop(file);
    let (code, out, said) = run(gsi(data).args(["replay", "--verify", "--log", "error"]));
    assert_eq!(code, Some(3), "{out}{said}");
    assert!((out + &said).contains(&format!("briefing {newest}")));
}
