//! ACLED: violent events and deaths per day, with the operator's own account.
//!
//! Its terms forbid passing on the data: nothing of it is shown to third parties, raw or as a series.

use crate::json;
use crate::refusal::{self, refuse};
use crate::series::{self, Stamp};
use crate::{Connector, Fetcher, Payload, Poll, PollFuture, Request, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub struct Acled {
    email: String,
    password: String,
}

pub fn feed(email: &str, password: &str) -> Acled {
    Acled { email: email.to_owned(), password: password.to_owned() }
}

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
    poll_every: 12 * HOUR,
    warn_after: 12 * DAY,
    stale_after: 20 * DAY,
    default_on: false,
};

const fn count(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit, cadence: DAY, publication_lag: 8 * DAY, business_days: false }
}

static SERIES: [SeriesSpec; 2] = [count("acled.events", "events"), count("acled.deaths", "deaths")];

const TOKEN: &str = "https://acleddata.com/oauth/token";
const READ: &str = "https://acleddata.com/api/acled/read";
const HOSTS: &[&str] = &["acleddata.com"];
const MAX_PAGE: usize = 32 << 20;
const PER_PAGE: usize = 5_000;
/// A week has about 8,000 events of these kinds.
const MAX_PAGES: usize = 8;
const WINDOW_DAYS: i32 = 7;
/// Recent weeks are revised with every release and read again.
const RECENT_WINDOWS: i32 = 4;
const FIRST_WINDOWS: i32 = 12;
const WINDOWS_PER_LOOK: usize = 5;
const MAX_DEATHS: f64 = 100_000.0;
const KINDS: [&str; 4] = ["Battles", "Explosions/Remote violence", "Violence against civilians", "Riots"];

/// The events of a week as one document, named by its first day: `2026-11-02.json`.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_PAGE * MAX_PAGES)?;
    let document = json::document(&body)?;
    let list = json::array(&document, "data")?;
    let first = payload.name.strip_suffix(".json").and_then(Day::parse_iso);
    let within = |day: &Day| first.is_none_or(|f| (f.0..f.0 + WINDOW_DAYS).contains(&day.0));
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut days: BTreeMap<Day, (f64, f64)> = BTreeMap::new();
    for event in list {
        decoded.seen += 1;
        let row = decoded.seen;
        let id = json::text(event, "event_id_cnty");
        if id.len() < 4 || id.len() > 16 || !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
            decoded.reject(row, "id");
            continue;
        }
        if !KINDS.contains(&json::text(event, "event_type")) {
            decoded.reject(row, "code");
            continue;
        }
        let day =
            Day::parse_iso(json::text(event, "event_date")).filter(|d| series::is_plausible(*d, payload));
        let Some(day) = day.filter(within) else {
            decoded.reject(row, "date");
            continue;
        };
        // All values are texts here; some clients of the publisher see numbers.
        let deaths = match event.get("fatalities") {
            Some(Value::String(text)) => series::number(text, 0.0, MAX_DEATHS),
            Some(number) => number.as_f64().filter(|n| (0.0..=MAX_DEATHS).contains(n)),
            None => None,
        };
        let Some(deaths) = deaths else {
            decoded.reject(row, "number");
            continue;
        };
        if !known.insert(id) {
            decoded.duplicates += 1;
            continue;
        }
        decoded.accepted += 1;
        let count = days.entry(day).or_default();
        (count.0, count.1) = (count.0 + 1.0, count.1 + deaths);
    }
    let stamp = Stamp::of(ORIGIN.feed, payload);
    for (day, (events, deaths)) in days {
        series::note_newest(&mut decoded, day);
        decoded.observations.push(stamp.daily(SERIES[0].series, day, events));
        decoded.observations.push(stamp.daily(SERIES[1].series, day, deaths));
    }
    // A week without violence anywhere would be news of another kind.
    crate::table::finish(decoded)
}

#[derive(Default, Serialize, Deserialize)]
struct Memory {
    /// First days of the weeks that have been read.
    #[serde(default)]
    done: BTreeSet<String>,
}

/// Weeks that begin on a Monday: the recent ones, then those not read yet, newest first.
fn windows(now: Timestamp, memory: &Memory) -> Vec<Day> {
    let monday = now.day().plus(-(now.day().weekday() as i32));
    (0..FIRST_WINDOWS)
        .map(|back| (back, monday.plus(-back * WINDOW_DAYS)))
        .filter(|(back, day)| *back < RECENT_WINDOWS || !memory.done.contains(&day.to_string()))
        .map(|(_, day)| day)
        .take(WINDOWS_PER_LOOK)
        .collect()
}

impl Acled {
    async fn token(&self, fetcher: &Fetcher, now: Timestamp) -> Result<String, Refusal> {
        let mut request = Request::new(ORIGIN.feed, TOKEN, HOSTS, now).max_bytes(64 << 10);
        request.accept = "application/json";
        request.form = vec![
            ("username", self.email.clone()),
            ("password", self.password.clone()),
            ("grant_type", "password".to_owned()),
            ("client_id", "acled".to_owned()),
        ];
        let answer = json::document(&unpack(&fetcher.get(&request).await?.bytes, MAX_PAGE)?)?;
        let token = json::text(&answer, "access_token");
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return refuse(refusal::SCHEMA, "the answer to the login holds no token");
        }
        Ok(token.to_owned())
    }

    async fn week(
        &self,
        fetcher: &Fetcher,
        now: Timestamp,
        token: &str,
        first: Day,
    ) -> Result<Decoded, Refusal> {
        let last = first.plus(WINDOW_DAYS - 1);
        let kinds = KINDS.map(|k| k.replace(' ', "%20").replace('/', "%2F")).join("%7C");
        let mut events = Vec::new();
        for page in 1..=MAX_PAGES {
            let url = format!(
                "{READ}?_format=json&event_date={first}%7C{last}&event_date_where=BETWEEN&event_type={kinds}&fields=event_id_cnty%7Cevent_date%7Cevent_type%7Cfatalities&limit={PER_PAGE}&page={page}"
            );
            let mut request = Request::new(ORIGIN.feed, url, HOSTS, now).max_bytes(MAX_PAGE);
            request.accept = "application/json";
            request.headers = vec![("Authorization", format!("Bearer {token}"))];
            let document = json::document(&unpack(&fetcher.get(&request).await?.bytes, MAX_PAGE)?)?;
            let rows = json::array(&document, "data")?;
            events.extend(rows.iter().cloned());
            if rows.len() < PER_PAGE {
                let body = serde_json::json!({ "data": events }).to_string();
                return decode(&Payload {
                    name: &format!("{first}.json"),
                    bytes: body.as_bytes(),
                    fetched_at: now,
                    last_modified: None,
                });
            }
        }
        refuse(refusal::TOO_LARGE, format!("more than {} events in a week", MAX_PAGES * PER_PAGE))
    }
}

async fn poll(acled: &Acled, fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let mut memory: Memory = serde_json::from_str(checkpoint).unwrap_or_default();
    let mut poll = Poll::default();
    match acled.token(fetcher, now).await {
        Err(refusal) => poll.refusals.push(refusal),
        Ok(token) => {
            for first in windows(now, &memory) {
                match acled.week(fetcher, now, &token, first).await {
                    Ok(decoded) => {
                        memory.done.insert(first.to_string());
                        poll.decoded.push(decoded);
                    }
                    // The week that has just begun may have no release yet.
                    Err(refusal) if refusal.code == refusal::EMPTY && now.since(first.start()) < 14 * DAY => {
                    }
                    Err(refusal) => {
                        poll.refusals.push(refusal);
                        break;
                    }
                }
            }
        }
    }
    poll.unchanged = poll.decoded.is_empty() && poll.refusals.is_empty();
    poll.checkpoint = serde_json::to_string(&memory).unwrap_or_default();
    poll
}

impl Connector for Acled {
    fn origin(&self) -> &'static Origin {
        &ORIGIN
    }

    fn series(&self) -> &'static [SeriesSpec] {
        &SERIES
    }

    fn missing_setting(&self) -> Option<&'static str> {
        match (self.email.as_str(), self.password.as_str()) {
            ("", _) => Some("feeds.keys.acled_email"),
            (_, "") => Some("feeds.keys.acled_password"),
            _ => None,
        }
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, Refusal> {
        decode(payload)
    }

    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(poll(self, fetcher, now, checkpoint))
    }
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
        let payload = |bytes| Payload { name: "2026-11-02.json", bytes, fetched_at, last_modified: None };
        let decoded = decode(&payload(text.as_bytes())).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        assert_eq!(decoded.rejected.len(), 4, "{:?}", decoded.rejected);
        let values: Vec<_> = decoded.observations.iter().map(|o| o.value).collect();
        assert_eq!(values, [2.0, 4.0]);
        let error = br#"{"status":200,"error":"Access denied"}"#;
        assert_eq!(decode(&payload(error)).unwrap_err().code, "error_body");
    }

    #[test]
    fn recent_weeks_are_read_again() {
        let now = "2026-11-12T06:00:00Z".parse().unwrap();
        let mut memory = Memory::default();
        let names = |m: &Memory| windows(now, m).iter().map(Day::to_string).collect::<Vec<_>>();
        assert_eq!(names(&memory)[..2], ["2026-11-09", "2026-11-02"]);
        memory.done.extend(names(&memory));
        assert_eq!(names(&memory)[4], "2026-10-05");
    }

    #[test]
    fn it_is_never_shown() {
        assert!(!ORIGIN.licence.republish && !ORIGIN.default_on);
        assert_eq!(feed("a@b", "").missing_setting(), Some("feeds.keys.acled_password"));
    }
}
