//! UCDP through its interface, for operators with a token: the same events as the files, a month as several pages.

use crate::json;
use crate::refusal::{self, refuse};
use crate::series::{self, Stamp};
use crate::ucdp::Spread;
use crate::{Connector, Fetcher, Payload, Poll, PollFuture, Request, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

pub struct UcdpApi {
    token: String,
}

pub fn feed(token: &str) -> UcdpApi {
    UcdpApi { token: token.to_owned() }
}

static ORIGIN: Origin = Origin {
    feed: "ucdp_api",
    title: "UCDP Candidate Events, by interface",
    publisher: "Uppsala Conflict Data Program",
    homepage: "https://ucdp.uu.se/apidocs/",
    pillar: Some(Pillar::Conflict),
    licence: Licence { name: "CC BY 4.0", republish: true, note: "" },
    attribution: "Source: Uppsala Conflict Data Program (Hegre et al. 2020), CC BY 4.0",
    poll_every: 12 * HOUR,
    warn_after: 65 * DAY,
    stale_after: 75 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec {
    series: "ucdp_api.deaths",
    unit: "deaths",
    cadence: DAY,
    publication_lag: 31 * DAY,
    business_days: false,
}];

const HOSTS: &[&str] = &["ucdpapi.pcr.uu.se"];
const MAX_PAGE: usize = 8 << 20;
const PER_PAGE: usize = 1_000;
/// A month has about two pages; ten would be the worst month in decades.
const MAX_PAGES: u64 = 10;
/// Months looked for, from the newest that can be out. Bursts have drawn refusals, so one month a look is read.
const MONTHS: i32 = 3;
const MAX_DEATHS: f64 = 1_000_000.0;

/// All events of a release as one document: `{"TotalCount":n,"Result":[…]}`. The name is the release: `26.0.8.json`.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_PAGE * MAX_PAGES as usize)?;
    let document = json::document(&body)?;
    let list = json::array(&document, "Result")?;
    let total = document.get("TotalCount").and_then(Value::as_u64);
    if total.is_some_and(|n| n != list.len() as u64) {
        return refuse(refusal::COUNT, format!("{} events of {}", list.len(), total.unwrap_or(0)));
    }
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut spread = Spread::default();
    for event in list {
        decoded.seen += 1;
        let row = decoded.seen;
        match read(event, payload) {
            Err(reason) => decoded.reject(row, reason),
            Ok((id, ..)) if !known.insert(id) => decoded.duplicates += 1,
            Ok((_, first, last, deaths)) if spread.add(first, last, deaths) => decoded.accepted += 1,
            Ok(_) => decoded.reject(row, "date"),
        }
    }
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let days = spread.days;
    let span = month_of(payload.name.strip_suffix(".json").unwrap_or(""))
        .or_else(|| days.keys().next().zip(days.keys().next_back()).map(|(a, b)| (*a, b.plus(1))));
    if let Some((first, end)) = span.filter(|_| decoded.accepted > 0) {
        for day in (first.0..end.0).map(Day) {
            series::note_newest(&mut decoded, day);
            let deaths = days.get(&day).copied().unwrap_or(0.0);
            decoded.observations.push(stamp.daily(SERIES[0].series, day, deaths));
        }
    }
    crate::table::finish(decoded)
}

fn read(event: &Value, payload: &Payload<'_>) -> Result<(u64, Day, Day, f64), &'static str> {
    let id = event.get("id").and_then(Value::as_u64).ok_or("id")?;
    let kind = event.get("type_of_violence").and_then(Value::as_u64);
    kind.filter(|k| (1..=3).contains(k)).ok_or("code")?;
    let date = |key: &str| {
        let text = json::text(event, key);
        text.get(..10).and_then(Day::parse_iso).filter(|d| series::is_plausible(*d, payload))
    };
    let (first, last) = date("date_start").zip(date("date_end")).ok_or("date")?;
    let deaths = json::number(event, "best").filter(|n| (0.0..=MAX_DEATHS).contains(n)).ok_or("number")?;
    Ok((id, first, last, deaths))
}

/// `26.0.8` is August 2026: its first day, and the day after its last.
fn month_of(release: &str) -> Option<(Day, Day)> {
    let parts: Vec<i16> = release.split('.').map(|p| p.parse().ok()).collect::<Option<_>>()?;
    let [year @ 0..100, 0, month] = parts[..] else { return None };
    let (year, month) = (2000 + year, i8::try_from(month).ok()?);
    let end = if month == 12 { Day::from_ymd(year + 1, 1, 1) } else { Day::from_ymd(year, month + 1, 1) };
    Day::from_ymd(year, month, 1).zip(end)
}

/// The releases of the last months, newest first.
fn releases(now: Timestamp) -> Vec<String> {
    let (year, month, _) = now.day().ymd();
    let newest = i32::from(year) * 12 + i32::from(month) - 2;
    let name = |back: i32| format!("{}.0.{}", (newest - back) / 12 - 2000, (newest - back) % 12 + 1);
    (0..MONTHS).map(name).collect()
}

#[derive(Default, Serialize, Deserialize)]
struct Memory {
    /// Releases read in full.
    #[serde(default)]
    done: BTreeSet<String>,
}

impl UcdpApi {
    async fn page(
        &self,
        fetcher: &Fetcher,
        now: Timestamp,
        release: &str,
        page: u64,
    ) -> Result<Value, Refusal> {
        let url =
            format!("https://ucdpapi.pcr.uu.se/api/gedevents/{release}?pagesize={PER_PAGE}&page={page}");
        let mut request = Request::new(ORIGIN.feed, url, HOSTS, now).max_bytes(MAX_PAGE);
        request.accept = "application/json";
        request.headers = vec![("x-ucdp-access-token", self.token.clone())];
        json::document(&unpack(&fetcher.get(&request).await?.bytes, MAX_PAGE)?)
    }

    async fn release(&self, fetcher: &Fetcher, now: Timestamp, release: &str) -> Result<Decoded, Refusal> {
        let first = self.page(fetcher, now, release, 0).await?;
        let whole = |key: &str| first.get(key).and_then(Value::as_u64);
        let (Some(total), Some(pages)) = (whole("TotalCount"), whole("TotalPages")) else {
            return refuse(refusal::SCHEMA, "no TotalCount or TotalPages");
        };
        if pages > MAX_PAGES {
            return refuse(refusal::TOO_LARGE, format!("{pages} pages"));
        }
        let mut events = json::array(&first, "Result")?.clone();
        for page in 1..pages {
            events.extend(
                json::array(&self.page(fetcher, now, release, page).await?, "Result")?.iter().cloned(),
            );
        }
        let body = serde_json::json!({ "TotalCount": total, "Result": events }).to_string();
        decode(&Payload {
            name: &format!("{release}.json"),
            bytes: body.as_bytes(),
            fetched_at: now,
            last_modified: None,
        })
    }
}

async fn poll(api: &UcdpApi, fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let mut memory: Memory = serde_json::from_str(checkpoint).unwrap_or_default();
    let mut poll = Poll::default();
    let wanted: Vec<_> = releases(now).into_iter().filter(|r| !memory.done.contains(r)).collect();
    let mut reached = wanted.is_empty();
    for release in wanted {
        match api.release(fetcher, now, &release).await {
            Ok(decoded) => {
                reached = true;
                poll.decoded.push(decoded);
                memory.done.insert(release);
                break;
            }
            // Not out yet, as is usual for the newest month.
            Err(refusal) if refusal.code == refusal::STATUS_404 => reached = true,
            Err(refusal) => {
                poll.refusals.push(refusal);
                break;
            }
        }
    }
    poll.unchanged = reached && poll.decoded.is_empty() && poll.refusals.is_empty();
    poll.checkpoint = serde_json::to_string(&memory).unwrap_or_default();
    poll
}

impl Connector for UcdpApi {
    fn origin(&self) -> &'static Origin {
        &ORIGIN
    }

    fn series(&self) -> &'static [SeriesSpec] {
        &SERIES
    }

    fn missing_setting(&self) -> Option<&'static str> {
        self.token.is_empty().then_some("feeds.keys.ucdp")
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

    fn run(text: &str) -> Result<Decoded, Refusal> {
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        decode(&Payload { name: "26.0.8.json", bytes: text.as_bytes(), fetched_at, last_modified: None })
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
        assert_eq!(run(&text.replace(":7,", ":9,")).unwrap_err().code, "count");
        assert_eq!(run(r#"{"TotalCount":0,"Result":[]}"#).unwrap_err().code, "empty");
    }

    #[test]
    fn releases_are_named_by_year_and_month() {
        assert_eq!(releases("2026-11-15T06:00:00Z".parse().unwrap()), ["26.0.10", "26.0.9", "26.0.8"]);
        assert_eq!(releases("2027-01-15T06:00:00Z".parse().unwrap()), ["26.0.12", "26.0.11", "26.0.10"]);
    }
}
