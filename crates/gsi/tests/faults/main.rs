//! Every fault of the simulated publishers against every default connector, through the real fetcher, pipeline and
//! store.
//!
//! One undisturbed run gives the expected data. Then the same ticks are done with publishers that suffer faults
//! for two days; the faults end, and two days later the store must equal that of the undisturbed run.
//! `docs/feeds-faults.md` is the table of what was seen and fails the run when it is stale; `TEST_BLESS=1` writes it again.

mod stage;
mod table;

use gsi_sim::Fault;
use stage::{Feed, Stage};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Cell, Cells, Outcome};

const SIDE_BY_SIDE: usize = 6;

/// What a feed's status may show while its publisher has this fault. The first list has refusal codes; the second
/// lists the outcomes without a refusal that are right as well.
fn allowed(fault: Fault) -> (&'static [&'static str], &'static [Outcome]) {
    use Outcome::{Aged, Early, Unharmed};
    match fault {
        Fault::NotFound => (&["status_404"], &[Aged]),
        Fault::Wall => (&["status_403"], &[]),
        Fault::ServerError => (&["status_5xx"], &[]),
        // "Unchanged" has no body that could be slow, and the largest feed is given longer than the run waits.
        Fault::Slow(_) => (&["timeout"], &[Aged]),
        Fault::Truncated => (&["short_body"], &[]),
        Fault::WrongMd5 => (&["md5"], &[Unharmed]),
        Fault::Garbage => {
            (&["garbage", "schema", "bad_json", "bad_workbook", "manifest", "empty", "no_valid_rows"], &[])
        }
        // The list of older news files still names the sizes and checksums they had.
        Fault::Duplicate | Fault::OutOfOrder => {
            (&["count", "shrink", "schema", "md5", "short_body"], &[Unharmed])
        }
        Fault::ClockAhead => (&["clock"], &[Unharmed, Early]),
        Fault::SchemaChange => {
            (&["schema", "bad_workbook", "no_valid_rows", "md5", "short_body"], &[Unharmed])
        }
        // A file that would not have changed in the meantime is not missed.
        // One that is asked for by its date or span is, and that is said.
        Fault::Frozen => (&["empty", "status_404"], &[Aged, Unharmed]),
        Fault::EmptySuccess => {
            (&["empty", "no_valid_rows", "shrink", "schema", "manifest", "bad_workbook", "count"], &[Aged])
        }
        Fault::ZipBomb => (&["zip_bomb", "too_large", "md5", "short_body"], &[]),
        Fault::PrivateRedirect => (&["redirect", "address"], &[]),
    }
}

#[test]
fn every_fault_meets_every_connector() {
    let stage = Stage::set();
    let feeds = stage.feeds();
    let plans = plans(&feeds);
    let (truth, runs) = run_all(&stage, &plans);
    let mut cells = Cells::new();
    let mut wrong = Vec::new();
    for (plan, run) in plans.iter().zip(&runs) {
        for feed in &feeds {
            let (is, ought) = (&run[*feed], &truth[*feed]);
            let Some(fault) = plan.get(feed).copied() else {
                // With slow publishers there are fewer polls, so only the end can be compared.
                let slow = plan.values().any(|f| matches!(f, Fault::Slow(_)));
                for (a, b) in
                    [(&ought.during, &is.during), (&ought.after, &is.after)].iter().skip(usize::from(slow))
                {
                    if a != b {
                        wrong
                            .push(format!("{feed} is well and its data differ: {}", stage::difference(a, b)));
                    }
                }
                continue;
            };
            let cell = judge(fault, is, ought);
            let (codes, copes) = allowed(fault);
            let strange = cell.codes.iter().any(|c| !codes.contains(&c.as_str()));
            let said = cell.outcome == Outcome::Refused || copes.contains(&cell.outcome);
            // A fault that leaves no trace did not happen.
            let repeated = fault != Fault::Duplicate || cell.duplicates;
            if strange || !said || !repeated {
                wrong.push(format!("{fault} × {feed}: {cell:?}"));
            }
            if is.after != ought.after {
                let change = stage::difference(&ought.after, &is.after);
                wrong.push(format!("{fault} × {feed}: not complete afterwards: {change}"));
            }
            cells.insert((fault.name(), feed), cell);
        }
    }
    assert_eq!(cells.len(), feeds.len() * Fault::ALL.len());
    assert!(wrong.is_empty(), "{} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
    table::compare(&feeds, &cells);
}

type Run = BTreeMap<String, Feed>;

/// The undisturbed run and those of the plans. They wait more than they compute, so several go side by side.
fn run_all(stage: &Stage, plans: &[BTreeMap<&str, Fault>]) -> (Run, Vec<Run>) {
    let undisturbed = BTreeMap::new();
    let all: Vec<_> = std::iter::once(&undisturbed).chain(plans).collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Run>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(plan) = all.get(n) else { return };
                    let run = stage.run(&format!("run-{n}"), plan);
                    done.lock().unwrap().insert(n, run);
                }
            });
        }
    });
    let mut runs = done.into_inner().unwrap().into_values();
    (runs.next().unwrap(), runs.collect())
}

/// Who suffers what in each run, so that every feed meets every fault once. In all runs but the slow ones the feeds
/// suffer different faults at the same time, and two of them are well.
fn plans<'a>(feeds: &[&'a str]) -> Vec<BTreeMap<&'a str, Fault>> {
    let (slow, quick): (Vec<Fault>, Vec<Fault>) =
        Fault::ALL.into_iter().partition(|f| matches!(f, Fault::Slow(_)));
    // Slow answers are waited for, so those are suffered together, by one half of the feeds and by the other, and first.
    let mut plans: Vec<BTreeMap<&str, Fault>> = (0..2)
        .map(|half| feeds.iter().skip(half).step_by(2).map(|feed| (*feed, slow[0])).collect())
        .collect();
    let turns = quick.len() + 2;
    for turn in 0..turns {
        let fault = |n: usize| quick.get((n + turn) % turns).copied();
        plans.push(feeds.iter().enumerate().filter_map(|(n, feed)| Some((*feed, fault(n)?))).collect());
    }
    plans
}

/// What became of one feed under one fault, from what it said and what it stored.
fn judge(fault: Fault, is: &Feed, ought: &Feed) -> Cell {
    let foreign: Vec<_> = is.during.difference(&ought.during).collect();
    let outcome = match () {
        () if !foreign.is_empty() && fault == Fault::ClockAhead => Outcome::Early,
        () if !foreign.is_empty() => Outcome::Wrong(format!("{} × {:.160}", foreign.len(), foreign[0])),
        () if !is.codes.is_empty() => Outcome::Refused,
        () if is.during == ought.during => Outcome::Unharmed,
        () if is.newest < ought.newest => Outcome::Aged,
        () => Outcome::Silent,
    };
    Cell {
        outcome,
        codes: is.codes.clone(),
        duplicates: is.duplicates > ought.duplicates,
        rejects: is.rejected > ought.rejected,
    }
}
