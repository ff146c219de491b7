//! IMF PortWatch: ships and cargo through 28 chokepoints, daily since 2019, published weekly.

mod chokepoints;

use crate::files::{FileFeed, FileMemory, Source};
use crate::json;
use crate::refusal::{self, refuse};
use crate::series::{self, Stamp};
use crate::table::{self, Table};
use crate::{Payload, unpack};
use chokepoints::{CHOKEPOINTS, Chokepoint, SERIES};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde_json::Value;
use std::collections::BTreeSet;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "portwatch",
    title: "PortWatch daily chokepoint transits",
    publisher: "International Monetary Fund",
    homepage: "https://portwatch.imf.org/",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "IMF terms", republish: true, note: "Attribution required." },
    attribution: "Source: International Monetary Fund, PortWatch (portwatch.imf.org)",
    poll_every: 3 * HOUR,
    warn_after: 15 * DAY,
    stale_after: 18 * DAY,
    default_on: true,
};

const LAYER: &str = "https://services9.arcgis.com/weJ1QsnbMYJlCHdG/arcgis/rest/services/Daily_Chokepoints_Data/FeatureServer/0/query";
const HOSTS: &[&str] = &["services9.arcgis.com"];
/// A page of a thousand rows is 400 KB.
const MAX_BYTES: usize = 16 << 20;
/// The server's own limit.
const PAGE: usize = 1_000;
/// 28 chokepoints over at most 92 days.
const PAGES: usize = 3;
/// Newest first, these hold the last ten weeks that have data.
const RECENT_PAGES: usize = 2;
/// Recent days are provisional and asked for at every look. Their window moves month by month, so that the address
/// stays the same for weeks and an unchanged answer costs neither side anything.
const RECENT_DAYS: i32 = 90;
const FIRST_YEAR: i16 = 2019;
/// History pages per look, so that seven years come in within a day without a burst.
const HISTORY_PER_LOOK: usize = 12;
/// Malacca sees about 300 ships a day.
const MAX_TRANSITS: f64 = 5_000.0;
const MAX_CAPACITY: f64 = 1e9;

struct Transit<'a> {
    place: &'a Chokepoint,
    day: Day,
    total: f64,
    capacity: Option<f64>,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let json = body.iter().find(|b| b.is_ascii() && !b.is_ascii_whitespace()) == Some(&b'{');
    if json { decode_json(payload, &body) } else { decode_csv(payload, &body) }
}

fn decode_json(payload: &Payload<'_>, body: &[u8]) -> Result<Decoded, Refusal> {
    let Ok(document) = serde_json::from_slice::<Value>(body) else {
        return refuse(refusal::BAD_JSON, "broken off or damaged");
    };
    if let Some(error) = document.get("error") {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("");
        return refuse(refusal::ERROR_BODY, refusal::extract(message.as_bytes()));
    }
    let Some(features) = document.get("features").and_then(Value::as_array) else {
        return refuse(refusal::SCHEMA, "no features");
    };
    // Throttling looks like this; a window without a single ship in the world does not exist.
    if features.is_empty() {
        return refuse(refusal::EMPTY, "no rows for a time that has rows");
    }
    let mut intake = Intake::new(payload);
    for feature in features {
        let attributes = feature.get("attributes").unwrap_or(&Value::Null);
        let number = |key: &str| attributes.get(key).and_then(Value::as_f64);
        let id = attributes.get("portid").and_then(Value::as_str).unwrap_or("");
        intake.add(id, json_day(attributes), number("n_total"), number("capacity"));
    }
    table::finish(intake.decoded)
}

/// Year, month and day as numbers when present; the date column has changed its type and its name before.
fn json_day(attributes: &Value) -> Option<Day> {
    let part = |key: &str| attributes.get(key).and_then(Value::as_i64);
    if let (Some(y), Some(m), Some(d)) = (part("year"), part("month"), part("day")) {
        return Day::from_ymd(i16::try_from(y).ok()?, i8::try_from(m).ok()?, i8::try_from(d).ok()?);
    }
    match attributes.get("date").or_else(|| attributes.get("date_"))? {
        Value::String(text) => Day::parse_iso(text.get(..10)?),
        ms => json::millis(ms).map(Timestamp::day),
    }
}

/// The mirror's table, and copies that name the chokepoint instead of numbering it.
fn decode_csv(payload: &Payload<'_>, body: &[u8]) -> Result<Decoded, Refusal> {
    let mut table = Table::open(body)?;
    let id = table.column("portid").map_or_else(|| table.require("chokepoint"), Ok)?;
    let date = table.require("date")?;
    let total = table.column("n_total").map_or_else(|| table.require("total"), Ok)?;
    let capacity = table.column("capacity");
    let mut intake = Intake::new(payload);
    let mut counts = Decoded::default();
    while let Some((_, record)) = table.next(&mut counts) {
        let cell = |i: usize| record.get(i).unwrap_or("").trim();
        let day = cell(date).get(..10).and_then(|d| Day::parse_iso(&d.replace('/', "-")));
        let capacity = capacity.and_then(|i| cell(i).parse().ok());
        intake.add(cell(id), day, cell(total).parse().ok(), capacity);
    }
    intake.decoded.seen += counts.rejected_total();
    intake.decoded.rejected.extend(counts.rejected);
    table::finish(intake.decoded)
}

struct Intake<'a> {
    payload: &'a Payload<'a>,
    stamp: Stamp,
    known: BTreeSet<(&'static str, Day)>,
    decoded: Decoded,
}

impl<'a> Intake<'a> {
    fn new(payload: &'a Payload<'a>) -> Self {
        let stamp = Stamp::of(ORIGIN.feed, payload);
        Intake { payload, stamp, known: BTreeSet::new(), decoded: Decoded::default() }
    }

    fn add(&mut self, id: &str, day: Option<Day>, total: Option<f64>, capacity: Option<f64>) {
        self.decoded.seen += 1;
        let row = self.decoded.seen;
        match self.check(id, day, total, capacity) {
            Err(reason) => self.decoded.reject(row, reason),
            Ok(transit) if !self.known.insert((transit.place.slug, transit.day)) => {
                self.decoded.duplicates += 1
            }
            Ok(Transit { place, day, total, capacity }) => {
                self.decoded.accepted += 1;
                series::note_newest(&mut self.decoded, day);
                self.decoded.observations.push(self.stamp.daily(place.transits, day, total));
                let capacity = capacity.map(|tons| self.stamp.daily(place.capacity, day, tons));
                self.decoded.observations.extend(capacity);
            }
        }
    }

    fn check(
        &self,
        id: &str,
        day: Option<Day>,
        total: Option<f64>,
        capacity: Option<f64>,
    ) -> Result<Transit<'static>, &'static str> {
        let name = id.strip_suffix("_strait").unwrap_or(id);
        let place = CHOKEPOINTS.iter().find(|c| c.id == id || c.slug == name).ok_or("id")?;
        let day = day.filter(|d| series::is_plausible(*d, self.payload)).ok_or("date")?;
        let within = |value: &f64, most: f64| (0.0..=most).contains(value);
        let total = total.filter(|n| within(n, MAX_TRANSITS)).ok_or("number")?;
        if capacity.is_some_and(|tons| !within(&tons, MAX_CAPACITY)) {
            return Err("number");
        }
        Ok(Transit { place, day, total, capacity })
    }
}

fn page(name: String, from: Day, before: Option<Day>, page: usize) -> Source {
    let offset = page * PAGE;
    let before = before.map_or_else(String::new, |d| format!("%20AND%20date%20%3C%20DATE%20%27{d}%27"));
    let url = format!(
        "{LAYER}?where=date%20%3E%3D%20DATE%20%27{from}%27{before}&outFields=*&orderByFields=date%20DESC,portid&resultOffset={offset}&resultRecordCount={PAGE}&returnGeometry=false&f=json"
    );
    // The layer sometimes takes most of a minute.
    Source { accept: "application/json", time_limit_factor: 1.5, ..Source::new(name, url, HOSTS, MAX_BYTES) }
}

/// The last three months always, and a few pages of the quarters not read yet, newest first.
fn sources(now: Timestamp, memory: &FileMemory) -> Vec<Source> {
    let today = now.day();
    let (year, month, _) = today.plus(-RECENT_DAYS).ymd();
    let recent = Day::from_ymd(year, month, 1).unwrap_or(today.plus(-RECENT_DAYS));
    let mut sources: Vec<_> =
        (0..RECENT_PAGES).map(|p| page(format!("recent-{p}.json"), recent, None, p)).collect();
    let mut history = Vec::new();
    for year in FIRST_YEAR..=recent.ymd().0 {
        for quarter in 0..4i8 {
            let start = Day::from_ymd(year, quarter * 3 + 1, 1);
            let end = if quarter == 3 {
                Day::from_ymd(year + 1, 1, 1)
            } else {
                Day::from_ymd(year, quarter * 3 + 4, 1)
            };
            let (Some(start), Some(end)) = (start, end) else { continue };
            // The quarter that the recent window cuts is read in full, once it is settled.
            if start >= recent {
                continue;
            }
            for p in 0..PAGES {
                let name = format!("{year}q{}-{p}.json", quarter + 1);
                if !memory.has(&name) {
                    history.push(page(name, start, Some(end.min(today.plus(-12))), p));
                }
            }
        }
    }
    sources.extend(history.into_iter().rev().take(HISTORY_PER_LOOK));
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<Decoded, Refusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload { name: "recent-0.json", bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    #[test]
    fn dates_in_all_their_forms() {
        let check = |attributes: &str, want: &str| {
            let good = r#"{"attributes":{"date":"2026-06-01","portid":"chokepoint1","n_total":60}}"#;
            let decoded =
                run(&format!(r#"{{"features":[{good},{{"attributes":{{{attributes}}}}}]}}"#)).unwrap();
            assert!(decoded.is_balanced());
            let got = match decoded.rejected.keys().next() {
                Some(reason) => reason.clone(),
                None => {
                    let last = decoded.observations.last().unwrap();
                    format!("{} {} {}", last.series, last.period_start.day(), last.value)
                }
            };
            assert_eq!(got, want, "{attributes}");
        };
        let hormuz = r#""portid":"chokepoint6","n_total":10"#;
        check(
            &format!(r#""date":"2026-06-02","year":2026,"month":6,"day":2,{hormuz}"#),
            "portwatch.hormuz.n_total 2026-06-02 10",
        );
        check(&format!(r#""date":1780358400000,{hormuz}"#), "portwatch.hormuz.n_total 2026-06-02 10");
        check(
            &format!(r#""date_":"2026-06-02",{hormuz},"capacity":5.5"#),
            "portwatch.hormuz.capacity 2026-06-02 5.5",
        );
        check(&format!(r#""date":"02.06.2026",{hormuz}"#), "date");
        check(&format!(r#""date":"2036-06-02",{hormuz}"#), "date");
        check(r#""date":"2026-06-02","portid":"chokepoint99","n_total":10"#, "id");
        check(r#""date":"2026-06-02","portid":"chokepoint6","n_total":-1"#, "number");
        check(r#""date":"2026-06-02","portid":"chokepoint6","n_total":"ten""#, "number");
    }

    #[test]
    fn errors_dressed_as_success() {
        let check = |text: &str, code: &str| assert_eq!(run(text).unwrap_err().code, code, "{text}");
        check(r#"{"error":{"code":400,"message":"Cannot perform query."}}"#, "error_body");
        check(r#"{"features":[]}"#, "empty");
        check(r#"{"layers":[]}"#, "schema");
        check(r#"{"features":[{"attr"#, "bad_json");
        check(r#"{"features":[{"attributes":null}]}"#, "no_valid_rows");
    }

    #[test]
    fn history_comes_a_few_pages_at_a_time() {
        let now = "2026-11-15T00:00:00Z".parse().unwrap();
        let mut memory = FileMemory::default();
        let mut looks = 0;
        loop {
            let history: Vec<_> =
                sources(now, &memory).into_iter().skip(RECENT_PAGES).map(|s| s.name).collect();
            if history.is_empty() {
                break;
            }
            assert!(history.len() <= HISTORY_PER_LOOK);
            looks += 1;
            memory.files.extend(history.into_iter().map(|name| (name, Default::default())));
        }
        assert_eq!((looks, memory.files.len()), (8, 31 * PAGES));
        assert!(memory.has("2019q1-0.json") && memory.has("2026q3-2.json"));
    }

    #[test]
    fn the_real_table() {
        for file in crate::real_data::files("portwatch") {
            let bytes = std::fs::read(&file).unwrap();
            let decoded = run(std::str::from_utf8(&bytes).unwrap()).unwrap();
            assert!(decoded.is_balanced() && decoded.rejected.is_empty(), "{:?}", decoded.rejected);
            assert_eq!(decoded.accepted, 4 * 2_192);
        }
    }
}
