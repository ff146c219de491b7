//! New public exploit repositories: how many distinct vulnerabilities got one, per UTC day.
//!
//! Only names, descriptions and dates of repositories are read. No code is fetched, and no name leaves this module.

use crate::connector::files::{read_checkpoint, write_checkpoint};
use crate::formats::series::{add_days, note_newest};
use crate::formats::{json, table};
use crate::refusal::refuse;
use crate::{Feed, Fetcher, Payload, Poll, Request, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed = Feed::polled(&ORIGIN, &SERIES, HOSTS, decode, |fetcher, now, checkpoint| {
    Box::pin(poll(fetcher, now, checkpoint))
});

static ORIGIN: Origin = Origin {
    feed: "poc",
    title: "New public exploit repositories",
    publisher: "GitHub search",
    homepage: "https://docs.github.com/rest/search/search",
    pillar: Some(Pillar::Cyber),
    licence: Licence { name: "GitHub terms", republish: true, note: "Daily counts only." },
    attribution: "Counts derived from GitHub search",
    poll_every_seconds: HOUR,
    warn_after_seconds: 2 * DAY,
    stale_after_seconds: 3 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec::daily("poc.distinct_cves", "vulnerabilities", 0)];

const HOSTS: &[&str] = &["api.github.com"];
const MAX_BYTES: usize = 8 << 20;
const PER_PAGE: u64 = 100;
/// GitHub allows ten searches a minute without a key, and a poll stays well below.
const REQUESTS_PER_POLL: usize = 6;
const PAGES_PER_DAY: u64 = 3;
/// Days of history that the first polls read.
const FIRST_DAYS: i32 = 60;
/// Empty answers for days younger than this count as a failure of the search.
const BELIEVED_EMPTY_SECONDS: i64 = 7 * DAY;
/// The most vulnerabilities counted for one account and day, because some publish many repositories at once.
const MAX_PER_OWNER: usize = 5;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES * PAGES_PER_DAY as usize)?)?;
    let mut decoded = Decoded::default();
    let mut repositories = BTreeSet::new();
    let mut days: BTreeMap<Day, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    let named = payload.named_day();
    // A day without a new repository is possible, but only the day in the name can be a zero.
    days.extend(named.map(|day| (day, BTreeMap::new())));
    for item in json::array(&document, "items")? {
        let read = read_repository(item, named, payload);
        if let Some((_, day, cves)) = decoded.take(read, |(id, ..)| repositories.insert(*id)) {
            let owner = json::text(item, "full_name").split('/').next().unwrap_or("").to_owned();
            days.entry(day).or_default().entry(owner).or_default().extend(cves);
        }
    }
    let past = days.keys().copied().filter(|day| *day < payload.fetched_at.day());
    past.clone().for_each(|day| note_newest(&mut decoded, day));
    add_days(&mut decoded, &ORIGIN, payload, past, |day| {
        let counted = days[&day].values().flat_map(|cves| cves.iter().take(MAX_PER_OWNER));
        [(SERIES[0].series, counted.collect::<BTreeSet<_>>().len() as f64)]
    });
    if let Some(day) = named
        && decoded.seen == 0
    {
        // Throttled searches return nothing, so an empty answer counts only for days older than a week.
        if payload.fetched_at.since(day.end()) < BELIEVED_EMPTY_SECONDS {
            return refuse(RefusalCode::Empty, format!("no repository at all on {day}"));
        }
        return Ok(decoded);
    }
    table::finish(decoded)
}

/// Returns a repository's id, the day it was created, and the vulnerabilities it names.
fn read_repository(
    item: &Value,
    named: Option<Day>,
    payload: &Payload<'_>,
) -> Result<(u64, Day, BTreeSet<String>), Reject> {
    let id = item.get("id").and_then(Value::as_u64).ok_or(Reject::Id)?;
    let created = json::time(json::text(item, "created_at")).filter(|t| *t <= payload.fetched_at.plus(HOUR));
    let day = created.map(Timestamp::day).filter(|day| named.is_none_or(|n| n == *day));
    let day = day.ok_or(Reject::Date)?;
    let cves = cves_in(&format!("{} {}", json::text(item, "name"), json::text(item, "description")));
    if cves.is_empty() || item.get("fork").and_then(Value::as_bool) == Some(true) {
        return Err(Reject::Unrelated);
    }
    Ok((id, day, cves))
}

/// Returns every `CVE-2026-1234` in the text, in upper case.
fn cves_in(text: &str) -> BTreeSet<String> {
    let upper = text.to_ascii_uppercase();
    let mut found = BTreeSet::new();
    for (at, _) in upper.match_indices("CVE-") {
        let rest = &upper[at + 4..];
        let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
        let year = digits(rest);
        if year != 4 || !rest[year..].starts_with(['-', '_']) {
            continue;
        }
        let number = digits(&rest[year + 1..]);
        if (4..=9).contains(&number) {
            found.insert(format!("{}-{}", &rest[..4], &rest[5..5 + number]));
        }
    }
    found
}

#[derive(Default, Serialize, Deserialize)]
struct PocCheckpoint {
    /// The newest counted day, for example `2026-11-14`. All days from `oldest` to it are counted.
    #[serde(default)]
    done: String,
    /// The oldest counted day.
    #[serde(default)]
    oldest: String,
}

impl PocCheckpoint {
    /// Returns the next day to request: first the days since the newest, then one day further back at a time.
    fn next_day(&self, now: Timestamp) -> Option<Day> {
        let (yesterday, first) = (now.day().plus(-1), now.day().plus(-FIRST_DAYS));
        let Some(newest) = Day::parse_iso(&self.done) else { return Some(yesterday) };
        if newest < yesterday {
            return Some(newest.plus(1).max(first));
        }
        let before = Day::parse_iso(&self.oldest).unwrap_or(newest).plus(-1);
        Some(before).filter(|day| *day >= first)
    }

    fn note_counted(&mut self, day: Day) {
        if Day::parse_iso(&self.done).is_none_or(|newest| day > newest) {
            self.done = day.to_string();
        }
        if Day::parse_iso(&self.oldest).is_none_or(|oldest| day < oldest) {
            self.oldest = day.to_string();
        }
    }
}

async fn poll(fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let mut checkpoint: PocCheckpoint = read_checkpoint(checkpoint);
    let mut poll = Poll::default();
    let mut requests = 0;
    while requests < REQUESTS_PER_POLL {
        let Some(day) = checkpoint.next_day(now) else { break };
        match count_day(fetcher, now, day, &mut requests).await {
            Ok(decoded) => {
                checkpoint.note_counted(day);
                poll.decoded.push(decoded);
            }
            Err(refusal) => {
                poll.refusals.push(refusal);
                break;
            }
        }
    }
    poll.unchanged = poll.decoded.is_empty() && poll.refusals.is_empty();
    poll.checkpoint = write_checkpoint(&checkpoint);
    poll
}

/// Joins all pages of one day into one document, so that a vulnerability counts once.
async fn count_day(
    fetcher: &Fetcher,
    now: Timestamp,
    day: Day,
    requests: &mut usize,
) -> Result<Decoded, PayloadRefusal> {
    let mut items = Vec::new();
    let mut page = 1;
    loop {
        *requests += 1;
        let url = format!(
            "https://api.github.com/search/repositories?q=CVE+in:name,description+created:{day}&sort=updated&per_page={PER_PAGE}&page={page}"
        );
        let request = Request::new(ORIGIN.feed, url, HOSTS, now).max_bytes(MAX_BYTES);
        let document = json::fetch(fetcher, request).await?;
        items.extend(json::array(&document, "items")?.iter().cloned());
        let total = document.get("total_count").and_then(Value::as_u64).unwrap_or(0);
        if page >= PAGES_PER_DAY || page * PER_PAGE >= total {
            break;
        }
        page += 1;
    }
    let body = serde_json::json!({ "items": items }).to_string();
    decode(&Payload::new(&format!("{day}.json"), body.as_bytes(), now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, items: &str) -> Result<Decoded, PayloadRefusal> {
        let text = format!(r#"{{"total_count":1,"items":[{items}]}}"#);
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new(name, text.as_bytes(), fetched_at))
    }

    #[test]
    fn recent_days_come_first() {
        let now: Timestamp = "2026-11-15T06:00:00Z".parse().unwrap();
        let mut checkpoint = PocCheckpoint::default();
        let mut days = Vec::new();
        for _ in 0..3 {
            let day = checkpoint.next_day(now).unwrap();
            days.push(day.to_string());
            checkpoint.note_counted(day);
        }
        let day = checkpoint.next_day(now.plus(DAY)).unwrap();
        days.push(day.to_string());
        checkpoint.note_counted(day);
        days.push(checkpoint.next_day(now.plus(DAY)).unwrap().to_string());
        assert_eq!(days, ["2026-11-14", "2026-11-13", "2026-11-12", "2026-11-15", "2026-11-11"]);
        for _ in 0..FIRST_DAYS {
            checkpoint.next_day(now).into_iter().for_each(|day| checkpoint.note_counted(day));
        }
        assert_eq!(checkpoint.next_day(now), None);
    }

    #[test]
    fn a_vulnerability_counts_once_a_day() {
        let item = |id: u64, owner: &str, name: &str, at: &str| {
            format!(
                r#"{{"id":{id},"name":"{name}","full_name":"{owner}/x","description":null,"created_at":"{at}","fork":false}}"#
            )
        };
        let day = "2026-11-13T10:00:00Z";
        let items = [
            item(1, "a", "CVE-2026-1234-poc", day),
            item(2, "b", "exploit for cve-2026-1234 and CVE_2026_9", day),
            item(3, "b", "CVE-2025-55555", day),
            item(3, "b", "CVE-2025-55555", day),
            item(4, "c", "cve-collection", day),
            item(5, "c", "CVE-2026-7777", "2026-11-12T10:00:00Z"),
            item(6, "c", "CVE-2026-7777", "soon"),
            r#"{"name":"CVE-2026-1111"}"#.to_owned(),
        ];
        let decoded = run("2026-11-13.json", &items.join(",")).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (3, 1));
        assert_eq!(decoded.observations.len(), 1);
        assert_eq!(decoded.observations[0].value, 2.0);
        let shelf: Vec<_> =
            (0..30).map(|i| item(i, "one", &format!("CVE-2026-{}", 1_000 + i), day)).collect();
        assert_eq!(
            run("2026-11-13.json", &shelf.join(",")).unwrap().observations[0].value,
            MAX_PER_OWNER as f64
        );
    }

    #[test]
    fn a_quiet_day_is_a_zero() {
        assert_eq!(run("2026-11-13.json", "").unwrap_err().code.key(), "empty", "throttled, for all we know");
        assert_eq!(run("2026-11-01.json", "").unwrap().observations[0].value, 0.0);
        assert_eq!(run("page", "").unwrap_err().code.key(), "empty");
    }
}
