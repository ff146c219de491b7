//! `gsi briefing`: lists published briefings and requests corrections. The service publishes a correction with its next tick.

use crate::cli::{Because, BriefingCommand};
use crate::config::Config;
use crate::output::write_table;
use crate::setup;
use crate::{notice, result_line};
use anyhow::{Context, bail};
use gsi_model::{
    Briefing, BriefingId, Clock, Correction, CorrectionReason, DAY, Day, SystemClock, Timestamp,
};
use gsi_store::{BriefingQuery, PrunableKind, Store};
use serde_json::json;
use std::process::ExitCode;

const SHOWN: usize = 100;
/// A day's first briefings appear at most two weeks late. The extra day allows for wrong clocks.
const LATEST_FIRST_EDITION_SECONDS: i64 = 15 * DAY;
/// At most ten briefings for each of those days, and the same number of corrections, with room to spare.
const MOST_OF_A_DAY: usize = 400;
/// A score is published once, so only the newest snapshot shows revised and late data. It describes no day that is older than this.
const DATA_REACH_DAYS: i32 = 7;

pub fn run(config: &Config, command: BriefingCommand) -> anyhow::Result<ExitCode> {
    let store = setup::existing_store(config)?;
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
            "{id} describes {}, more than {DATA_REACH_DAYS} days ago: today's data would correct nothing about that day",
            wrong.day()
        );
    }
    gsi_store::refuse_pruned(store, &[PrunableKind::EventVersions], wrong.as_of)
        .context("the data behind it was pruned")?;
    if !store.ask_correction(&id, because, SystemClock.now())? {
        // Another process was faster.
        refuse_second(store, &id)?;
        bail!("a correction of {id} was already requested");
    }
    notice!("requested: the next tick publishes a correction of {id} ({}, {})", wrong.subject, wrong.day());
    Ok(())
}

/// A briefing is corrected once. A further mistake is in the correction, which can be corrected itself.
fn refuse_second(store: &dyn Store, id: &BriefingId) -> anyhow::Result<()> {
    match store.correction(id, Timestamp::MAX)? {
        None => Ok(()),
        Some(Correction { done: None, because, asked_at, .. }) => bail!(
            "a correction of {id} was requested at {asked_at} ({}) and waits for the next tick",
            because.key()
        ),
        Some(Correction { done: Some(done), .. }) => {
            let newest = newest_edition(store, done.by)?;
            bail!("{id} was already corrected; if the newest edition is wrong too, correct {newest}")
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

/// First editions are published soon after their day. Corrections may come years later, and are found from the first editions.
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
            None => "current".to_owned(),
            Some(Correction { done: Some(done), .. }) => format!("corrected by {}", done.by),
            Some(Correction { because, .. }) => format!("correction requested ({})", because.key()),
        };
        let (id, day, published) = (b.id.to_string(), b.day().to_string(), b.published_at.to_string());
        [id, day, b.subject.to_string(), published, state, b.headline.clone()]
    });
    let header = ["ID", "DAY", "SUBJECT", "PUBLISHED", "STATE", "HEADLINE"];
    write_table(header, &rows.collect::<Vec<_>>());
    Ok(())
}
