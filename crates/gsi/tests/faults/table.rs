//! The matrix as a page of the documentation.

use crate::allowed;
use gsi_sim::Fault;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The feed's standing names a refusal, and nothing foreign was stored.
    Refused,
    /// The fault made no difference to what was stored.
    Unharmed,
    /// Nothing came, and the feed's newest content grows old, which its freshness shows.
    Aged,
    /// True values came before their time, and none is about a period that has not begun.
    Early,
    /// Something was stored that the publisher never meant.
    Wrong(String),
    /// Data is missing and nothing reports it.
    Silent,
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub outcome: Outcome,
    pub codes: BTreeSet<String>,
    pub duplicates: bool,
    pub rejects: bool,
}

/// By name of fault and feed.
pub type Cells = BTreeMap<(&'static str, &'static str), Cell>;

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
`TEST_BLESS=1 cargo test -p gsi --test faults` and checked by `cargo test -p gsi --test faults`.

Publishers suffer their faults for two days, different ones at the same time, and some are well; then the faults end. In
every cell of the table: each tick is done, feeds that are well bring exactly what they bring in an undisturbed run,
nothing wrong is stored, and two days after the faults end the store holds exactly the rows of the undisturbed run.

A cell shows the feed's status (`GET /v1/feeds`) meanwhile:
- a `code`: payloads are refused for that reason ([codes](../crates/gsi-model/src/feeds/refusal.rs)); what was there before stays;
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

/// The page: what each fault is, then one row per feed and one column per fault.
fn page(feeds: &[&str], cells: &Cells) -> String {
    let names: Vec<_> = Fault::ALL.iter().map(|fault| fault.name()).collect();
    let meaning = |name: &&str| {
        let (_, meaning) = FAULTS.iter().find(|(known, _)| known == name).expect("every fault is explained");
        format!("- *{name}*: {meaning}\n")
    };
    let meanings: String = names.iter().map(meaning).collect();
    let rows = feeds.iter().map(|feed| {
        let cells: Vec<_> = names.iter().map(|name| cells[&(*name, *feed)].text()).collect();
        format!("| {feed} | {} |\n", cells.join(" | "))
    });
    let (titles, rule) = (names.join(" | "), "---|".repeat(names.len() + 1));
    format!("{HEAD}\nThe faults:\n{meanings}\n| feed | {titles} |\n|{rule}\n{}", rows.collect::<String>())
}

/// The page must say what was seen; `TEST_BLESS=1` writes it.
pub fn compare(feeds: &[&str], cells: &Cells) {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/feeds-faults.md");
    let seen = page(feeds, cells);
    if std::env::var_os("TEST_BLESS").is_some() {
        std::fs::write(PATH, seen).unwrap();
        return;
    }
    let wrong = differences(&std::fs::read_to_string(PATH).unwrap(), &seen);
    assert!(wrong.is_empty(), "docs/feeds-faults.md is not what was seen:\n{}", wrong.join("\n"));
}

fn differences(page: &str, seen: &str) -> Vec<String> {
    if page.lines().count() != seen.lines().count() {
        return vec![format!("{} lines instead of {}", page.lines().count(), seen.lines().count())];
    }
    page.lines().zip(seen.lines()).flat_map(|(line, want)| differences_in_line(line, want)).collect()
}

/// Cell by cell where the line is a row of the matrix.
fn differences_in_line(line: &str, want: &str) -> Vec<String> {
    let (cells, wanted): (Vec<_>, Vec<_>) = (line.split(" | ").collect(), want.split(" | ").collect());
    if line == want {
        return Vec::new();
    }
    let feed = wanted[0].trim_start_matches("| ");
    if cells.len() != Fault::ALL.len() + 1 || wanted.len() != cells.len() || cells[0] != wanted[0] {
        return vec![format!("{line}\n  seen: {want}")];
    }
    let of_fault = Fault::ALL.into_iter().zip(cells.iter().zip(&wanted).skip(1));
    let wrong = of_fault.filter(|(fault, (is, want))| is != want && !is_as_right(is, *fault, feed));
    wrong.map(|(fault, (is, want))| format!("{feed}, {}: {is}\n  seen: {want}", fault.name())).collect()
}

/// How many files of the news are reached within a poll, and whether an answer beats a time limit, depends on the speed of
/// the machine. There the page may name another of the right outcomes.
fn is_as_right(text: &str, fault: Fault, feed: &str) -> bool {
    if feed != "gdelt" && !matches!(fault, Fault::Slow(_)) {
        return false;
    }
    let (codes, copes) = allowed(fault);
    let text = text.trim_end_matches(" |").split(", ").next().unwrap_or_default();
    let quiet = |outcome: &Outcome| {
        let codes = BTreeSet::new();
        Cell { outcome: outcome.clone(), codes, duplicates: false, rejects: false }.text()
    };
    copes.iter().any(|outcome| quiet(outcome) == text)
        || text.split(' ').all(|code| codes.iter().any(|known| code == format!("`{known}`")))
}

#[test]
fn a_stale_page_is_noticed() {
    let feeds = ["gdelt", "ofr"];
    let cell = |code: &str| Cell {
        outcome: Outcome::Refused,
        codes: BTreeSet::from([code.to_owned()]),
        duplicates: false,
        rejects: false,
    };
    let cells =
        Fault::ALL.iter().flat_map(|f| feeds.map(|feed| ((f.name(), feed), cell("schema")))).collect();
    let seen = page(&feeds, &cells);
    // The cell of the fault `duplicate` in the row of a feed.
    let column = Fault::ALL.iter().position(|fault| fault.name() == "duplicate").unwrap() + 1;
    let with_cell = |feed: &str, text: &str| {
        let row = seen.lines().find(|line| line.starts_with(&format!("| {feed} |"))).unwrap();
        let mut cells: Vec<_> = row.split(" | ").collect();
        cells[column] = text;
        seen.replace(row, &cells.join(" | "))
    };
    let check = |page: &str, want: usize| assert_eq!(differences(page, &seen).len(), want, "{page}");
    check(&seen, 0);
    check(&seen.replace("every row or entry twice", "every row thrice"), 1);
    check(&seen.replace("| ofr |", "| oil |"), 1);
    check(seen.trim_end().rsplit_once('\n').unwrap().0, 1);
    check(&with_cell("ofr", "`md5`"), 1);
    check(&with_cell("gdelt", "`md5` `short_body`, duplicates counted"), 0);
    check(&with_cell("gdelt", "unharmed"), 0);
    check(&with_cell("gdelt", "`redirect`"), 1);
    check(&with_cell("gdelt", "ages"), 1);
}
