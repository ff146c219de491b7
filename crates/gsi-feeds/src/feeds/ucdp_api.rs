//! UCDP through its API, for operators with a token: the same events as in the files, with several pages per month.

use crate::connector::files::{read_checkpoint, write_checkpoint};
use crate::formats::series::plausible;
use crate::formats::{json, table};
use crate::refusal::refuse;
use crate::ucdp::{DeadlyEvent, DeathsByDay};
use crate::{Feed, FeedKey, Fetcher, Payload, Poll, Request, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

pub const FEED: Feed = Feed::polled(&ORIGIN, &SERIES, HOSTS, decode, |fetcher, now, checkpoint| {
    Box::pin(poll(fetcher, now, checkpoint))
})
.with_keys(&[FeedKey::required("ucdp")]);

static ORIGIN: Origin = Origin {
    feed: "ucdp_api",
    title: "UCDP Candidate Events, by interface",
    publisher: "Uppsala Conflict Data Program",
    homepage: "https://ucdp.uu.se/apidocs/",
    pillar: Some(Pillar::Conflict),
    licence: Licence { name: "CC BY 4.0", republish: true, note: "" },
    attribution: "Source: Uppsala Conflict Data Program (Hegre et al. 2020), CC BY 4.0",
    poll_every_seconds: 12 * HOUR,
    warn_after_seconds: 65 * DAY,
    stale_after_seconds: 75 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec::daily("ucdp_api.deaths", "deaths", 31 * DAY)];

const HOSTS: &[&str] = &["ucdpapi.pcr.uu.se"];
const MAX_PAGE: usize = 8 << 20;
const PER_PAGE: usize = 1_000;
/// A month has about two pages. Ten would be the worst month in decades.
const MAX_PAGES: u64 = 10;
/// Months to look for, from the newest possible one. A poll reads one month, because the publisher refuses bursts.
const MONTHS: i32 = 3;
const MAX_DEATHS: f64 = 1_000_000.0;

/// Decodes all events of a release in one document: `{"TotalCount":n,"Result":[…]}`. Its name is the release: `26.0.8.json`.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_PAGE * MAX_PAGES as usize)?)?;
    let list = json::array(&document, "Result")?;
    let total = document.get("TotalCount").and_then(Value::as_u64);
    if total.is_some_and(|n| n != list.len() as u64) {
        return refuse(RefusalCode::Count, format!("{} events of {}", list.len(), total.unwrap_or(0)));
    }
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut deaths = DeathsByDay::default();
    for event in list {
        deaths.take(&mut decoded, &mut known, read_event(event, payload));
    }
    let month = payload.name.strip_suffix(".json").and_then(month_of);
    deaths.add_to(&mut decoded, &ORIGIN, SERIES[0].series, payload, month);
    table::finish(decoded)
}

fn read_event(event: &Value, payload: &Payload<'_>) -> Result<DeadlyEvent, Reject> {
    let id = event.get("id").and_then(Value::as_u64).ok_or(Reject::Id)?;
    let kind = event.get("type_of_violence").and_then(Value::as_u64);
    kind.filter(|k| (1..=3).contains(k)).ok_or(Reject::Code)?;
    let date = |key: &str| plausible(json::text(event, key).get(..10).and_then(Day::parse_iso), payload);
    let (first, last) = (date("date_start")?, date("date_end")?);
    let deaths = json::number(event, "best").filter(|n| (0.0..=MAX_DEATHS).contains(n));
    Ok(DeadlyEvent { id, first, last, deaths: deaths.ok_or(Reject::Number)?, country: None })
}

/// Returns the first and the last day of a release: `26.0.8` is August 2026.
fn month_of(release: &str) -> Option<(Day, Day)> {
    let parts: Vec<i16> = release.split('.').map(|p| p.parse().ok()).collect::<Option<_>>()?;
    let [year @ 0..100, 0, month] = parts[..] else { return None };
    let first = Day::from_ymd(2000 + year, i8::try_from(month).ok()?, 1)?;
    Some((first, first.month_start(1).plus(-1)))
}

/// Returns the releases of the last months, newest first.
fn releases(now: Timestamp) -> Vec<String> {
    let name = |back: i32| {
        let (year, month, _) = now.day().month_start(-back).ymd();
        format!("{}.0.{month}", year - 2000)
    };
    (1..=MONTHS).map(name).collect()
}

#[derive(Default, Serialize, Deserialize)]
struct UcdpApiCheckpoint {
    /// The releases that were read completely.
    #[serde(default)]
    done: BTreeSet<String>,
}

async fn fetch_page(
    fetcher: &Fetcher,
    now: Timestamp,
    release: &str,
    page: u64,
) -> Result<Value, PayloadRefusal> {
    let url = format!("https://ucdpapi.pcr.uu.se/api/gedevents/{release}?pagesize={PER_PAGE}&page={page}");
    let mut request = Request::new(ORIGIN.feed, url, HOSTS, now).max_bytes(MAX_PAGE);
    request.headers = vec![("x-ucdp-access-token", fetcher.credentials().get("ucdp").to_owned())];
    json::fetch(fetcher, request).await
}

async fn read_release(fetcher: &Fetcher, now: Timestamp, release: &str) -> Result<Decoded, PayloadRefusal> {
    let first = fetch_page(fetcher, now, release, 0).await?;
    let whole = |key: &str| first.get(key).and_then(Value::as_u64);
    let (Some(total), Some(pages)) = (whole("TotalCount"), whole("TotalPages")) else {
        return refuse(RefusalCode::Schema, "no TotalCount or TotalPages");
    };
    if pages > MAX_PAGES {
        return refuse(RefusalCode::TooLarge, format!("{pages} pages"));
    }
    let mut events = json::array(&first, "Result")?.clone();
    for page in 1..pages {
        let document = fetch_page(fetcher, now, release, page).await?;
        events.extend(json::array(&document, "Result")?.iter().cloned());
    }
    let body = serde_json::json!({ "TotalCount": total, "Result": events }).to_string();
    decode(&Payload::new(&format!("{release}.json"), body.as_bytes(), now))
}

async fn poll(fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let mut checkpoint: UcdpApiCheckpoint = read_checkpoint(checkpoint);
    let mut poll = Poll::default();
    for release in releases(now).into_iter().filter(|r| !checkpoint.done.contains(r)).collect::<Vec<_>>() {
        match read_release(fetcher, now, &release).await {
            Ok(decoded) => {
                poll.decoded.push(decoded);
                checkpoint.done.insert(release);
                break;
            }
            // The newest month is often not released yet.
            Err(refusal) if refusal.code == RefusalCode::Status404 => {}
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

    fn run(text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        decode(&Payload::new("26.0.8.json", text.as_bytes(), fetched_at))
    }

    #[test]
    fn deaths_by_day_of_the_month() {
        let event = |id: &str, kind: u8, from: &str, to: &str, best: &str| {
            format!(
                r#"{{"id":{id},"type_of_violence":{kind},"date_start":"{from}","date_end":"{to}","best":{best}}}"#
            )
        };
        let events = [
            event("1", 1, "2026-08-01T00:00:00", "2026-08-01T00:00:00", "3"),
            event("2", 3, "2026-08-02", "2026-08-05", "8"),
            event("1", 1, "2026-08-01", "2026-08-01", "3"),
            event("3", 4, "2026-08-01", "2026-08-01", "3"),
            event("4", 1, "2026-08-05", "2026-08-01", "3"),
            event("5", 1, "2026-08-01", "2026-08-01", "-1"),
            event("\"<b>\"", 1, "2026-08-01", "2026-08-01", "1"),
        ];
        let text = format!(r#"{{"TotalCount":7,"Result":[{}]}}"#, events.join(","));
        let decoded = run(&text).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (7, 2, 1));
        let values: Vec<_> = decoded.observations.iter().take(6).map(|o| o.value).collect();
        assert_eq!((values, decoded.observations.len()), (vec![3.0, 2.0, 2.0, 2.0, 2.0, 0.0], 31));
        assert_eq!(run(&text.replace(":7,", ":9,")).unwrap_err().code.key(), "count");
        assert_eq!(run(r#"{"TotalCount":0,"Result":[]}"#).unwrap_err().code.key(), "empty");
    }

    #[test]
    fn releases_are_named_by_year_and_month() {
        assert_eq!(releases("2026-11-15T06:00:00Z".parse().unwrap()), ["26.0.10", "26.0.9", "26.0.8"]);
        assert_eq!(releases("2027-01-15T06:00:00Z".parse().unwrap()), ["26.0.12", "26.0.11", "26.0.10"]);
    }
}
