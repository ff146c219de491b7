//! `gsi-lab compare`: compares two stores tick by tick: scores, bands and alarms.

use crate::cli;
use anyhow::{Context, bail};
use gsi::{ConfigError, check_span, result_line};
use gsi_model::{Band, Pillar, Snapshot, Timestamp};
use gsi_store::Store;
use serde::Serialize;
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

/// The lowest band that counts as an alarm.
const ALARMING: Band = Band::Elevated;

#[derive(Debug, Serialize)]
struct Comparison {
    from: Timestamp,
    to: Timestamp,
    ticks: u64,
    only_in_first: u64,
    only_in_second: u64,
    /// The methods of each store, in the order of their first ticks.
    methods: [Vec<String>; 2],
    same_score: u64,
    same_band: u64,
    /// The composite and then the pillars.
    subjects: Vec<SubjectDifference>,
    alarms: [Alarms; 2],
}

#[derive(Debug, Default, Serialize)]
struct SubjectDifference {
    subject: String,
    mean: f64,
    mean_absolute: f64,
    largest: f64,
    largest_at: Option<Timestamp>,
}

/// The spans with an alarming band of the composite.
#[derive(Debug, Default, Clone, Serialize)]
struct Alarms {
    share_of_ticks: f64,
    begun: Vec<Timestamp>,
}

pub fn run(arguments: &cli::Compare) -> anyhow::Result<ExitCode> {
    let open = |url: &str| -> anyhow::Result<Arc<dyn Store>> {
        if let Some(path) = url.strip_prefix("sqlite:")
            && !std::path::Path::new(path).exists()
        {
            bail!(ConfigError::Invalid(format!("there is no store {path}")));
        }
        gsi_store::open(url).with_context(|| format!("cannot open {url}"))
    };
    check_span(arguments.from, arguments.to)?;
    let (first, second) = (open(&arguments.first)?, open(&arguments.second)?);
    let from = arguments.from.unwrap_or(Timestamp::MIN);
    let to = arguments.to.unwrap_or(Timestamp::MAX.minus(1));
    let comparison = compare(&*first, &*second, from, to)?;
    if arguments.json {
        result_line!("{}", serde_json::to_string_pretty(&comparison)?);
    } else {
        print(&comparison);
    }
    Ok(ExitCode::SUCCESS)
}

fn compare(
    first: &dyn Store,
    second: &dyn Store,
    from: Timestamp,
    to: Timestamp,
) -> anyhow::Result<Comparison> {
    let ticks = |store: &dyn Store| -> anyhow::Result<BTreeSet<Timestamp>> {
        Ok(store.history(None, from, to.plus(1))?.into_iter().map(|p| p.tick).collect())
    };
    let (ours, theirs) = (ticks(first)?, ticks(second)?);
    let common: Vec<Timestamp> = ours.intersection(&theirs).copied().collect();
    let (Some(begin), Some(end)) = (common.first(), common.last()) else {
        bail!("the two stores have no published tick in common in this span");
    };
    let mut comparison = Comparison {
        from: *begin,
        to: *end,
        ticks: common.len() as u64,
        only_in_first: ours.difference(&theirs).count() as u64,
        only_in_second: theirs.difference(&ours).count() as u64,
        methods: Default::default(),
        same_score: 0,
        same_band: 0,
        subjects: subjects(),
        alarms: Default::default(),
    };
    let mut was_alarming = [false; 2];
    let mut alarming = [0u64; 2];
    for tick in &common {
        let at = |store: &dyn Store| -> anyhow::Result<Snapshot> {
            let published = store.published_at(*tick)?.filter(|p| p.snapshot.tick == *tick);
            Ok(published.with_context(|| format!("cannot read the snapshot of {tick}"))?.snapshot)
        };
        let pair = [at(first)?, at(second)?];
        comparison.same_score += u64::from(pair[0].score == pair[1].score);
        comparison.same_band += u64::from(pair[0].band == pair[1].band);
        for (i, snapshot) in pair.iter().enumerate() {
            let method = format!("{} {:.12}", snapshot.method_version, snapshot.method_digest);
            if !comparison.methods[i].contains(&method) {
                comparison.methods[i].push(method);
            }
            let is_alarming = snapshot.band >= ALARMING;
            alarming[i] += u64::from(is_alarming);
            if is_alarming && !was_alarming[i] {
                comparison.alarms[i].begun.push(*tick);
            }
            was_alarming[i] = is_alarming;
        }
        note(&mut comparison.subjects, *tick, &pair);
    }
    for subject in &mut comparison.subjects {
        subject.mean /= common.len() as f64;
        subject.mean_absolute /= common.len() as f64;
    }
    for (alarms, n) in comparison.alarms.iter_mut().zip(alarming) {
        alarms.share_of_ticks = n as f64 / common.len() as f64;
    }
    Ok(comparison)
}

fn subjects() -> Vec<SubjectDifference> {
    let names = std::iter::once("composite").chain(Pillar::ALL.iter().map(|p| p.key()));
    names.map(|name| SubjectDifference { subject: name.to_owned(), ..SubjectDifference::default() }).collect()
}

fn note(subjects: &mut [SubjectDifference], tick: Timestamp, [a, b]: &[Snapshot; 2]) {
    let of = |snapshot: &Snapshot| -> Vec<Option<f64>> {
        let pillars = Pillar::ALL.into_iter().map(|p| snapshot.pillar(p).map(|p| p.score));
        std::iter::once(Some(snapshot.score)).chain(pillars).collect()
    };
    for (subject, pair) in subjects.iter_mut().zip(of(a).into_iter().zip(of(b))) {
        let (Some(ours), Some(theirs)) = pair else { continue };
        let difference = theirs - ours;
        subject.mean += difference;
        subject.mean_absolute += difference.abs();
        if difference.abs() > subject.largest.abs() {
            (subject.largest, subject.largest_at) = (difference, Some(tick));
        }
    }
}

fn print(c: &Comparison) {
    result_line!("{} ticks in common, {} to {}", c.ticks, c.from, c.to);
    result_line!("only in the first {}, only in the second {}", c.only_in_first, c.only_in_second);
    for (i, which) in ["first", "second"].into_iter().enumerate() {
        let alarms = &c.alarms[i];
        result_line!(
            "{which}: method {}; elevated or worse on {:.1} % of ticks, begun {} times",
            c.methods[i].join(", "),
            100.0 * alarms.share_of_ticks,
            alarms.begun.len()
        );
    }
    result_line!("same score at {} ticks, same band at {}", c.same_score, c.same_band);
    result_line!("second minus first    mean   mean absolute   largest");
    for s in &c.subjects {
        let at = s.largest_at.map_or(String::new(), |t| format!(" at {t}"));
        result_line!("{:<18}{:>8.2}{:>16.2}{:>10.2}{at}", s.subject, s.mean, s.mean_absolute, s.largest);
    }
}
