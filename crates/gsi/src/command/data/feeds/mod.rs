//! `gsi feeds`: lists, checks, records and decodes the feeds.

mod attribution;
mod record;

use crate::cli::Feeds;
use crate::config::Config;
use crate::output::write_table;
use crate::setup;
use crate::{result_line, result_text};
use anyhow::Context;
use gsi_feeds::{Connector, Payload};
use gsi_model::{Clock, Decoded, FeedHealth, FeedState, Origin, PayloadRefusal, SystemClock, Timestamp};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

pub fn run(config: &Config, feeds: Feeds) -> anyhow::Result<ExitCode> {
    match feeds {
        Feeds::List { markdown: true, .. } => {
            result_text!("{}", attribution::list());
            Ok(ExitCode::SUCCESS)
        }
        Feeds::List { json, .. } => list(config, json),
        Feeds::Record { folder, looks } => record::run(config, &folder, looks),
        Feeds::Check { name, json } => check(config, name.as_deref(), json),
        Feeds::Decode { name, files, json } => decode(&setup::find_connector(&name)?, &files, json),
    }
}

fn list(config: &Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let active: Vec<_> = setup::active_connectors(config)?.iter().map(|c| c.origin().feed).collect();
    let all = gsi_feeds::all_connectors();
    if as_json {
        let rows: Vec<Value> = all
            .iter()
            .map(|c| {
                let o = c.origin();
                json!({
                    "feed": o.feed, "title": o.title, "publisher": o.publisher, "homepage": o.homepage,
                    "pillar": o.pillar, "on": active.contains(&o.feed), "poll_seconds": o.poll_every_seconds,
                    "warn_seconds": o.warn_after_seconds, "stale_seconds": o.stale_after_seconds,
                    "licence": o.licence.name, "republish": o.licence.republish, "attribution": o.attribution,
                    "series": c.series().iter().map(|s| s.series).collect::<Vec<_>>(),
                })
            })
            .collect();
        result_line!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(ExitCode::SUCCESS);
    }
    let rows = all.iter().map(|c| {
        let o = c.origin();
        let on = if active.contains(&o.feed) { "on" } else { "off" };
        let pillar = o.pillar.map_or("-", |p| p.key());
        [o.feed, on, pillar, &span(o.poll_every_seconds), o.licence.name, o.title].map(str::to_owned)
    });
    write_table(["FEED", "ON", "PILLAR", "EVERY", "LICENCE", "TITLE"], &rows.collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

fn span(seconds: i64) -> String {
    match seconds {
        s if s % 86_400 == 0 => format!("{} d", s / 86_400),
        s if s % 3_600 == 0 => format!("{} h", s / 3_600),
        s => format!("{} min", s / 60),
    }
}

/// Polls each publisher as a tick does, and reports the health of its feed. Stores nothing.
fn check(config: &Config, name: Option<&str>, as_json: bool) -> anyhow::Result<ExitCode> {
    let connectors = match name {
        Some(name) => vec![setup::find_connector(name)?],
        None => setup::active_connectors(config)?,
    };
    let fetcher = setup::fetcher(config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let now = SystemClock.now();
    let (mut rows, mut failed) = (Vec::new(), false);
    for connector in connectors {
        let origin = connector.origin();
        let poll = runtime.block_on(connector.poll(&fetcher, now, ""));
        let mut state = FeedState { feed: origin.feed.into(), ..FeedState::default() };
        gsi_pipeline::record_poll(&mut state, &poll, now, true);
        let health = state.health(origin, now);
        let is_bad = health != FeedHealth::Ok || !poll.refusals.is_empty();
        failed |= is_bad;
        if as_json {
            rows.push(json!({
                "feed": origin.feed, "health": health, "seen": state.seen, "accepted": state.accepted,
                "rejected": state.rejected, "duplicates": state.duplicates, "newest": state.newest_content,
                "refusals": poll.refusals, "why": why(&state, origin, health, now),
            }));
        } else {
            let newest = state.newest_content.map_or("nothing".into(), |t| t.to_string());
            result_line!(
                "{:<14}{:<7}{} accepted of {} seen, newest {newest}",
                origin.feed,
                if is_bad { "BAD" } else { "ok" },
                state.accepted,
                state.seen
            );
            for refusal in &poll.refusals {
                result_line!("{:<14}       refused: {refusal}", "");
            }
            if let Some(why) = why(&state, origin, health, now) {
                result_line!("{:<14}       {why}", "");
            }
        }
    }
    if as_json {
        result_line!("{}", serde_json::to_string_pretty(&rows)?);
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// Returns what is wrong with content that was not refused.
fn why(state: &FeedState, origin: &Origin, health: FeedHealth, now: Timestamp) -> Option<String> {
    let newest = state.newest_content;
    let age = newest.map(|t| now.since(t).max(0));
    match health {
        FeedHealth::Ok => None,
        FeedHealth::Never if state.seen == 0 => Some("the publisher's answer has no rows".to_owned()),
        FeedHealth::Never => Some(format!("none of the {} rows was accepted", state.seen)),
        FeedHealth::Late | FeedHealth::Stale => {
            let limit = if health == FeedHealth::Stale {
                origin.stale_after_seconds
            } else {
                origin.warn_after_seconds
            };
            let old = age.filter(|age| *age > limit);
            Some(match (old, newest) {
                (Some(age), Some(newest)) => format!(
                    "its newest content is from {newest}, {} hours ago; {} hours are allowed",
                    age / gsi_model::HOUR,
                    limit / gsi_model::HOUR
                ),
                _ => "the poll failed".to_owned(),
            })
        }
    }
}

fn decode(connector: &Arc<dyn Connector>, files: &[PathBuf], as_json: bool) -> anyhow::Result<ExitCode> {
    let (mut rows, mut refused) = (Vec::new(), false);
    for path in files {
        let result = decode_file(&**connector, path)?;
        refused |= result.is_err();
        if as_json {
            rows.push(as_row(path, &result));
        } else {
            print_row(path, &result);
        }
    }
    if as_json {
        let document = json!({ "feed": connector.origin().feed, "files": rows });
        result_line!("{}", serde_json::to_string_pretty(&document)?);
    }
    Ok(ExitCode::from(u8::from(refused)))
}

fn decode_file(connector: &dyn Connector, path: &Path) -> anyhow::Result<Result<Decoded, PayloadRefusal>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(connector.decode(&Payload::new(&name, &bytes, SystemClock.now())))
}

fn as_row(path: &Path, result: &Result<Decoded, PayloadRefusal>) -> Value {
    match result {
        Ok(d) => json!({
            "file": path.display().to_string(), "seen": d.seen, "accepted": d.accepted, "rejected": d.rejected,
            "duplicates": d.duplicates, "newest": d.newest,
        }),
        Err(refusal) => json!({
            "file": path.display().to_string(), "seen": 0, "accepted": 0, "rejected": {}, "duplicates": 0,
            "newest": null, "refused": refusal.code, "detail": refusal.detail,
        }),
    }
}

fn print_row(path: &Path, result: &Result<Decoded, PayloadRefusal>) {
    match result {
        Ok(d) => {
            let newest = d.newest.map_or("-".into(), |t| t.to_string());
            result_line!(
                "{}: seen {}, accepted {}, rejected {}, duplicates {}, newest {newest}",
                path.display(),
                d.seen,
                d.accepted,
                d.rejected_total(),
                d.duplicates
            );
            for (code, n) in &d.rejected {
                result_line!("    rejected {n}: {code}");
            }
        }
        Err(refusal) => result_line!("{}: refused: {refusal}", path.display()),
    }
}
