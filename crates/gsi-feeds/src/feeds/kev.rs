//! CISA's catalogue of known exploited vulnerabilities: the entries added on each day, counted and weighted.
//!
//! The catalogue is a list without history. Every poll counts the days again from `dateAdded`, and a flag that changes later
//! gives a new vintage of its day.

use crate::connector::files::PollContext;
use crate::formats::json;
use crate::formats::series::{self, add_days};
use crate::formats::table::{self, Table};
use crate::refusal::refuse;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Observation, Origin, PayloadRefusal, Pillar, RefusalCode, Reject,
    Timestamp,
};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "kev",
    title: "Known Exploited Vulnerabilities",
    publisher: "Cybersecurity and Infrastructure Security Agency",
    homepage: "https://www.cisa.gov/known-exploited-vulnerabilities-catalog",
    pillar: Some(Pillar::Cyber),
    licence: Licence { name: "CC0-1.0", republish: true, note: "" },
    attribution: "Source: CISA Known Exploited Vulnerabilities Catalog (CC0)",
    poll_every_seconds: HOUR,
    warn_after_seconds: 7 * DAY,
    stale_after_seconds: 10 * DAY,
    default_on: true,
};

const ADDED: &str = "kev.added";
const ADDED_RANSOMWARE: &str = "kev.added_ransomware";
const WEIGHTED: &str = "kev.weighted";

static SERIES: [SeriesSpec; 3] = [
    SeriesSpec::daily(ADDED, "entries", 0),
    SeriesSpec::daily(ADDED_RANSOMWARE, "entries", 0),
    SeriesSpec::daily(WEIGHTED, "entries", 0),
];

const URLS: [&str; 2] = [
    "https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json",
    // CISA refuses many data centres, but its mirror does not.
    "https://raw.githubusercontent.com/cisagov/kev-data/develop/known_exploited_vulnerabilities.json",
];
const HOSTS: &[&str] = &["www.cisa.gov", "raw.githubusercontent.com"];
/// 1.6 MB in 2026, growing by 0.2 MB a year.
const MAX_BYTES: usize = 16 << 20;
/// The catalogue opened on 2021-11-03.
const OPENED: Day = Day(18_934);
/// A release date further ahead of the fetch means a wrong clock, not a time zone.
const CLOCK_GRACE_SECONDS: i64 = DAY;

/// The weights of an entry. They are part of the method and of its digest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryWeights {
    ransomware: f64,
    old_years: i16,
    old: f64,
}

static WEIGHTS: LazyLock<EntryWeights> = LazyLock::new(|| {
    // The file is compiled in and a test reads it, so this never fails in production.
    toml::from_str(gsi_model::method_files::KEV).expect("method/kev.toml can be read")
});

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KevCatalogue {
    date_released: String,
    count: u64,
    vulnerabilities: Vec<serde_json::Value>,
}

/// Computes the weighted additions of a history that has only counts. The weight of old vulnerabilities is missing, because
/// counts do not show their age. Returns nothing for a history with weights.
pub fn weigh_counts(rows: &[Observation]) -> Vec<Observation> {
    let rows_of = |series: &'static str| rows.iter().filter(move |row| row.series == series);
    if rows_of(WEIGHTED).next().is_some() {
        return Vec::new();
    }
    let ransomware: BTreeMap<Timestamp, f64> =
        rows_of(ADDED_RANSOMWARE).map(|row| (row.period_end, row.value)).collect();
    let weigh = |row: &Observation| {
        let more = (WEIGHTS.ransomware - 1.0) * ransomware.get(&row.period_end).copied().unwrap_or(0.0);
        Observation { series: WEIGHTED.to_owned(), value: row.value + more, ..row.clone() }
    };
    rows_of(ADDED).map(weigh).collect()
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let first = body.iter().find(|b| !b.is_ascii_whitespace() && b.is_ascii());
    if first == Some(&b'{') { decode_json(payload, &body) } else { decode_csv(payload, &body) }
}

fn decode_json(payload: &Payload<'_>, body: &[u8]) -> Result<Decoded, PayloadRefusal> {
    json::check_memory(body)?;
    let catalogue: KevCatalogue = serde_json::from_slice(body).map_err(|e| match e.classify() {
        serde_json::error::Category::Data => {
            PayloadRefusal::new(RefusalCode::Schema, format!("not the catalogue: line {}", e.line()))
        }
        _ => PayloadRefusal::new(RefusalCode::BadJson, format!("broken off or damaged at line {}", e.line())),
    })?;
    let Ok(released) = Timestamp::parse_rfc3339(&catalogue.date_released) else {
        return refuse(RefusalCode::Schema, "no release date");
    };
    if released > payload.fetched_at.plus(CLOCK_GRACE_SECONDS) {
        return refuse(RefusalCode::Clock, format!("released on {released}, after it was fetched"));
    }
    let present = catalogue.vulnerabilities.len() as u64;
    if catalogue.count != present {
        return refuse(RefusalCode::Count, format!("{} entries stated, {present} present", catalogue.count));
    }
    let mut additions = Additions::new(released.day());
    for entry in &catalogue.vulnerabilities {
        let text = |key: &str| json::text(entry, key);
        additions.add(Ok([text("cveID"), text("dateAdded"), text("knownRansomwareCampaignUse")]));
    }
    additions.finish(payload, released)
}

/// Decodes the catalogue as a table. It has no release date, so the date of its newest entry is used.
fn decode_csv(payload: &Payload<'_>, body: &[u8]) -> Result<Decoded, PayloadRefusal> {
    let mut table = Table::open(body)?;
    let columns = table.require_all(["cveID", "dateAdded", "knownRansomwareCampaignUse"])?;
    let width = table.header().len();
    let mut additions = Additions::new(payload.fetched_at.day().plus(1));
    while let Some(row) = table.next() {
        additions
            .add(row.and_then(|row| row.check_width(width).map(|()| columns.map(|column| row.cell(column)))));
    }
    let newest = additions.days.keys().next_back().map_or(payload.fetched_at, |d| d.end());
    additions.finish(payload, newest)
}

/// The additions of each day: entries, entries used for extortion, and their weighted sum.
struct Additions {
    last_day: Day,
    days: BTreeMap<Day, [f64; 3]>,
    known: HashSet<String>,
    decoded: Decoded,
}

impl Additions {
    fn new(last_day: Day) -> Self {
        Additions { last_day, days: BTreeMap::new(), known: HashSet::new(), decoded: Decoded::default() }
    }

    /// Adds an entry: its vulnerability, the day it was added, and its use for extortion.
    fn add(&mut self, entry: Result<[&str; 3], Reject>) {
        let read = entry.and_then(|[cve, added, extortion]| {
            let year = cve_year(cve).ok_or(Reject::Id)?;
            let days = OPENED..=self.last_day;
            let day = Day::parse_iso(added).filter(|day| days.contains(day)).ok_or(Reject::Date)?;
            let is_extortion = match extortion {
                "Known" => true,
                "Unknown" | "" => false,
                _ => return Err(Reject::Code),
            };
            Ok((cve, year, day, is_extortion))
        });
        let taken = self.decoded.take(read, |(cve, ..)| self.known.insert((*cve).to_owned()));
        let Some((_, year, day, is_extortion)) = taken else { return };
        let is_old = year <= day.ymd().0 - WEIGHTS.old_years;
        let weight =
            if is_extortion { WEIGHTS.ransomware } else { 1.0 } * if is_old { WEIGHTS.old } else { 1.0 };
        let counts = self.days.entry(day).or_default();
        counts[0] += 1.0;
        counts[1] += f64::from(u8::from(is_extortion));
        counts[2] += weight;
    }

    /// Gives every day up to the release its three values. A day without additions is zero, not missing.
    fn finish(mut self, payload: &Payload<'_>, released: Timestamp) -> Result<Decoded, PayloadRefusal> {
        if let Some(first) = self.days.keys().next() {
            let last = released.minus(1).day();
            add_days(&mut self.decoded, &ORIGIN, payload, series::days(*first, last), |day| {
                let counts = self.days.get(&day).copied().unwrap_or_default();
                SERIES.iter().map(|spec| spec.series).zip(counts)
            });
            self.decoded.newest = Some(released);
        }
        table::finish(self.decoded)
    }
}

/// Returns the year in `CVE-2025-48384`, if the whole identifier is well formed.
fn cve_year(id: &str) -> Option<i16> {
    let (year, number) = id.strip_prefix("CVE-")?.split_once('-')?;
    let digits = |s: &str, n: std::ops::RangeInclusive<usize>| {
        n.contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit())
    };
    (digits(year, 4..=4) && digits(number, 4..=19)).then(|| year.parse().ok()).flatten()
}

fn sources(_: &PollContext<'_>) -> Vec<FileSource> {
    let source = FileSource::json("known_exploited_vulnerabilities.json", URLS[0], HOSTS, MAX_BYTES);
    vec![FileSource { urls: URLS.map(str::to_owned).to_vec(), keeps: 0.99, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2025-08-26T00:00:00Z".parse().unwrap();
        decode(&Payload::new("kev.json", text.as_bytes(), fetched_at))
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
        assert_eq!(days(ADDED), [2.0, 0.0, 0.0, 1.0]);
        assert_eq!(days(ADDED_RANSOMWARE), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(days(WEIGHTED), [1.5, 0.0, 0.0, 2.0]);
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
            assert_eq!(decoded.rejected.keys().next().map(|r| r.key()), Some(reason), "{entry:?}");
        }
    }

    #[test]
    fn broken_catalogues_are_refused() {
        let good = [("CVE-2025-1000", "2025-08-22", "Known")];
        let whole = catalogue(RELEASED, 1, &good);
        let check = |text: &str, code: &str| assert_eq!(run(text).unwrap_err().code.key(), code, "{text}");
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
