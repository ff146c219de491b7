//! `gsi briefing`: what was published, and how something wrong in it is put right. A correction is asked for here and
//! published by whoever does the next tick, in this process's absence.

use crate::cli::{Because, BriefingCommand};
use crate::config::Config;
use crate::results::{notice, result_line, write_table};
use anyhow::{Context, bail};
use gsi_model::{
    Briefing, BriefingId, Clock, Correction, CorrectionReason, DAY, Day, SystemClock, Timestamp,
};
use gsi_store::{BriefingQuery, PrunableKind, Store};
use serde_json::json;
use std::process::ExitCode;

const SHOWN: usize = 100;
/// A day is written up two weeks late at the most, which leaves a day for the clock.
const LATEST_FIRST_EDITION_SECONDS: i64 = 15 * DAY;
/// Ten briefings to each of those days, and as many again for corrections.
const MOST_OF_A_DAY: usize = 400;
/// A score is never published twice, so revised and late data show in the newest snapshot only. What that says of a day
/// longer ago than this would correct nothing.
const DATA_REACH_DAYS: i32 = 7;

pub fn run(config: &Config, command: BriefingCommand) -> anyhow::Result<ExitCode> {
    let store = crate::running::existing_store(config)?;
    match command {
        BriefingCommand::List { day, json } => {
            let found = match day {
                None => newest(&*store)?,
                Some(day) => of_day(&*store, day)?,
            };
            list(&*store, &found, json)?;
        }
        BriefingCommand::Correct { id, because } => correct(&*store, &id, reason(because))?,
    }
    Ok(ExitCode::SUCCESS)
}

const fn reason(because: Because) -> CorrectionReason {
    match because {
        Because::WrongText => CorrectionReason::WrongText,
        Because::RevisedData => CorrectionReason::RevisedData,
        Because::LateData => CorrectionReason::LateData,
    }
}

fn correct(store: &dyn Store, id: &str, because: CorrectionReason) -> anyhow::Result<()> {
    let unknown = || format!("there is no briefing {id:?}; `gsi briefing list` shows them");
    let id = BriefingId::parse(id).ok().with_context(unknown)?;
    let wrong = store.briefing(&id, Timestamp::MAX)?.with_context(unknown)?;
    refuse_second(store, &id)?;
    let newest = store.published_at(Timestamp::MAX)?.map_or(wrong.day, |p| p.snapshot.tick.day().0);
    if because != CorrectionReason::WrongText && newest - wrong.day > DATA_REACH_DAYS {
        bail!(
            "{id} speaks of {}, more than {DATA_REACH_DAYS} days ago: what is known of the data now is of now, and \
             would correct nothing about that day",
            wrong.day()
        );
    }
    gsi_store::refuse_pruned(store, &[PrunableKind::EventVersions], wrong.as_of)
        .context("what it was written from is gone")?;
    if !store.ask_correction(&id, because, SystemClock.now())? {
        // Somebody else was faster.
        refuse_second(store, &id)?;
        bail!("a correction of {id} was asked for before");
    }
    notice!("asked: the next tick publishes a correction of {id} ({}, {})", wrong.subject, wrong.day());
    Ok(())
}

/// A briefing is corrected once; what is wrong after that is wrong in the correction.
fn refuse_second(store: &dyn Store, id: &BriefingId) -> anyhow::Result<()> {
    match store.correction(id, Timestamp::MAX)? {
        None => Ok(()),
        Some(Correction { done: None, because, asked_at, .. }) => bail!(
            "a correction of {id} was asked for at {asked_at} ({}) and waits for the next tick",
            because.key()
        ),
        Some(Correction { done: Some(done), .. }) => {
            let newest = newest_edition(store, done.by)?;
            bail!("{id} was corrected; ask about {newest}, the newest edition, if that is wrong too")
        }
    }
}

fn newest_edition(store: &dyn Store, mut id: BriefingId) -> anyhow::Result<BriefingId> {
    while let Some(done) = store.correction(&id, Timestamp::MAX)?.and_then(|c| c.done) {
        id = done.by;
    }
    Ok(id)
}

fn newest(store: &dyn Store) -> anyhow::Result<Vec<Briefing>> {
    Ok(published(store, Timestamp::MIN, Timestamp::MAX, SHOWN)?)
}

fn published(
    store: &dyn Store,
    since: Timestamp,
    until: Timestamp,
    limit: usize,
) -> gsi_store::Result<Vec<Briefing>> {
    let as_of = Timestamp::MAX;
    store.briefings(&BriefingQuery { as_of, since, until, tags: Vec::new(), after: None, limit })
}

/// The first editions lie near their day; corrections may come years later and are found from there.
fn of_day(store: &dyn Store, day: Day) -> anyhow::Result<Vec<Briefing>> {
    let end = day.end();
    let mut found = published(store, end, end.plus(LATEST_FIRST_EDITION_SECONDS), MOST_OF_A_DAY)?;
    found.retain(|b| b.day() == day && b.corrects.is_none());
    let mut n = 0;
    while let Some(briefing) = found.get(n) {
        let next = store.correction(&briefing.id, Timestamp::MAX)?.and_then(|c| c.done);
        if let Some(done) = next {
            found.extend(store.briefing(&done.by, Timestamp::MAX)?);
        }
        n += 1;
    }
    found.sort_by(|a, b| b.published_at.cmp(&a.published_at).then(a.id.cmp(&b.id)));
    Ok(found)
}

fn list(store: &dyn Store, briefings: &[Briefing], as_json: bool) -> anyhow::Result<()> {
    let mut rows = Vec::with_capacity(briefings.len());
    for briefing in briefings {
        rows.push((briefing, store.correction(&briefing.id, Timestamp::MAX)?));
    }
    if as_json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(b, correction)| {
                let waiting = correction.as_ref().filter(|c| c.done.is_none());
                json!({
                    "id": b.id, "day": b.day().to_string(), "subject": b.subject, "headline": b.headline,
                    "published_at": b.published_at, "corrects": b.corrects,
                    "corrected_by": correction.as_ref().and_then(|c| c.done.as_ref()).map(|d| &d.by),
                    "correction_asked": waiting
                        .map(|c| json!({ "because": c.because.key(), "asked_at": c.asked_at })),
                })
            })
            .collect();
        result_line!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let rows = rows.into_iter().map(|(b, correction)| {
        let state = match correction {
            None => "stands".to_owned(),
            Some(Correction { done: Some(done), .. }) => format!("corrected by {}", done.by),
            Some(Correction { because, .. }) => format!("correction asked for ({})", because.key()),
        };
        let (id, day, published) = (b.id.to_string(), b.day().to_string(), b.published_at.to_string());
        [id, day, b.subject.to_string(), published, state, b.headline.clone()]
    });
    let header = ["ID", "DAY", "SUBJECT", "PUBLISHED", "STATE", "HEADLINE"];
    write_table(header, &rows.collect::<Vec<_>>());
    Ok(())
}
