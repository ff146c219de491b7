//! The dependencies between the crates of the workspace, as ARCHITECTURE.md draws them.

use super::Finding;
use cargo_metadata::{DependencyKind, Package};
use std::collections::BTreeSet;

/// A crate and the workspace's crates that it may use outside its tests. A new crate needs a row.
struct Arrows {
    from: &'static str,
    to: &'static [&'static str],
}

const ARROWS: &[Arrows] = &[
    // The nouns.
    Arrows { from: "gsi-model", to: &[] },
    // One crate for each step of the data. Steps do not know each other.
    Arrows { from: "gsi-feeds", to: &["gsi-model"] },
    Arrows { from: "gsi-events", to: &["gsi-model"] },
    Arrows { from: "gsi-index", to: &["gsi-model"] },
    Arrows { from: "gsi-alerts", to: &["gsi-model"] },
    Arrows { from: "gsi-narrate", to: &["gsi-model"] },
    Arrows { from: "gsi-store", to: &["gsi-model"] },
    Arrows {
        from: "gsi-pipeline",
        to: &["gsi-model", "gsi-feeds", "gsi-events", "gsi-index", "gsi-alerts", "gsi-narrate", "gsi-store"],
    },
    // The interface reads what is stored. It computes nothing.
    Arrows { from: "gsi-api", to: &["gsi-model", "gsi-store"] },
    // Publishers that speak the real feeds' formats, so they share no code with the feeds.
    Arrows { from: "gsi-sim", to: &["gsi-model"] },
    // The programs.
    Arrows {
        from: "gsi",
        to: &[
            "gsi-model",
            "gsi-feeds",
            "gsi-index",
            "gsi-alerts",
            "gsi-store",
            "gsi-pipeline",
            "gsi-api",
            "gsi-sim",
        ],
    },
    Arrows {
        from: "gsi-lab",
        to: &[
            "gsi",
            "gsi-model",
            "gsi-feeds",
            "gsi-events",
            "gsi-index",
            "gsi-narrate",
            "gsi-store",
            "gsi-pipeline",
            "gsi-sim",
        ],
    },
    // Tools and tests.
    Arrows { from: "xtask", to: &[] },
    Arrows { from: "drills", to: &["gsi-model", "gsi-sim", "gsi-store"] },
];

/// Crates that compute from values and a time alone: they log nothing and have no way to a clock, a socket, a file or a source
/// of randomness. The lints in `clippy.toml` hold what the standard library offers of these.
const PURE: &[&str] = &["gsi-model", "gsi-events", "gsi-index", "gsi-alerts", "gsi-narrate"];
const IMPURE: &[&str] =
    &["getrandom", "hyper", "postgres", "rand", "reqwest", "rusqlite", "tokio", "tokio-postgres", "tracing"];

pub fn check(packages: &[Package]) -> Vec<Finding> {
    let workspace: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for row in ARROWS.iter().filter(|row| !workspace.contains(row.from)) {
        findings.push(format!("`ARROWS` has a row for {}, which is not in the workspace", row.from));
    }
    for package in packages {
        let name = package.name.as_str();
        let Some(row) = ARROWS.iter().find(|row| row.from == name) else {
            findings.push(format!("{name} has no row in `ARROWS`"));
            continue;
        };
        for dependency in &package.dependencies {
            if dependency.kind == DependencyKind::Development {
                continue;
            }
            let used = dependency.name.as_str();
            if workspace.contains(used) && !row.to.contains(&used) {
                findings.push(format!("{name} depends on {used}, which `ARROWS` does not allow"));
            }
            if PURE.contains(&name) && IMPURE.contains(&used) {
                findings.push(format!("{name} is pure, so it cannot depend on {used}"));
            }
        }
    }
    findings
}
