//! Victims that extortion groups claim on their leak sites, by the day a tracker found the claim.
//!
//! Claims may be false, repeated or dumped in bulk. Only counts leave this folder: no names, no links.

use crate::files::{FileFeed, FileMemory, Source};
use crate::json;
use crate::series::Stamp;
use crate::{Payload, SeriesSpec, table, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "ransomware",
    title: "Ransomware leak-site claims",
    publisher: "ransomware.live",
    homepage: "https://www.ransomware.live/",
    pillar: Some(Pillar::Cyber),
    licence: Licence {
        name: "Not stated",
        republish: false,
        note: "Daily counts only; no victim is ever shown.",
    },
    attribution: "Counts derived from ransomware.live",
    poll_every: HOUR,
    warn_after: 2 * DAY,
    stale_after: 3 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec {
    series: "ransomware.posts",
    unit: "claims",
    cadence: DAY,
    publication_lag: 0,
    business_days: false,
}];

const HOSTS: &[&str] = &["api.ransomware.live"];
/// A busy month is a thousand claims of two kilobytes.
const MAX_BYTES: usize = 32 << 20;
/// The method's baseline for this series is three years.
const HISTORY_MONTHS: i32 = 36;
const HISTORY_PER_LOOK: usize = 2;
/// One group that dumps its archive must not pass for a wave: claims per group and day beyond this are not counted.
const MAX_PER_GROUP: usize = 40;
/// 2019-01-01: the first site that published its victims opened that year. The days between the ends of a list are filled,
/// so an older end would be filled without end.
const FIRST_CLAIM: Day = Day(17_897);

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let document = json::document(&body)?;
    let mut decoded = Decoded::default();
    // Day, then group, then victims.
    let mut days: BTreeMap<Day, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (i, claim) in json::array(&document, "")?.iter().enumerate() {
        decoded.seen += 1;
        let row = i as u64 + 1;
        // The same interface answers in two shapes.
        let either = |a: &str, b: &str| match json::text(claim, a) {
            "" => json::text(claim, b).to_lowercase(),
            found => found.to_lowercase(),
        };
        let (victim, group) = (either("victim", "post_title"), either("group", "group_name"));
        if victim.is_empty() || group.is_empty() {
            decoded.reject(row, "id");
            continue;
        }
        let found = json::time(json::text(claim, "discovered"));
        let plausible = |t: &Timestamp| t.day() >= FIRST_CLAIM && *t <= payload.fetched_at.plus(HOUR);
        let Some(found) = found.filter(plausible) else {
            decoded.reject(row, "date");
            continue;
        };
        decoded.newest = decoded.newest.max(Some(found));
        if days.entry(found.day()).or_default().entry(group).or_default().insert(victim) {
            decoded.accepted += 1;
        } else {
            decoded.duplicates += 1;
        }
    }
    let stamp = Stamp::of(ORIGIN.feed, payload);
    for day in covered_days(payload, &days) {
        let groups = days.get(&day);
        let count: usize =
            groups.map_or(0, |g| g.values().map(|victims| victims.len().min(MAX_PER_GROUP)).sum());
        decoded.observations.push(stamp.daily(SERIES[0].series, day, count as f64));
    }
    table::finish(decoded)
}

/// A month's file covers its month, as far as it is over; a list of recent claims only the days between its ends.
fn covered_days<T>(payload: &Payload<'_>, days: &BTreeMap<Day, T>) -> Vec<Day> {
    let today = payload.fetched_at.day();
    let month = payload.name.strip_suffix(".json").and_then(|stem| Day::parse_iso(&format!("{stem}-01")));
    let (first, last) = match month {
        Some(first) => (first, next_month(first).plus(-1)),
        None => match (days.keys().next(), days.keys().next_back()) {
            // The oldest day of such a list is cut somewhere.
            (Some(first), Some(last)) => (first.plus(1), *last),
            _ => return Vec::new(),
        },
    };
    (first.0..=last.0.min(today.0 - 1)).map(Day).collect()
}

fn next_month(first: Day) -> Day {
    let later = first.plus(32);
    later.plus(1 - i32::from(later.ymd().2))
}

/// The victims of one month.
pub(crate) fn month(year: i32, month: i32) -> Source {
    let url = format!("https://api.ransomware.live/v2/victims/{year}/{month:02}");
    let source = Source::new(format!("{year}-{month:02}.json"), url, HOSTS, MAX_BYTES);
    Source { accept: "application/json", ..source }
}

/// This month and, in its first days, the one before; earlier months once each.
fn sources(now: Timestamp, memory: &FileMemory) -> Vec<Source> {
    let (year, month, day) = now.day().ymd();
    let months = i32::from(year) * 12 + i32::from(month) - 1;
    let source = |back: i32| self::month((months - back) / 12, (months - back) % 12 + 1);
    let mut sources = vec![source(0)];
    let mut history: Vec<_> = (1..HISTORY_MONTHS).map(source).collect();
    if day <= 3 {
        sources.push(history.remove(0));
    }
    history.retain(|s| !memory.has(&s.name));
    sources.extend(history.into_iter().take(HISTORY_PER_LOOK));
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, text: &str) -> Result<Decoded, Refusal> {
        let fetched_at = "2026-11-05T12:00:00Z".parse().unwrap();
        decode(&Payload { name, bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    #[test]
    fn both_shapes_count_each_victim_once() {
        let text = r#"[
            {"victim":"Acme","group":"Alpha","discovered":"2026-11-02T09:30:28+00:00"},
            {"post_title":"ACME","group_name":"alpha","discovered":"2026-11-02 23:00:00.000000"},
            {"post_title":"Bolt","group_name":"beta","discovered":"2026-11-04 01:00:00.000000"},
            {"victim":"<script>","group":"beta","discovered":""},
            {"victim":"","group":"beta","discovered":"2026-11-04 01:00:00"},
            {"victim":"Later","group":"beta","discovered":"2027-11-04 01:00:00"}]"#;
        let decoded = run("2026-11.json", text).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        let counts: Vec<_> = decoded.observations.iter().map(|o| o.value).collect();
        assert_eq!(counts, [0.0, 1.0, 0.0, 1.0]);
        let recent = run("recentvictims", text).unwrap();
        assert_eq!(recent.observations.iter().map(|o| o.value).collect::<Vec<_>>(), [0.0, 1.0]);
    }

    #[test]
    fn an_ancient_claim_fills_no_centuries() {
        assert_eq!(FIRST_CLAIM.to_string(), "2019-01-01");
        let text = r#"[{"victim":"Acme","group":"a","discovered":"0019-11-02T09:30:28Z"},
            {"victim":"Bolt","group":"a","discovered":"2026-11-02T09:30:28Z"},
            {"victim":"Coil","group":"a","discovered":"2026-11-03T09:30:28Z"}]"#;
        let decoded = run("recentvictims", text).unwrap();
        assert_eq!((decoded.accepted, decoded.rejected["date"], decoded.observations.len()), (2, 1, 1));
    }

    #[test]
    fn a_dump_is_not_a_wave() {
        let claims: Vec<_> = (0..200)
            .map(|i| format!(r#"{{"victim":"v{i}","group":"bulk","discovered":"2026-11-02T09:00:00Z"}}"#))
            .collect();
        let decoded = run("2026-11.json", &format!("[{}]", claims.join(","))).unwrap();
        assert_eq!(decoded.accepted, 200);
        assert_eq!(decoded.observations[1].value, MAX_PER_GROUP as f64);
    }

    #[test]
    fn other_documents_are_refused() {
        let check =
            |text: &str, code: &str| assert_eq!(run("2026-11.json", text).unwrap_err().code, code, "{text}");
        check(r#"{"detail":"Not found"}"#, "schema");
        check(r#"{"error":"rate limited"}"#, "error_body");
        check("[]", "empty");
        check("[{}]", "no_valid_rows");
        check("[", "bad_json");
    }

    #[test]
    fn months_are_asked_for_politely() {
        let names = |now: &str, memory: &FileMemory| -> Vec<String> {
            sources(now.parse().unwrap(), memory).into_iter().map(|s| s.name).collect()
        };
        let mut memory = FileMemory::default();
        assert_eq!(names("2026-01-15T00:00:00Z", &memory), ["2026-01.json", "2025-12.json", "2025-11.json"]);
        memory.files.insert("2025-12.json".to_owned(), Default::default());
        assert_eq!(names("2026-01-02T00:00:00Z", &memory)[..2], ["2026-01.json", "2025-12.json"]);
        assert_eq!(names("2026-01-15T00:00:00Z", &memory)[1..], ["2025-11.json", "2025-10.json"]);
    }
}
