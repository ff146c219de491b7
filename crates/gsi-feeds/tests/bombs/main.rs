//! Every decoder against small files that claim to be huge, in a child process with 512 MB of memory.
//!
//! An allocation that fails ends a process, so the child is this test binary again, and its exit status shows that every file
//! was decoded or refused.

mod archives;
#[path = "../mutations/judge.rs"]
mod judge;
mod tables;
mod workbooks;

use gsi_feeds::{all_connectors, history_connectors};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::process::Command;

/// Names the group of bombs that a child decodes.
const CHILD: &str = "TEST_BOMBS_CHILD";
/// Of a child's data: everything that it allocates.
const MAX_MEMORY: u64 = 512 << 20;

/// A file that is made when its turn comes.
struct Bomb {
    name: &'static str,
    /// The feed whose format it has; otherwise every decoder gets it.
    feed: Option<&'static str>,
    make: fn() -> Vec<u8>,
}

const fn bomb(name: &'static str, make: fn() -> Vec<u8>) -> Bomb {
    Bomb { name, feed: None, make }
}

const fn bomb_of(feed: &'static str, name: &'static str, make: fn() -> Vec<u8>) -> Bomb {
    Bomb { name, feed: Some(feed), make }
}

fn bombs(group: &str) -> &'static [Bomb] {
    match group {
        "archives" => archives::BOMBS,
        "documents" => tables::DOCUMENTS,
        "tables" => tables::TABLES,
        "xls" => workbooks::XLS,
        "xlsx" => workbooks::XLSX,
        _ => panic!("no group {group}"),
    }
}

/// A payload's name that the feed's decoder accepts.
fn payload_name(feed: &str) -> &'static str {
    match feed {
        "gdelt" => "20250820163000.export.CSV",
        "gdelt_daily" => "20260110.export.CSV",
        "gdelt_doc" => "market_negativity.recent.json",
        "portwatch" => "recent-0.json",
        "ucdp" => "GEDEvent_v26_0_8.csv",
        "ucdp_api" => "26.0.8.json",
        _ => "2026-11-13.json",
    }
}

/// Decodes a group of bombs in a child process.
fn survive(group: &str) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, group)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&child.stdout);
    let last = printed.lines().rev().take(5).collect::<Vec<_>>().join("\n");
    let error = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{group}: {}\n{last}\n{error}", child.status);
    assert!(printed.contains("1 passed"), "{group}: the child ran no test\n{printed}");
}

/// Does nothing unless it runs in a child process.
#[test]
fn child() {
    let Ok(group) = std::env::var(CHILD) else { return };
    let limit = Rlimit { current: Some(MAX_MEMORY), maximum: Some(MAX_MEMORY) };
    setrlimit(Resource::Data, limit).unwrap();
    let mut too_much = Vec::<u8>::new();
    assert!(too_much.try_reserve_exact(MAX_MEMORY as usize).is_err(), "the limit has no effect");
    let connectors = [all_connectors(), history_connectors()].concat();
    for bomb in bombs(&group) {
        let bytes = (bomb.make)();
        for connector in &connectors {
            let feed = connector.origin().feed;
            if bomb.feed.is_none_or(|only| only == feed) {
                println!("{feed}: {}", bomb.name);
                judge::check(connector, payload_name(feed), &bytes, bomb.name);
            }
        }
    }
}

#[test]
fn archives_are_contained() {
    survive("archives");
}

#[test]
fn documents_are_contained() {
    survive("documents");
}

#[test]
fn tables_are_contained() {
    survive("tables");
}

#[test]
fn binary_workbooks_are_contained() {
    survive("xls");
}

#[test]
fn workbooks_of_xml_are_contained() {
    survive("xlsx");
}
