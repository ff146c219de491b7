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

/// One line of the page, and the cell it is about.
type Line<'a> = (String, Option<(Fault, &'a str)>);

fn lines<'a>(feeds: &[&'a str], cells: &Cells) -> Vec<Line<'a>> {
    let mut out: Vec<Line> = HEAD.lines().map(|line| (line.to_owned(), None)).collect();
    for fault in Fault::ALL {
        let (name, meaning) =
            FAULTS.iter().find(|(name, _)| *name == fault.name()).expect("every fault is explained");
        let title = format!("## {name}: {meaning}");
        out.extend(
            ["", &title, "| feed | what its standing shows |", "|---|---|"].map(|l| (l.to_owned(), None)),
        );
        for feed in feeds {
            let text = cells[&(*name, *feed)].text();
            out.push((format!("| {feed} | {text} |"), Some((fault, *feed))));
        }
    }
    out
}

/// The page must say what was seen; `GSI_BLESS=1` writes it.
pub fn compare(feeds: &[&str], cells: &Cells) {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/feeds-faults.md");
    let seen = lines(feeds, cells);
    if std::env::var_os("GSI_BLESS").is_some() {
        let page: String = seen.iter().map(|(line, _)| format!("{line}\n")).collect();
        std::fs::write(PATH, page).unwrap();
        return;
    }
    let wrong = differences(&std::fs::read_to_string(PATH).unwrap(), &seen);
    assert!(wrong.is_empty(), "docs/feeds-faults.md is not what was seen:\n{}", wrong.join("\n"));
}

fn differences(page: &str, seen: &[Line]) -> Vec<String> {
    let page: Vec<&str> = page.lines().collect();
    if page.len() != seen.len() {
        return vec![format!("{} lines instead of {}", page.len(), seen.len())];
    }
    let stale = page.iter().zip(seen).filter(|(line, (want, cell))| {
        *line != want && !cell.is_some_and(|(fault, feed)| is_as_right(line, fault, feed))
    });
    stale.map(|(line, (want, _))| format!("{line}\n  seen: {want}")).collect()
}

/// How many files of the news are reached within a look, and whether an answer beats a time limit, depends on the speed of
/// the machine. There the page may name another of the right outcomes.
fn is_as_right(line: &str, fault: Fault, feed: &str) -> bool {
    if feed != "gdelt" && !matches!(fault, Fault::Slow(_)) {
        return false;
    }
    let Some(text) = line.strip_prefix(&format!("| {feed} | ")).and_then(|l| l.strip_suffix(" |")) else {
        return false;
    };
    let (codes, copes) = allowed(fault);
    let text = text.split(", ").next().unwrap_or_default();
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
    let seen = lines(&feeds, &cells);
    let page: String = seen.iter().map(|(line, _)| format!("{line}\n")).collect();
    let check = |from: &str, to: &str, want: usize| {
        let (before, after) = page.split_once("## duplicate").expect("a part about that fault");
        let page = format!("{before}## duplicate{}", after.replacen(from, to, 1));
        assert_eq!(differences(&page, &seen).len(), want, "{from} -> {to}");
    };
    check("", "", 0);
    check("every row or entry twice", "every row thrice", 1);
    check("| ofr | `schema` |", "| ofr | `md5` |", 1);
    check("| ofr | `schema` |\n", "", 1);
    check("| ofr |", "| oil |", 1);
    check("| gdelt | `schema` |", "| gdelt | `md5` `short_body`, duplicates counted |", 0);
    check("| gdelt | `schema` |", "| gdelt | unharmed |", 0);
    check("| gdelt | `schema` |", "| gdelt | `redirect` |", 1);
    check("| gdelt | `schema` |", "| gdelt | ages |", 1);
    check("| gdelt | `schema` |", "| ecb | `md5` |", 1);
}
