//! CISA's catalogue of known exploited vulnerabilities: how many were added on each day, and how grave they are.
//!
//! The catalogue is a list without history. Days are rebuilt from `dateAdded` at every look; a flag that flips later
//! becomes a new vintage of its day.

use crate::files::{FileFeed, FileMemory, Source};
use crate::refusal::{self, refuse};
use crate::series::Stamp;
use crate::table::Table;
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "kev",
    title: "Known Exploited Vulnerabilities",
    publisher: "Cybersecurity and Infrastructure Security Agency",
    homepage: "https://www.cisa.gov/known-exploited-vulnerabilities-catalog",
    pillar: Some(Pillar::Cyber),
    licence: Licence { name: "CC0-1.0", republish: true, note: "" },
    attribution: "Source: CISA Known Exploited Vulnerabilities Catalog (CC0)",
    poll_every: HOUR,
    warn_after: 7 * DAY,
    stale_after: 10 * DAY,
    default_on: true,
};

const fn daily(series: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit: "entries", cadence: DAY, publication_lag: 0, business_days: false }
}

static SERIES: [SeriesSpec; 3] = [daily("kev.added"), daily("kev.added_ransomware"), daily("kev.weighted")];

const URLS: [&str; 2] = [
    "https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json",
    // CISA turns many data centres away; its own mirror does not.
    "https://raw.githubusercontent.com/cisagov/kev-data/develop/known_exploited_vulnerabilities.json",
];
const HOSTS: &[&str] = &["www.cisa.gov", "raw.githubusercontent.com"];
/// 1.6 MB in 2026, growing by 0.2 MB a year.
const MAX_BYTES: usize = 16 << 20;
/// The catalogue opened on 2021-11-03; nothing can have been added before.
const OPENED: Day = Day(18_934);
/// A release date this far ahead of the fetch is a broken clock, not a time zone.
const CLOCK_GRACE: i64 = DAY;

/// Method section 2.2: what one entry weighs.
const RANSOMWARE_WEIGHT: f64 = 2.0;
const OLD_WEIGHT: f64 = 0.25;
const OLD_YEARS: i16 = 2;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Catalogue {
    date_released: String,
    count: u64,
    vulnerabilities: Vec<serde_json::Value>,
}

/// What is read of an entry, whichever format it came in.
struct Entry<'a> {
    cve: &'a str,
    added: &'a str,
    ransomware: &'a str,
}

#[derive(Default, Clone, Copy)]
struct DayCount {
    added: f64,
    ransomware: f64,
    weighted: f64,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let first = body.iter().find(|b| !b.is_ascii_whitespace() && b.is_ascii());
    if first == Some(&b'{') { decode_json(payload, &body) } else { decode_csv(payload, &body) }
}

fn decode_json(payload: &Payload<'_>, body: &[u8]) -> Result<Decoded, Refusal> {
    let catalogue: Catalogue = serde_json::from_slice(body).map_err(|e| match e.classify() {
        serde_json::error::Category::Data => {
            Refusal::new(refusal::SCHEMA, format!("not the catalogue: line {}", e.line()))
        }
        _ => Refusal::new(refusal::BAD_JSON, format!("broken off or damaged at line {}", e.line())),
    })?;
    let Ok(released) = Timestamp::parse_rfc3339(&catalogue.date_released) else {
        return refuse(refusal::SCHEMA, "no release date");
    };
    if released > payload.fetched_at.plus(CLOCK_GRACE) {
        return refuse(refusal::CLOCK, format!("released on {released}, after it was fetched"));
    }
    let present = catalogue.vulnerabilities.len() as u64;
    if catalogue.count != present {
        return refuse(refusal::COUNT, format!("{} entries stated, {present} present", catalogue.count));
    }
    let mut tally = Tally::new(released.day());
    for entry in &catalogue.vulnerabilities {
        let text = |key: &str| entry.get(key).and_then(|v| v.as_str()).unwrap_or("");
        tally.add(&Entry {
            cve: text("cveID"),
            added: text("dateAdded"),
            ransomware: text("knownRansomwareCampaignUse"),
        });
    }
    tally.finish(payload, released)
}

/// The same catalogue as a table; it does not say when it was released, so its newest entry has to.
fn decode_csv(payload: &Payload<'_>, body: &[u8]) -> Result<Decoded, Refusal> {
    let mut table = Table::open(body)?;
    let (cve, added) = (table.require("cveID")?, table.require("dateAdded")?);
    let ransomware = table.require("knownRansomwareCampaignUse")?;
    let width = table.header().len();
    let mut tally = Tally::new(payload.fetched_at.day().plus(1));
    let mut counts = Decoded::default();
    while let Some((row, record)) = table.next(&mut counts) {
        if record.len() != width {
            tally.decoded.seen += 1;
            tally.decoded.reject(row, "columns");
            continue;
        }
        let cell = |i: usize| record.get(i).unwrap_or("");
        tally.add(&Entry { cve: cell(cve), added: cell(added), ransomware: cell(ransomware) });
    }
    tally.decoded.seen += counts.rejected_total();
    tally.decoded.rejected.extend(counts.rejected);
    let newest = tally.days.keys().next_back().map_or(payload.fetched_at, |d| d.end());
    tally.finish(payload, newest)
}

struct Tally {
    last_day: Day,
    days: BTreeMap<Day, DayCount>,
    known: HashSet<String>,
    decoded: Decoded,
}

impl Tally {
    fn new(last_day: Day) -> Self {
        Tally { last_day, days: BTreeMap::new(), known: HashSet::new(), decoded: Decoded::default() }
    }

    fn add(&mut self, entry: &Entry<'_>) {
        self.decoded.seen += 1;
        let row = self.decoded.seen;
        let Some(cve_year) = cve_year(entry.cve) else {
            return self.decoded.reject(row, "id");
        };
        let Some(day) = Day::parse_iso(entry.added).filter(|d| *d >= OPENED && *d <= self.last_day) else {
            return self.decoded.reject(row, "date");
        };
        let ransomware = match entry.ransomware {
            "Known" => true,
            "Unknown" | "" => false,
            _ => return self.decoded.reject(row, "code"),
        };
        if !self.known.insert(entry.cve.to_owned()) {
            self.decoded.duplicates += 1;
            return;
        }
        self.decoded.accepted += 1;
        let old = cve_year <= day.ymd().0 - OLD_YEARS;
        let count = self.days.entry(day).or_default();
        count.added += 1.0;
        count.ransomware += if ransomware { 1.0 } else { 0.0 };
        count.weighted +=
            (if ransomware { RANSOMWARE_WEIGHT } else { 1.0 }) * (if old { OLD_WEIGHT } else { 1.0 });
    }

    /// Every day up to the release gets its three values; a day without additions is a zero, not a hole.
    fn finish(mut self, payload: &Payload<'_>, released: Timestamp) -> Result<Decoded, Refusal> {
        let Some(first) = self.days.keys().next().copied() else {
            return crate::table::finish(self.decoded);
        };
        let stamp = Stamp::of(ORIGIN.feed, payload);
        let mut day = first;
        while day.start() < released {
            let count = self.days.get(&day).copied().unwrap_or_default();
            for (spec, value) in SERIES.iter().zip([count.added, count.ransomware, count.weighted]) {
                self.decoded.observations.push(stamp.daily(spec.series, day, value));
            }
            day = day.plus(1);
        }
        self.decoded.newest = Some(released);
        crate::table::finish(self.decoded)
    }
}

/// The year in `CVE-2025-48384`, when the whole identifier is well formed.
fn cve_year(id: &str) -> Option<i16> {
    let (year, number) = id.strip_prefix("CVE-")?.split_once('-')?;
    let digits = |s: &str, n: std::ops::RangeInclusive<usize>| {
        n.contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit())
    };
    (digits(year, 4..=4) && digits(number, 4..=19)).then(|| year.parse().ok()).flatten()
}

fn sources(_: Timestamp, _: &FileMemory) -> Vec<Source> {
    let source = Source::new("known_exploited_vulnerabilities.json", URLS[0], HOSTS, MAX_BYTES);
    let urls = URLS.map(str::to_owned).to_vec();
    vec![Source { urls, accept: "application/json", keeps: 0.99, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<Decoded, Refusal> {
        let fetched_at = "2025-08-26T00:00:00Z".parse().unwrap();
        decode(&Payload { name: "kev.json", bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    fn catalogue(released: &str, count: usize, entries: &[(&str, &str, &str)]) -> String {
        let entries: Vec<_> = entries
            .iter()
            .map(|(cve, added, known)| {
                format!(r#"{{"cveID":"{cve}","dateAdded":"{added}","knownRansomwareCampaignUse":"{known}"}}"#)
            })
            .collect();
        format!(
            r#"{{"title":"t","dateReleased":"{released}","count":{count},"vulnerabilities":[{}]}}"#,
            entries.join(",")
        )
    }

    const RELEASED: &str = "2025-08-25T17:04:19.9796Z";

    #[test]
    fn days_are_counted_weighted_and_filled() {
        let text = catalogue(
            RELEASED,
            4,
            &[
                ("CVE-2025-1000", "2025-08-22", "Unknown"),
                ("CVE-2023-1000", "2025-08-22", "Known"),
                ("CVE-2024-1000", "2025-08-25", "Known"),
                ("CVE-2024-1000", "2025-08-25", "Known"),
            ],
        );
        let decoded = run(&text).unwrap();
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (4, 3, 1));
        let days = |series: &str| -> Vec<f64> {
            decoded.observations.iter().filter(|o| o.series == series).map(|o| o.value).collect()
        };
        assert_eq!(days("kev.added"), [2.0, 0.0, 0.0, 1.0]);
        assert_eq!(days("kev.added_ransomware"), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(days("kev.weighted"), [1.5, 0.0, 0.0, 2.0]);
        assert_eq!(decoded.newest.unwrap().to_string(), "2025-08-25T17:04:19Z");
    }

    #[test]
    fn bad_entries_are_counted() {
        for (entry, reason) in [
            (("CVE-25-1000", "2025-08-22", "Known"), "id"),
            (("<script>", "2025-08-22", "Known"), "id"),
            (("CVE-2025-1001", "2025-02-30", "Known"), "date"),
            (("CVE-2025-1001", "2026-08-22", "Known"), "date"),
            (("CVE-2025-1001", "2020-08-22", "Known"), "date"),
            (("CVE-2025-1001", "2025-08-22", "Maybe"), "code"),
        ] {
            let decoded =
                run(&catalogue(RELEASED, 2, &[("CVE-2025-1000", "2025-08-22", ""), entry])).unwrap();
            assert!(decoded.is_balanced());
            assert_eq!(decoded.rejected.keys().next().map(String::as_str), Some(reason), "{entry:?}");
        }
    }

    #[test]
    fn broken_catalogues_are_refused() {
        let good = [("CVE-2025-1000", "2025-08-22", "Known")];
        let whole = catalogue(RELEASED, 1, &good);
        let check = |text: &str, code: &str| assert_eq!(run(text).unwrap_err().code, code, "{text}");
        check(&catalogue(RELEASED, 2, &good), "count");
        check(&catalogue("2027-01-01T00:00:00Z", 1, &good), "clock");
        check(&catalogue("yesterday", 1, &good), "schema");
        check(&whole[..whole.len() - 20], "bad_json");
        check(r#"{"$schema":"x","type":"object"}"#, "schema");
        check(r#"{"error":"denied"}"#, "schema");
        check("<html>", "schema");
        check("", "empty");
        check(&catalogue(RELEASED, 0, &[]), "empty");
    }
}
