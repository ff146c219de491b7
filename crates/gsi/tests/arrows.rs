//! Keeps the dependency arrows of ARCHITECTURE.md: who may import whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const ALLOWED: [(&str, &[&str]); 18] = [
    ("gsi-model", &[]),
    ("gsi-gdelt", &["gsi-model"]),
    ("gsi-feeds", &["gsi-gdelt", "gsi-model"]),
    ("gsi-events", &["gsi-model"]),
    ("gsi-index", &["gsi-model"]),
    ("gsi-alerts", &["gsi-model"]),
    ("gsi-narrate", &["gsi-model"]),
    ("gsi-store", &["gsi-model"]),
    ("gsi-sim", &["gsi-model"]),
    ("gsi-real-data", &[]),
    ("xtask", &["gsi-model", "gsi-feeds", "gsi-events"]),
    ("gsi-mcp", &[]),
    ("gsi-connect", &["gsi-model"]),
    ("gsi-wire", &["gsi-model", "gsi-store"]),
    ("gsi-serve", &["gsi-model", "gsi-store", "gsi-wire"]),
    ("gsi-http", &["gsi-connect", "gsi-mcp", "gsi-model", "gsi-serve", "gsi-store", "gsi-wire"]),
    (
        "gsi-pipeline",
        &["gsi-model", "gsi-feeds", "gsi-events", "gsi-index", "gsi-alerts", "gsi-narrate", "gsi-store"],
    ),
    (
        "gsi",
        &[
            "gsi-model",
            "gsi-feeds",
            "gsi-events",
            "gsi-index",
            "gsi-alerts",
            "gsi-narrate",
            "gsi-store",
            "gsi-pipeline",
            "gsi-http",
            "gsi-mcp",
            "gsi-sim",
        ],
    ),
];

/// The rooms that compute must not be able to read a clock, a socket or a random source by way of a dependency.
const PURE: [&str; 6] = ["gsi-model", "gsi-gdelt", "gsi-events", "gsi-index", "gsi-alerts", "gsi-narrate"];
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

fn source_folder(room: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(room).join("src")
}

/// Every source file under a folder, with its text.
fn source_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a source folder").map(|e| e.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(source_files(&entry));
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&entry).expect("a source file");
            found.push((entry, text));
        }
    }
    found
}

/// A file's code without the unit tests at its end. Those in a file of their own are only named, wherever that is.
fn before_unit_tests(text: &str) -> &str {
    let mut marks = text.match_indices("#[cfg(test)]\nmod ").map(|(at, _)| at);
    let end = marks.find(|at| text[*at..].lines().nth(1).is_some_and(|line| line.ends_with('{')));
    &text[..end.unwrap_or(text.len())]
}

/// Where the sources of a room define types, by their names. Test modules may name theirs as they like.
fn types_of(room: &str, found: &mut BTreeMap<String, Vec<String>>) {
    for (path, text) in source_files(&source_folder(room)) {
        for (number, line) in before_unit_tests(&text).lines().enumerate() {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
            let mut words = words.skip_while(|word| ["pub", "crate", "super"].contains(word));
            let is_definition = match words.next() {
                Some("struct" | "enum" | "trait" | "union") => !line.trim_start().starts_with("//"),
                // An indented one belongs to a trait.
                Some("type") => !line.starts_with([' ', '/']),
                _ => false,
            };
            if let Some(name) = words.next().filter(|_| is_definition) {
                let place = format!("{}:{}", path.display(), number + 1);
                found.entry(name.to_owned()).or_default().push(place);
            }
        }
    }
}

#[test]
fn a_type_name_means_one_thing() {
    let mut found = BTreeMap::new();
    for room in ours().keys() {
        types_of(room, &mut found);
    }
    for name in ["Snapshot", "Pipeline", "CountedRow"] {
        assert!(found.contains_key(name), "{name}: the sources are not read");
    }
    found.retain(|_, places| places.len() > 1);
    assert!(found.is_empty(), "give one of each another name: {found:#?}");
}

/// Rooms whose numbers the method's digest answers for.
const COMPUTING: [&str; 5] = ["gsi-model", "gsi-gdelt", "gsi-feeds", "gsi-events", "gsi-index"];

#[test]
fn files_that_numbers_rest_on_are_compiled_in_at_one_place() {
    let mut compiled_in = 0;
    for room in COMPUTING {
        for (path, text) in source_files(&source_folder(room)) {
            let own = text.split("#[cfg(test)]").next().unwrap_or_default();
            let includes = own.lines().filter(|l| l.contains("include_str!") || l.contains("include_bytes!"));
            // Observations that come with the program are inputs, with a digest of their own.
            let found = includes.filter(|line| !line.contains("method/history/")).count();
            let is_the_place = path.ends_with("gsi-model/src/method_files.rs");
            assert!(
                found == 0 || is_the_place,
                "{}: list the file in gsi_model::method_files",
                path.display()
            );
            compiled_in += found;
        }
    }
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../method");
    let entries = std::fs::read_dir(files).expect("the method's folder").map(|e| e.expect("an entry").path());
    let files = entries.filter(|entry| entry.is_file()).count();
    assert_eq!(compiled_in, files, "every file under method/ is compiled in once");
}

/// Rooms that are about single feeds.
const ABOUT_FEEDS: [&str; 3] = ["gsi-feeds", "gsi-gdelt", "gsi-sim"];
/// A name there is that of a rival index, of a history's source, or a test's.
const NAMED_OTHERWISE: [&str; 3] =
    ["gsi-index/src/backtest/arms.rs", "gsi/src/command/backtest/every_country.rs", "/conformance/"];

#[test]
fn no_other_room_knows_a_feed_by_its_name() {
    let names: Vec<String> = gsi_feeds::all_connectors()
        .iter()
        .chain(&gsi_feeds::history_connectors())
        .map(|connector| format!("\"{}\"", connector.origin().feed))
        .collect();
    assert!(names.contains(&"\"gdelt\"".to_owned()));
    let mut found = Vec::new();
    for room in ours().keys().filter(|room| !ABOUT_FEEDS.contains(&room.as_str())) {
        for (path, text) in source_files(&source_folder(room)) {
            let place = path.display().to_string();
            if place.ends_with("tests.rs") || NAMED_OTHERWISE.iter().any(|other| place.contains(other)) {
                continue;
            }
            let named = before_unit_tests(&text).lines().enumerate().filter(|(_, line)| {
                let is_example = line.trim_start().starts_with(['/', '#']);
                !is_example && names.iter().any(|name| line.contains(name.as_str()))
            });
            found.extend(named.map(|(n, line)| format!("{place}:{}: {}", n + 1, line.trim())));
        }
    }
    assert!(found.is_empty(), "what is known about a feed stands in its folder: {found:#?}");
}
