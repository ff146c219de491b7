//! A store of an earlier release: commands that only read leave it alone and say which one upgrades it; restoring a backup of it
//! does not change the backup; upgraded, it replays to the byte.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// All but the three feeds that the store was made with.
const LEFT_OUT: &str =
    "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,oil,usgs,gdacs,ofr,ecb,gdelt_doc,epu,gscpi";

fn gsi(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
    command.arg("--data").arg(data).stdin(Stdio::null()).env("GSI_FEEDS_DISABLED", LEFT_OUT);
    command
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
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

fn unpack(packed: &Path, to: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(packed).unwrap()).read_to_end(&mut bytes).unwrap();
    std::fs::write(to, &bytes).unwrap();
    bytes
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
            assert_eq!(done.status.code(), Some(1), "{command:?}: {}", said(&done));
            assert!(said(&done).contains(&format!("has format {format},")), "{}", said(&done));
            assert!(said(&done).contains("`gsi store upgrade`"), "{}", said(&done));
        }
        let dry = gsi(&data).args(["store", "upgrade", "--dry-run"]).output().unwrap();
        assert!(
            dry.status.success() && said(&dry).contains("would be upgraded from format"),
            "{}",
            said(&dry)
        );
        assert!(std::fs::read(&store).unwrap() == bytes, "somebody who only looked has changed the store");

        // As a backup it is read, and stays what it is.
        let backup = folder.path().join("backup.db");
        unpack(&packed, &backup);
        let restored = folder.path().join("restored");
        let done = gsi(&restored).args(["store", "restore"]).arg(&backup).output().unwrap();
        assert!(done.status.success(), "{}", said(&done));
        assert!(std::fs::read(&backup).unwrap() == bytes, "restoring has changed the backup");
        let beside: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(!beside.iter().any(|n| n.to_string_lossy().starts_with("backup.db-")), "{beside:?}");

        let done = gsi(&data).args(["store", "upgrade"]).output().unwrap();
        assert!(done.status.success() && said(&done).contains("upgraded from format"), "{}", said(&done));
        let again = gsi(&data).args(["store", "upgrade", "--json"]).output().unwrap();
        let told: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
        assert_eq!((told["steps"].as_array().map(Vec::len), &told["from"]), (Some(0), &told["to"]));
        // Upgraded in place or restored from the old backup: both hold the same, and replay.
        let check = |data: &Path| {
            let done = gsi(data).args(["store", "check"]).output().unwrap();
            assert!(done.status.success(), "{}", said(&done));
            String::from_utf8(done.stdout).unwrap()
        };
        assert_eq!(check(&data), check(&restored));
        let replayed = gsi(&data).args(["replay", "--verify"]).output().unwrap();
        assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
        let whole =
            said(&replayed).contains("byte for byte") && !said(&replayed).contains("0 ticks are the same");
        // A method that this program does not compute any more is named, not skipped in silence.
        assert!(
            whole || said(&replayed).contains("which this program does not compute"),
            "{}",
            said(&replayed)
        );
    }
}

#[test]
fn a_newer_store_refuses_an_older_program_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let store = rusqlite::Connection::open(folder.path().join("gsi.db")).unwrap();
    store.pragma_update(None, "user_version", 999).unwrap();
    drop(store);
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["key", "list"], &["store", "upgrade"]] {
        let done = gsi(folder.path()).args(command).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{}", said(&done));
        assert!(said(&done).contains("has format 999") && said(&done).contains("run the newer program"));
    }
    let none = tempfile::tempdir().unwrap();
    let done = gsi(none.path()).args(["store", "upgrade"]).output().unwrap();
    assert!(!done.status.success() && said(&done).contains("there is no"), "{}", said(&done));
    assert_eq!(std::fs::read_dir(none.path()).unwrap().count(), 0, "nothing is made where nothing is");
}
