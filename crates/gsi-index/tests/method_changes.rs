//! The published log of the method agrees with the page that explains it and with the catalogue in force.

use gsi_index::{Method, method_changes};
use gsi_model::MethodChangeKind;
use std::collections::BTreeSet;

/// The headings of "Changes" in docs/method.md.
fn headings() -> Vec<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/method.md")).unwrap();
    let changes = page.lines().skip_while(|line| *line != "## Changes").skip(1);
    let own = changes.take_while(|line| !line.starts_with("## "));
    own.filter_map(|line| line.strip_prefix("### ")).map(str::to_owned).collect()
}

#[test]
fn the_log_and_the_page_tell_the_same_changes_in_the_same_order() {
    let titles: Vec<String> = method_changes().unwrap().into_iter().map(|entry| entry.title).collect();
    assert!(titles.len() >= 5);
    assert_eq!(titles, headings(), "method/changes.toml and \"Changes\" in docs/method.md list the same");
}

#[test]
fn the_newest_change_is_the_method_in_force() {
    let log = method_changes().unwrap();
    let newest = log.iter().find(|entry| entry.kind == MethodChangeKind::Change).unwrap();
    let text = Method::default_text();
    assert!(
        text.contains(&format!("\nversion = \"{}\"\n", newest.version)),
        "the newest change in method/changes.toml is of {}, the catalogue has another version",
        newest.version
    );
    let versions: BTreeSet<&str> =
        log.iter().filter(|entry| entry.title == entry.version).map(|entry| entry.version.as_str()).collect();
    for entry in &log {
        assert!(versions.contains(entry.version.as_str()), "{} has no entry", entry.version);
        for text in [&entry.why, &entry.what, &entry.effect] {
            assert!(text.len() > 40 && text.ends_with('.'), "{}: {text:?}", entry.title);
        }
    }
}
