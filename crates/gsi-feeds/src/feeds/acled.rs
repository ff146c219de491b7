//! ACLED: violent events and deaths per day, read with the operator's account.
//!
//! Its terms forbid passing on the data, so third parties see none of it, raw or as a series.

use crate::connector::files::{read_checkpoint, write_checkpoint};
use crate::formats::series::{self, add_days, iso_day, note_newest};
use crate::formats::{json, table};
use crate::refusal::refuse;
use crate::{Feed, FeedKey, Fetcher, Payload, Poll, Request, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed = Feed::polled(&ORIGIN, &SERIES, HOSTS, decode, |fetcher, now, checkpoint| {
    Box::pin(poll(fetcher, now, checkpoint))
})
.with_keys(&[FeedKey::required("acled_email"), FeedKey::required("acled_password")]);

static ORIGIN: Origin = Origin {
    feed: "acled",
    title: "Armed Conflict Location & Event Data",
    publisher: "ACLED",
    homepage: "https://acleddata.com/",
    pillar: Some(Pillar::Conflict),
    licence: Licence {
        name: "ACLED terms",
        republish: false,
        note: "Non-commercial; never republished, raw or as a series.",
    },
    attribution: "Source: ACLED, acleddata.com",
    poll_every_seconds: 12 * HOUR,
    warn_after_seconds: 12 * DAY,
    stale_after_seconds: 20 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("acled.events", "events", 8 * DAY),
    SeriesSpec::daily("acled.deaths", "deaths", 8 * DAY),
];

const TOKEN: &str = "https://acleddata.com/oauth/token";
const READ: &str = "https://acleddata.com/api/acled/read";
const HOSTS: &[&str] = &["acleddata.com"];
const MAX_PAGE: usize = 32 << 20;
const PER_PAGE: usize = 5_000;
/// A week has about 8,000 events of these kinds.
const MAX_PAGES: usize = 8;
/// All pages of a week: 40,000 events of a kilobyte and a half.
const MAX_WEEK: usize = 64 << 20;
const WINDOW_DAYS: i32 = 7;
/// Recent weeks are revised with every release, so they are read again.
const RECENT_WINDOWS: i32 = 4;
const FIRST_WINDOWS: i32 = 12;
const WINDOWS_PER_POLL: usize = 5;
const MAX_DEATHS: f64 = 100_000.0;
const KINDS: [&str; 4] = ["Battles", "Explosions/Remote violence", "Violence against civilians", "Riots"];

/// Decodes the events of a week in one document, which is named by its first day: `2026-11-02.json`.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_WEEK)?)?;
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut days: BTreeMap<Day, [f64; 2]> = BTreeMap::new();
    for event in json::array(&document, "data")? {
        let event = decoded.take(read_event(event, payload), |(id, ..)| known.insert(*id));
        if let Some((_, day, deaths)) = event {
            note_newest(&mut decoded, day);
            let counts = days.entry(day).or_default();
            *counts = [counts[0] + 1.0, counts[1] + deaths];
        }
    }
    add_days(&mut decoded, &ORIGIN, payload, days.keys().copied(), |day| {
        SERIES.iter().map(|spec| spec.series).zip(days[&day])
    });
    // A week without violence anywhere does not exist.
    table::finish(decoded)
}

/// Returns an event's id, day and number of deaths.
fn read_event<'a>(event: &'a Value, payload: &Payload<'_>) -> Result<(&'a str, Day, f64), Reject> {
    let id = json::text(event, "event_id_cnty");
    if !(4..=16).contains(&id.len()) || !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(Reject::Id);
    }
    if !KINDS.contains(&json::text(event, "event_type")) {
        return Err(Reject::Code);
    }
    let day = iso_day(json::text(event, "event_date"), payload)?;
    if payload.named_day().is_some_and(|first| !(first..first.plus(WINDOW_DAYS)).contains(&day)) {
        return Err(Reject::Date);
    }
    // All values are texts here, but some clients of the publisher receive numbers.
    let deaths = match event.get("fatalities") {
        Some(Value::String(text)) => series::number(text, 0.0..=MAX_DEATHS),
        other => other.and_then(Value::as_f64).filter(|n| (0.0..=MAX_DEATHS).contains(n)),
    };
    Ok((id, day, deaths.ok_or(Reject::Number)?))
}

#[derive(Default, Serialize, Deserialize)]
struct AcledCheckpoint {
    /// First days of the weeks that have been read.
    #[serde(default)]
    done: BTreeSet<String>,
}

/// Returns the Mondays of the weeks to read: the recent ones, then unread ones, newest first.
fn windows(now: Timestamp, checkpoint: &AcledCheckpoint) -> Vec<Day> {
    let monday = now.day().plus(-(now.day().weekday() as i32));
    (0..FIRST_WINDOWS)
        .map(|back| (back, monday.plus(-back * WINDOW_DAYS)))
        .filter(|(back, day)| *back < RECENT_WINDOWS || !checkpoint.done.contains(&day.to_string()))
        .map(|(_, day)| day)
        .take(WINDOWS_PER_POLL)
        .collect()
}

async fn log_in(fetcher: &Fetcher, now: Timestamp) -> Result<String, PayloadRefusal> {
    let mut request = Request::new(ORIGIN.feed, TOKEN, HOSTS, now).max_bytes(64 << 10);
    let key = |name: &str| fetcher.credentials().get(name).to_owned();
    request.form = vec![
        ("username", key("acled_email")),
        ("password", key("acled_password")),
        ("grant_type", "password".to_owned()),
        ("client_id", "acled".to_owned()),
    ];
    let answer = json::fetch(fetcher, request).await?;
    let token = json::text(&answer, "access_token");
    if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return refuse(RefusalCode::Schema, "the answer to the login holds no token");
    }
    Ok(token.to_owned())
}

async fn read_week(
    fetcher: &Fetcher,
    now: Timestamp,
    token: &str,
    first: Day,
) -> Result<Decoded, PayloadRefusal> {
    let last = first.plus(WINDOW_DAYS - 1);
    let kinds = KINDS.map(|k| k.replace(' ', "%20").replace('/', "%2F")).join("%7C");
    let mut events = Vec::new();
    for page in 1..=MAX_PAGES {
        let url = format!(
            "{READ}?_format=json&event_date={first}%7C{last}&event_date_where=BETWEEN&event_type={kinds}&fields=event_id_cnty%7Cevent_date%7Cevent_type%7Cfatalities&limit={PER_PAGE}&page={page}"
        );
        let mut request = Request::new(ORIGIN.feed, url, HOSTS, now).max_bytes(MAX_PAGE);
        request.headers = vec![("Authorization", format!("Bearer {token}"))];
        let document = json::fetch(fetcher, request).await?;
        let rows = json::array(&document, "data")?;
        events.extend(rows.iter().cloned());
        if rows.len() < PER_PAGE {
            let body = serde_json::json!({ "data": events }).to_string();
            return decode(&Payload::new(&format!("{first}.json"), body.as_bytes(), now));
        }
    }
    refuse(RefusalCode::TooLarge, format!("more than {} events in a week", MAX_PAGES * PER_PAGE))
}

async fn poll(fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let mut checkpoint: AcledCheckpoint = read_checkpoint(checkpoint);
    let mut poll = Poll::default();
    let (token, weeks) = match log_in(fetcher, now).await {
        Ok(token) => (token, windows(now, &checkpoint)),
        Err(refusal) => {
            poll.refusals.push(refusal);
            (String::new(), Vec::new())
        }
    };
    for first in weeks {
        match read_week(fetcher, now, &token, first).await {
            Ok(decoded) => {
                checkpoint.done.insert(first.to_string());
                poll.decoded.push(decoded);
            }
            // The current week may have no release yet.
            Err(refusal) if refusal.code == RefusalCode::Empty && now.since(first.start()) < 14 * DAY => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_deaths_by_day() {
        let event = |id: &str, day: &str, kind: &str, deaths: &str| {
            format!(
                r#"{{"event_id_cnty":"{id}","event_date":"{day}","event_type":"{kind}","fatalities":{deaths}}}"#
            )
        };
        let events = [
            event("UKR1001", "2026-11-02", "Battles", "\"4\""),
            event("UKR1002", "2026-11-02", "Riots", "0"),
            event("UKR1001", "2026-11-02", "Battles", "\"4\""),
            event("SDN7", "2026-11-20", "Battles", "\"1\""),
            event("SDN8", "2026-11-03", "Protests", "\"0\""),
            event("SDN9", "2026-11-03", "Battles", "\"many\""),
            event("<i>", "2026-11-03", "Battles", "\"1\""),
        ];
        let text = format!(r#"{{"status":200,"success":true,"data":[{}]}}"#, events.join(","));
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        let payload = |bytes| Payload::new("2026-11-02.json", bytes, fetched_at);
        let decoded = decode(&payload(text.as_bytes())).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        assert_eq!(decoded.rejected.len(), 4, "{:?}", decoded.rejected);
        let values: Vec<_> = decoded.observations.iter().map(|o| o.value).collect();
        assert_eq!(values, [2.0, 4.0]);
        let error = br#"{"status":200,"error":"Access denied"}"#;
        assert_eq!(decode(&payload(error)).unwrap_err().code.key(), "error_body");
    }

    #[test]
    fn recent_weeks_are_read_again() {
        let now = "2026-11-12T06:00:00Z".parse().unwrap();
        let mut checkpoint = AcledCheckpoint::default();
        let names = |m: &AcledCheckpoint| windows(now, m).iter().map(Day::to_string).collect::<Vec<_>>();
        assert_eq!(names(&checkpoint)[..2], ["2026-11-09", "2026-11-02"]);
        checkpoint.done.extend(names(&checkpoint));
        assert_eq!(names(&checkpoint)[4], "2026-10-05");
    }

    #[test]
    fn the_feed_is_off_by_default_and_never_shown() {
        assert!(!ORIGIN.licence.republish && !ORIGIN.default_on);
    }
}
