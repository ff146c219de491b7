//! A store of an earlier format: commands that only read refuse it, name the command that upgrades it and leave it unchanged.
//! Restoring a backup does not change the backup. An upgraded store replays byte for byte, and a copy of the earlier one is
//! kept.

use drills::postgres::PostgresServer;
use drills::{succeed, text_of};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// All feeds but three: the store is made faster.
const LEFT_OUT: &str =
    "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,oil,usgs,gdacs,ofr,ecb,gdelt_doc,epu,gscpi";
/// Format 2 only added these tables, so a store without them is one of format 1.
const DROP_FORMAT_2: &str = "DROP TABLE delivery; DROP TABLE hook;";

fn gsi(data: &Path) -> Command {
    let mut command = crate::gsi(data);
    command.env("GSI_FEEDS_DISABLED", LEFT_OUT);
    command
}

/// The file of a store of format 1 with a day of the simulated world.
fn format_1() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut demo = gsi(folder.path());
        demo.args(["demo", "--listen", "127.0.0.1:0", "--days", "1", "--scenario", "border_war"]);
        demo.args(["--at", "2026-11-14T02:00:00Z", "--until", "2026-11-14T02:00:01Z"]);
        succeed(demo.env("GSI_DEMO_ROWS_PER_SLOT", "10"));
        let file = folder.path().join("gsi.db");
        let store = rusqlite::Connection::open(&file).unwrap();
        store.execute_batch(&format!("{DROP_FORMAT_2} PRAGMA user_version = 1; VACUUM")).unwrap();
        // Closing the last connection moves the log into the file.
        drop(store);
        std::fs::read(file).unwrap()
    })
}

/// Checks the store and replays it. Returns the digests.
fn check_and_replay(gsi: &dyn Fn() -> Command) -> String {
    let digests = succeed(gsi().args(["store", "check"]));
    let replayed = succeed(gsi().args(["replay", "--verify"]));
    assert!(replayed.contains("byte for byte") && !replayed.starts_with("0 ticks"), "{replayed}");
    digests
}

#[test]
fn a_store_of_an_earlier_format_is_upgraded_only_when_asked_and_replays() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let store = data.join("gsi.db");
    let bytes = format_1();
    std::fs::write(&store, bytes).unwrap();
    let reading: [&[&str]; 8] = [
        &["key", "list"],
        &["key", "audit"],
        &["briefing", "list"],
        &["replay", "--verify"],
        &["store", "check"],
        &["store", "prune", "--dry-run"],
        &["store", "repair", "--dry-run"],
        &["store", "backup", "b.db"],
    ];
    for command in reading {
        let done = gsi(&data).current_dir(folder.path()).args(command).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{command:?}: {}", text_of(&done));
        assert!(text_of(&done).contains("has format 1,"), "{}", text_of(&done));
        assert!(text_of(&done).contains("`gsi store upgrade`"), "{}", text_of(&done));
    }
    let dry = succeed(gsi(&data).args(["store", "upgrade", "--dry-run"]));
    assert!(dry.contains("would be upgraded from format"), "{dry}");
    assert!(std::fs::read(&store).unwrap() == bytes, "a command that only reads has changed the store");

    // Restoring a backup of the earlier format does not change the backup.
    let backup = folder.path().join("backup.db");
    std::fs::write(&backup, bytes).unwrap();
    let restored = folder.path().join("restored");
    succeed(gsi(&restored).args(["store", "restore"]).arg(&backup));
    assert!(std::fs::read(&backup).unwrap() == bytes, "restoring has changed the backup");
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!names.iter().any(|n| n.to_string_lossy().starts_with("backup.db-")), "{names:?}");

    // If no copy can be kept, nothing is upgraded.
    let copy = data.join("gsi-format1.db");
    std::fs::create_dir_all(copy.join("in the way")).unwrap();
    let done = gsi(&data).args(["store", "upgrade"]).output().unwrap();
    assert!(!done.status.success() && text_of(&done).contains("--no-copy"), "{}", text_of(&done));
    assert!(std::fs::read(&store).unwrap() == bytes, "a refused upgrade has changed the store");
    std::fs::remove_dir_all(&copy).unwrap();

    let done = gsi(&data).args(["store", "upgrade"]).output().unwrap();
    assert!(done.status.success() && text_of(&done).contains("upgraded from format"), "{}", text_of(&done));
    assert!(text_of(&done).contains(&copy.display().to_string()), "{}", text_of(&done));
    // The copy has the earlier format and the same contents, and is as private as the store.
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let back = folder.path().join("back");
    std::fs::create_dir(&back).unwrap();
    std::fs::rename(&copy, back.join("gsi.db")).unwrap();
    let done = gsi(&back).args(["store", "check"]).output().unwrap();
    assert!(text_of(&done).contains("has format 1,"), "{}", text_of(&done));
    let done = gsi(&back).args(["store", "upgrade", "--no-copy"]).output().unwrap();
    assert!(done.status.success() && !text_of(&done).contains("is kept"), "{}", text_of(&done));
    assert!(!back.join("gsi-format1.db").exists(), "--no-copy has made a copy");
    let again = succeed(gsi(&data).args(["store", "upgrade", "--json"]));
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!((again["steps"].as_array().map(Vec::len), &again["from"]), (Some(0), &again["to"]));
    // Upgraded in place, restored from the earlier backup or returned to: all hold the same, and replay.
    let [upgraded, restored, returned] = [data, restored, back].map(|data| check_and_replay(&|| gsi(&data)));
    assert_eq!(upgraded, restored);
    assert_eq!(upgraded, returned);
}

#[test]
fn a_database_of_an_earlier_format_is_upgraded_only_when_asked_and_replays() {
    let Some(server) = PostgresServer::start() else { return };
    let mut admin = postgres::Client::connect(&server.url("postgres"), postgres::NoTls).unwrap();
    admin.batch_execute("CREATE DATABASE earlier").unwrap();
    let url = server.url("earlier");
    let folder = tempfile::tempdir().unwrap();
    let on_server = || {
        let mut command = gsi(folder.path());
        command.args(["--store", &url]);
        command
    };
    let backup = folder.path().join("backup.db");
    std::fs::write(&backup, format_1()).unwrap();
    succeed(on_server().args(["store", "restore"]).arg(&backup));
    let mut earlier = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    earlier.batch_execute(&format!("{DROP_FORMAT_2} DELETE FROM store_format WHERE version = 2")).unwrap();
    drop(earlier);
    for command in [&["key", "list"][..], &["replay", "--verify"], &["store", "check"]] {
        let done = on_server().args(command).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{command:?}: {}", text_of(&done));
        assert!(text_of(&done).contains("has format 1,"), "{}", text_of(&done));
    }
    let done = succeed(on_server().args(["store", "upgrade", "--json"]));
    let done: serde_json::Value = serde_json::from_str(&done).unwrap();
    assert_eq!((&done["from"], &done["copy"]), (&1.into(), &serde_json::Value::Null), "{done}");
    let rows = check_and_replay(&on_server);
    assert!(rows.contains("snapshots"), "{rows}");
}

#[test]
fn a_program_refuses_a_newer_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gsi.db");
    drop(gsi_store::open(&format!("sqlite:{}", file.display())).unwrap());
    let store = rusqlite::Connection::open(&file).unwrap();
    store.pragma_update(None, "user_version", 999).unwrap();
    drop(store);
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["key", "list"], &["store", "upgrade"]] {
        let done = gsi(folder.path()).args(command).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{}", text_of(&done));
        assert!(
            text_of(&done).contains("has format 999") && text_of(&done).contains("run the newer program")
        );
    }
    let none = tempfile::tempdir().unwrap();
    let done = gsi(none.path()).args(["store", "upgrade"]).output().unwrap();
    assert!(!done.status.success() && text_of(&done).contains("there is no"), "{}", text_of(&done));
    assert_eq!(std::fs::read_dir(none.path()).unwrap().count(), 0, "a file was made in an empty folder");
}
