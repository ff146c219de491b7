//! The matrix as a page of the documentation.

use gsi_sim::Fault;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The feed's standing names a refusal, and nothing foreign was stored.
    Refused,
    /// The fault made no difference to what was stored.
    Unharmed,
    /// Nothing came, and the feed's newest content grows old, which its freshness shows.
    Aged,
    /// True values came before their time; none speaks of a period that has not begun.
    Early,
    /// Something was stored that the publisher never meant.
    Wrong(String),
    /// Data are missing and nothing says so.
    Silent,
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub outcome: Outcome,
    pub codes: BTreeSet<String>,
    pub duplicates: bool,
    pub rejects: bool,
}

impl Cell {
    fn text(&self) -> String {
        let mut text = match &self.outcome {
            Outcome::Refused => {
                let codes: Vec<_> = self.codes.iter().map(|c| format!("`{c}`")).collect();
                codes.join(" ")
            }
            Outcome::Unharmed => "unharmed".to_owned(),
            Outcome::Aged => "ages".to_owned(),
            Outcome::Early => "early".to_owned(),
            Outcome::Wrong(what) => format!("WRONG {what}"),
            Outcome::Silent => "SILENT".to_owned(),
        };
        if self.duplicates {
            text.push_str(", duplicates counted");
        }
        if self.rejects {
            text.push_str(", rejects counted");
        }
        text
    }
}

const HEAD: &str = "\
# Faults and feeds

Every fault of the simulated publishers against every feed that is on by default. This page is written by
`GSI_BLESS=1 cargo test -p gsi --test faults` and checked by `cargo test -p gsi --test faults`.

Publishers suffer their faults for two days, different ones at the same time, and some are well; then the faults end. In
every cell of the table: each tick is done, feeds that are well bring exactly what they bring in an undisturbed run,
nothing wrong is stored, and two days after the faults end the store holds exactly the rows of the undisturbed run.

A cell says what the feed's standing (`GET /v1/feeds`) shows meanwhile:
- a `code`: payloads are refused for that reason ([codes](../crates/gsi-feeds/src/refusal.rs)); what was there before stays;
- *unharmed*: the fault makes no difference to what is stored;
- *ages*: nothing new comes and the newest content grows old, until its budget makes the feed late, then stale;
- *early*: a publisher whose clock runs ahead publishes true values before their time.
";

const FAULTS: [(&str, &str); 15] = [
    ("not_found", "404"),
    ("wall", "403 with a web page"),
    ("server_error", "500"),
    ("slow", "the body comes in pieces, slower than any time limit"),
    ("truncated", "the connection closes in the middle of the body"),
    ("wrong_md5", "the list names checksums that the files do not have"),
    ("garbage", "random bytes, correctly wrapped"),
    ("duplicate", "every row or entry twice"),
    ("out_of_order", "rows in reverse, lists in another order"),
    ("clock_ahead", "the publisher answers as of two days from now"),
    (
        "schema_change",
        "a column more, in front; JSON one level deeper; a title above the table of a workbook",
    ),
    ("frozen", "200, with the content of the moment the fault began"),
    ("empty_success", "200, well-formed, nothing in it"),
    ("zip_bomb", "a small body that unpacks to far more than any cap"),
    ("private_redirect", "302 to an address that no feed may live at"),
];

fn page(feeds: &[&str], cells: &BTreeMap<(&str, &str), Cell>) -> String {
    let mut out = HEAD.to_owned();
    for fault in Fault::ALL {
        let meaning =
            FAULTS.iter().find(|(name, _)| *name == fault.name()).expect("every fault is explained");
        let _ =
            write!(out, "\n## {}: {}\n| feed | what its standing shows |\n|---|---|\n", meaning.0, meaning.1);
        for feed in feeds {
            let _ = writeln!(out, "| {feed} | {} |", cells[&(fault.name(), *feed)].text());
        }
    }
    out
}

/// `GSI_BLESS=1` writes the page. Which of several right codes a feed shows can depend on the speed of the machine, so
/// the cells are judged and the page is not held against them.
pub fn write(feeds: &[&str], cells: &BTreeMap<(&str, &str), Cell>) {
    if std::env::var_os("GSI_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/feeds-faults.md");
        std::fs::write(path, page(feeds, cells)).unwrap();
    }
}
