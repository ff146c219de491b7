//! Keeps the dependency arrows of ARCHITECTURE.md: who may import whom.

use std::collections::{BTreeMap, BTreeSet};

const ALLOWED: [(&str, &[&str]); 10] = [
    ("gsi-model", &[]),
    ("gsi-feeds", &["gsi-model"]),
    ("gsi-events", &["gsi-model"]),
    ("gsi-index", &["gsi-model"]),
    ("gsi-narrate", &["gsi-model"]),
    ("gsi-store", &["gsi-model"]),
    ("gsi-sim", &["gsi-model"]),
    ("gsi-http", &["gsi-model", "gsi-store"]),
    ("gsi-pipeline", &["gsi-model", "gsi-feeds", "gsi-events", "gsi-index", "gsi-narrate", "gsi-store"]),
    (
        "gsi",
        &[
            "gsi-model",
            "gsi-feeds",
            "gsi-events",
            "gsi-index",
            "gsi-narrate",
            "gsi-store",
            "gsi-pipeline",
            "gsi-http",
            "gsi-sim",
        ],
    ),
];

/// The rooms that compute must not be able to read a clock, a socket or a random source by way of a dependency.
const PURE: [&str; 4] = ["gsi-model", "gsi-events", "gsi-index", "gsi-narrate"];
const IMPURE: [&str; 8] =
    ["tokio", "reqwest", "hyper", "rusqlite", "postgres", "getrandom", "rand", "tracing"];

fn ours() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    metadata
        .packages
        .iter()
        .map(|p| {
            let normal = p
                .dependencies
                .iter()
                .filter(|d| d.kind == cargo_metadata::DependencyKind::Normal)
                .map(|d| d.name.clone());
            (p.name.to_string(), normal.collect())
        })
        .collect()
}

#[test]
fn rooms_import_only_what_lies_before_them() {
    let rooms = ours();
    let named: BTreeSet<_> = ALLOWED.iter().map(|(room, _)| room.to_string()).collect();
    assert_eq!(
        rooms.keys().cloned().collect::<BTreeSet<_>>(),
        named,
        "a room is missing here or in the workspace"
    );
    for (room, allowed) in ALLOWED {
        for import in rooms[room].iter().filter(|d| d.starts_with("gsi")) {
            assert!(allowed.contains(&import.as_str()), "{room} may not import {import}");
        }
    }
}

#[test]
fn pure_rooms_have_no_way_out() {
    let rooms = ours();
    for room in PURE {
        for import in &rooms[room] {
            assert!(!IMPURE.contains(&import.as_str()), "{room} is pure and may not import {import}");
        }
    }
}
