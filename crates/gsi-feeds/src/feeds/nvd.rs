//! The National Vulnerability Database: vulnerabilities published per UTC day, and the number that their assigners rate
//! critical. Since April 2026 the database itself scores few entries, so only counts are comparable.

use crate::connector::files::PollContext;
use crate::formats::series::{self, add_days, note_newest};
use crate::formats::{json, table};
use crate::refusal::refuse;
use crate::{Feed, FeedKey, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources)
    .with_keys(&[FeedKey { name: "nvd", is_required: false }])
    .with_daily_history(|from, to| series::days(from, to).rev().map(|day| source_of_day(day, "")).collect());

static ORIGIN: Origin = Origin {
    feed: "nvd",
    title: "National Vulnerability Database",
    publisher: "National Institute of Standards and Technology",
    homepage: "https://nvd.nist.gov/",
    pillar: Some(Pillar::Cyber),
    licence: Licence { name: "Public domain", republish: true, note: "" },
    attribution: "This product uses data from the NVD API but is not endorsed or certified by the NVD.",
    poll_every_seconds: 2 * HOUR,
    warn_after_seconds: 2 * DAY,
    stale_after_seconds: 3 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("nvd.published", "vulnerabilities", 0),
    SeriesSpec::daily("nvd.critical", "vulnerabilities", 0),
];

const HOSTS: &[&str] = &["services.nvd.nist.gov"];
/// A full page of 2,000 is about 10 MB.
const MAX_BYTES: usize = 48 << 20;
/// The publisher's limit. The busiest day so far had half of it.
const PER_PAGE: u64 = 2_000;
const CRITICAL: f64 = 9.0;
const FIRST_DAYS: i32 = 60;
/// The publisher allows five requests in half a minute without a key.
const DAYS_PER_POLL: usize = 3;

/// Decodes a page with all vulnerabilities published on the day in its name, or without such a name those of any days.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let list = json::array(&document, "vulnerabilities")?;
    let total = document.get("totalResults").and_then(Value::as_u64);
    let named = payload.named_day();
    if named.is_some() && total != Some(list.len() as u64) {
        return refuse(RefusalCode::Count, format!("{} entries of {}", list.len(), total.unwrap_or(0)));
    }
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut days: BTreeMap<Day, [f64; 2]> = BTreeMap::new();
    for entry in list {
        let cve = entry.get("cve").unwrap_or(&Value::Null);
        let read = read_entry(cve, named, payload);
        if let Some((_, day)) = decoded.take(read, |(id, _)| known.insert(*id)) {
            note_newest(&mut decoded, day);
            let is_valid = json::text(cve, "vulnStatus") != "Rejected";
            let [published, critical] = days.entry(day).or_default();
            *published += f64::from(u8::from(is_valid));
            *critical += f64::from(u8::from(is_valid && is_critical(cve)));
        }
    }
    // A page without a day in its name may contain only a part of each day.
    let counted = days.keys().copied().filter(|_| named.is_some());
    add_days(&mut decoded, &ORIGIN, payload, counted, |day| SERIES.iter().map(|s| s.series).zip(days[&day]));
    // There has been no day without a new vulnerability in this century.
    table::finish(decoded)
}

/// Returns the vulnerability and the day it was published.
fn read_entry<'a>(
    cve: &'a Value,
    named: Option<Day>,
    payload: &Payload<'_>,
) -> Result<(&'a str, Day), Reject> {
    let id = json::text(cve, "id");
    if !id.starts_with("CVE-") || id.len() > 28 {
        return Err(Reject::Id);
    }
    let published = json::time(json::text(cve, "published")).map(Timestamp::day);
    let fits = |day: &Day| named.map_or(*day <= payload.fetched_at.day(), |n| n == *day);
    Ok((id, published.filter(fits).ok_or(Reject::Date)?))
}

fn is_critical(cve: &Value) -> bool {
    let metrics = cve.get("metrics").and_then(Value::as_object);
    metrics.into_iter().flatten().any(|(name, list)| {
        name != "cvssMetricV2"
            && list.as_array().into_iter().flatten().any(|m| {
                m.get("cvssData").and_then(|d| json::number(d, "baseScore")).is_some_and(|s| s >= CRITICAL)
            })
    })
}

/// Returns one file per day of data, from yesterday back.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let key = context.credentials.get("nvd");
    let days = (1..=FIRST_DAYS).map(|back| source_of_day(context.now.day().plus(-back), key));
    days.filter(|source| !context.checkpoint.has(&source.name)).take(DAYS_PER_POLL).collect()
}

fn source_of_day(day: Day, key: &str) -> FileSource {
    let url = format!(
        "https://services.nvd.nist.gov/rest/json/cves/2.0?pubStartDate={day}T00:00:00.000&pubEndDate={day}T23:59:59.999&resultsPerPage={PER_PAGE}&startIndex=0"
    );
    let headers = if key.is_empty() { Vec::new() } else { vec![("apiKey", key.to_owned())] };
    FileSource { headers, ..FileSource::json(format!("{day}.json"), url, HOSTS, MAX_BYTES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, total: usize, entries: &[String]) -> Result<Decoded, PayloadRefusal> {
        let text = format!(r#"{{"totalResults":{total},"vulnerabilities":[{}]}}"#, entries.join(","));
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new(name, text.as_bytes(), fetched_at))
    }

    fn entry(id: &str, published: &str, status: &str, score: &str) -> String {
        format!(
            r#"{{"cve":{{"id":"{id}","published":"{published}","vulnStatus":"{status}","metrics":{{"cvssMetricV31":[{{"type":"Secondary","cvssData":{{"baseScore":{score}}}}}]}}}}}}"#
        )
    }

    #[test]
    fn counts_of_a_day() {
        let entries = [
            entry("CVE-2026-1001", "2026-11-13T10:15:00.123", "Received", "9.8"),
            entry("CVE-2026-1002", "2026-11-13T23:15:00.000", "Deferred", "5.0"),
            entry("CVE-2026-1003", "2026-11-13T11:15:00.000", "Rejected", "9.9"),
            entry("CVE-2026-1001", "2026-11-13T10:15:00.123", "Received", "9.8"),
            entry("CVE-2026-1004", "2026-11-12T10:15:00.000", "Received", "null"),
            entry("<script>", "2026-11-13T10:15:00.000", "Received", "\"9.8\""),
        ];
        let decoded = run("2026-11-13.json", 6, &entries).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected_total()), (3, 1, 2));
        let values: Vec<_> = decoded.observations.iter().map(|o| o.value).collect();
        assert_eq!(values, [2.0, 1.0]);
        assert_eq!(run("2026-11-13.json", 7, &entries).unwrap_err().code.key(), "count");
        assert_eq!(run("2026-11-13.json", 0, &[]).unwrap_err().code.key(), "empty");
    }

    #[test]
    fn the_key_is_sent_in_a_header() {
        let source = source_of_day(Day(20_000), "secret");
        assert!(!source.urls[0].contains("secret"));
        assert_eq!(source.headers, [("apiKey", "secret".to_owned())]);
    }

    #[test]
    fn the_real_pages() {
        for path in drills::real_data::files("nvd") {
            let bytes = std::fs::read(&path).unwrap();
            let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
            let decoded = decode(&Payload::new("page", &bytes, fetched_at)).unwrap();
            assert!(decoded.is_balanced() && decoded.rejected.is_empty(), "{path:?} {:?}", decoded.rejected);
        }
    }
}
