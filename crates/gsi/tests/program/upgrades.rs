//! A store of an earlier release: commands that only read leave it alone and name the one that upgrades it; restoring a backup of it
//! does not change the backup; upgraded, it replays to the byte, and a copy of the old store is kept in the same folder.

use drills::postgres::PostgresServer;
use drills::text_of;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All but the three feeds that the store was made with.
const LEFT_OUT: &str =
    "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,oil,usgs,gdacs,ofr,ecb,gdelt_doc,epu,gscpi";

fn gsi(data: &Path) -> Command {
    let mut command = crate::gsi(data);
    command.env("GSI_FEEDS_DISABLED", LEFT_OUT);
    command
}

/// The formats of the stores that are kept, and their files.
fn kept_stores() -> Vec<(u32, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stores");
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            let format = name.strip_prefix("format")?.strip_suffix(".db.gz")?.parse().ok()?;
            Some((format, path))
        })
        .collect();
    found.sort();
    found
}

fn read(packed: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(packed).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn unpack(packed: &Path, to: &Path) -> Vec<u8> {
    let bytes = read(packed);
    std::fs::write(to, &bytes).unwrap();
    bytes
}

/// Rows and digests of a store, and the result of a replay: that its ticks are the same byte for byte, or which method this
/// program does not compute any more.
fn check_and_replay(gsi: &dyn Fn() -> Command) -> String {
    let done = gsi().args(["store", "check"]).output().unwrap();
    assert!(done.status.success(), "{}", text_of(&done));
    let replayed = gsi().args(["replay", "--verify"]).output().unwrap();
    assert_eq!(replayed.status.code(), Some(0), "{}", text_of(&replayed));
    let result = text_of(&replayed);
    let whole = result.contains("byte for byte") && !result.contains("0 ticks are the same");
    // A method of the past is named, not skipped in silence.
    assert!(whole || result.contains("which this program does not have"), "{result}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_store_of_an_earlier_release_is_upgraded_only_when_asked_and_replays() {
    let stores = kept_stores();
    assert!(!stores.is_empty());
    for (format, packed) in stores {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let store = data.join("gsi.db");
        let bytes = unpack(&packed, &store);
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
            assert!(text_of(&done).contains(&format!("has format {format},")), "{}", text_of(&done));
            assert!(text_of(&done).contains("`gsi store upgrade`"), "{}", text_of(&done));
        }
        let dry = gsi(&data).args(["store", "upgrade", "--dry-run"]).output().unwrap();
        assert!(
            dry.status.success() && text_of(&dry).contains("would be upgraded from format"),
            "{}",
            text_of(&dry)
        );
        assert!(std::fs::read(&store).unwrap() == bytes, "a command that only reads has changed the store");

        // As a backup it is read and unchanged.
        let backup = folder.path().join("backup.db");
        unpack(&packed, &backup);
        let restored = folder.path().join("restored");
        let done = gsi(&restored).args(["store", "restore"]).arg(&backup).output().unwrap();
        assert!(done.status.success(), "{}", text_of(&done));
        assert!(std::fs::read(&backup).unwrap() == bytes, "restoring has changed the backup");
        let neighbours: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(!neighbours.iter().any(|n| n.to_string_lossy().starts_with("backup.db-")), "{neighbours:?}");

        // If no copy can be kept, the upgrade is refused, unless the operator needs no copy.
        let copy = data.join(format!("gsi-format{format}.db"));
        std::fs::create_dir_all(copy.join("in the way")).unwrap();
        let done = gsi(&data).args(["store", "upgrade"]).output().unwrap();
        assert!(!done.status.success() && text_of(&done).contains("--no-copy"), "{}", text_of(&done));
        assert!(std::fs::read(&store).unwrap() == bytes, "a refused upgrade has changed the store");
        std::fs::remove_dir_all(&copy).unwrap();

        let done = gsi(&data).args(["store", "upgrade"]).output().unwrap();
        assert!(
            done.status.success() && text_of(&done).contains("upgraded from format"),
            "{}",
            text_of(&done)
        );
        assert!(text_of(&done).contains(&copy.display().to_string()), "{}", text_of(&done));
        // The way back: the copy is a store of the old format, as private as the store, and holds the same.
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        let back = folder.path().join("back");
        std::fs::create_dir(&back).unwrap();
        std::fs::rename(&copy, back.join("gsi.db")).unwrap();
        let done = gsi(&back).args(["store", "check"]).output().unwrap();
        assert!(text_of(&done).contains(&format!("has format {format},")), "{}", text_of(&done));
        let done = gsi(&back).args(["store", "upgrade", "--no-copy"]).output().unwrap();
        assert!(done.status.success() && !text_of(&done).contains("is kept"), "{}", text_of(&done));
        assert!(!back.join(copy.file_name().unwrap()).exists(), "there is no second copy");
        let again = gsi(&data).args(["store", "upgrade", "--json"]).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
        assert_eq!((report["steps"].as_array().map(Vec::len), &report["from"]), (Some(0), &report["to"]));
        // Upgraded in place, restored from the old backup or returned to: all hold the same, and replay.
        let [upgraded, restored, returned] =
            [data, restored, back].map(|data| check_and_replay(&|| gsi(&data)));
        assert_eq!(upgraded, restored);
        assert_eq!(upgraded, returned);
    }
}

#[test]
fn a_database_of_an_earlier_release_is_upgraded_only_when_asked_and_replays() {
    let Some(server) = PostgresServer::start() else { return };
    let dump = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stores/postgres-format8.sql.gz");
    let mut admin = postgres::Client::connect(&server.url("postgres"), postgres::NoTls).unwrap();
    admin.batch_execute("CREATE DATABASE older").unwrap();
    let url = server.url("older");
    let mut older = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    older.batch_execute(std::str::from_utf8(&read(&dump)).unwrap()).unwrap();
    drop(older);
    let folder = tempfile::tempdir().unwrap();
    let of = || {
        let mut command = gsi(folder.path());
        command.args(["--store", &url]);
        command
    };
    for command in [&["key", "list"][..], &["replay", "--verify"], &["store", "check"]] {
        let done = of().args(command).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{command:?}: {}", text_of(&done));
        assert!(text_of(&done).contains("has format 8,"), "{}", text_of(&done));
    }
    let done = of().args(["store", "upgrade", "--json"]).output().unwrap();
    assert!(done.status.success(), "{}", text_of(&done));
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&report["from"], &report["copy"]), (&8.into(), &serde_json::Value::Null), "{report}");
    let rows = check_and_replay(&of);
    assert!(rows.contains("snapshots"), "{rows}");
}

#[test]
fn a_newer_store_refuses_an_older_program_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let store = rusqlite::Connection::open(folder.path().join("gsi.db")).unwrap();
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
    assert_eq!(std::fs::read_dir(none.path()).unwrap().count(), 0, "nothing is made where nothing is");
}
