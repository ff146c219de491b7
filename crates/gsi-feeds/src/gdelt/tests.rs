//! The decoder on the real files, when they are at hand, and on hostile rows in any case.

use super::*;
use crate::Payload;
use std::path::PathBuf;

fn real(folder: &str) -> Vec<PathBuf> {
    let files = crate::real_data::files(&format!("gdelt2/{folder}"));
    if files.is_empty() {
        println!("skipped: no real data");
    }
    files
}

fn run(name: &str, bytes: &[u8]) -> Result<Decoded, Refusal> {
    let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
    decode(&Payload { name, bytes, fetched_at, last_modified: None })
}

fn run_file(path: &PathBuf) -> (String, Result<Decoded, Refusal>) {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let outcome = run(&name, &std::fs::read(path).unwrap());
    (name, outcome)
}

#[test]
fn real_event_and_mention_files_decode_without_a_reject() {
    for folder in ["export", "mentions", "zips"] {
        for path in real(folder) {
            let (name, outcome) = run_file(&path);
            let decoded = outcome.unwrap_or_else(|r| panic!("{name}: {r}"));
            assert!(decoded.is_balanced(), "{name}");
            assert!(decoded.seen > 500, "{name}: {}", decoded.seen);
            assert!(decoded.rejected.is_empty(), "{name}: {:?}", decoded.rejected);
            assert_eq!(decoded.newest, stamp_of(&name), "{name}");
            assert_eq!(decoded.slots.len(), usize::from(name.contains("export")), "{name}");
        }
    }
}

#[test]
fn real_broken_files_are_refused_or_accounted_for() {
    for path in real("corrupt_upstream") {
        let (name, outcome) = run_file(&path);
        let want = if name.contains("export") { "schema" } else { "garbage" };
        assert_eq!(outcome.unwrap_err().code, want, "{name}");
    }
    for path in real("as_found_with_header") {
        let (name, outcome) = run_file(&path);
        let decoded = outcome.unwrap_or_else(|r| panic!("{name}: {r}"));
        assert!(decoded.is_balanced(), "{name}");
        assert!(
            decoded.rejected.iter().map(|(k, n)| (k.as_str(), *n)).eq([("header", 1)]),
            "{:?}",
            decoded.rejected
        );
    }
}

#[test]
fn real_samples_of_other_formats() {
    for path in real("samples") {
        let (name, outcome) = run_file(&path);
        if name.starts_with("sparkgdelt_events") || name.starts_with("sparkgdelt_mentions") {
            let decoded = outcome.unwrap_or_else(|r| panic!("{name}: {r}"));
            assert_eq!((decoded.accepted, decoded.seen), (100, 100), "{name}: {:?}", decoded.rejected);
        } else {
            let code = outcome.unwrap_err().code;
            assert!(["schema", "no_valid_rows", "garbage"].contains(&code.as_str()), "{name}: {code}");
        }
    }
}
