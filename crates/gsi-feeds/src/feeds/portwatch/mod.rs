//! IMF PortWatch: ships and cargo through 28 chokepoints, daily since 2019, published weekly.

mod chokepoints;

use crate::connector::files::PollContext;
use crate::formats::arcgis::{self, HOSTS};
use crate::formats::json;
use crate::formats::series::{ObservationStamp, note_newest, plausible};
use crate::formats::table::{self, Table, TableRow};
use crate::{Feed, FileSource, Payload, unpack};
use chokepoints::{CHOKEPOINTS, Chokepoint, LAYERS, SERIES};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject};
use serde_json::Value;
use std::collections::BTreeSet;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_layers(&LAYERS);

static ORIGIN: Origin = Origin {
    feed: "portwatch",
    title: "PortWatch daily chokepoint transits",
    publisher: "International Monetary Fund",
    homepage: "https://portwatch.imf.org/",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "IMF terms", republish: true, note: "Attribution required." },
    attribution: "Source: International Monetary Fund, PortWatch (portwatch.imf.org)",
    poll_every_seconds: 3 * HOUR,
    warn_after_seconds: 15 * DAY,
    stale_after_seconds: 18 * DAY,
    default_on: true,
};

const LAYER: &str = "https://services9.arcgis.com/weJ1QsnbMYJlCHdG/arcgis/rest/services/Daily_Chokepoints_Data/FeatureServer/0/query";
/// A page of a thousand rows is 400 KB.
const MAX_BYTES: usize = 16 << 20;
/// The server's own limit.
const PAGE: usize = 1_000;
/// 28 chokepoints over at most 92 days.
const PAGES: usize = 3;
/// These pages, newest first, hold the last ten weeks with data.
const RECENT_PAGES: usize = 2;
/// Recent days are provisional, so every poll requests them. Their window moves by whole months, so that the address stays
/// the same for weeks and an unchanged answer is a 304.
const RECENT_DAYS: i32 = 90;
/// History pages per poll, so that seven years arrive within a day without a burst.
const HISTORY_PER_POLL: usize = 12;
/// Malacca sees about 300 ships a day.
const MAX_TRANSITS: f64 = 5_000.0;
const MAX_CAPACITY: f64 = 1e9;

struct Transit {
    place: &'static Chokepoint,
    day: Day,
    total: f64,
    capacity: Option<f64>,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let json = body.iter().find(|b| b.is_ascii() && !b.is_ascii_whitespace()) == Some(&b'{');
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let mut known = BTreeSet::new();
    let mut decoded = Decoded::default();
    let take = |transit: Result<Transit, Reject>| {
        let Some(transit) = decoded.take(transit, |t| known.insert((t.place.slug, t.day))) else { return };
        let Transit { place, day, total, capacity } = transit;
        note_newest(&mut decoded, day);
        decoded.observations.push(stamp.observe_day(place.transits, day, total));
        let capacity = capacity.map(|tons| stamp.observe_day(place.capacity, day, tons));
        decoded.observations.extend(capacity);
    };
    if json {
        read_json(payload, &body, take)?
    } else {
        read_csv(payload, &body, take)?
    }
    table::finish(decoded)
}

fn read_json(
    payload: &Payload<'_>,
    body: &[u8],
    mut take: impl FnMut(Result<Transit, Reject>),
) -> Result<(), PayloadRefusal> {
    let document = json::document(body)?;
    for attributes in arcgis::attributes(&document)? {
        let number = |key: &str| attributes.get(key).and_then(Value::as_f64);
        let id = json::text(attributes, "portid");
        take(check(payload, id, json_day(attributes), number("n_total"), number("capacity")));
    }
    Ok(())
}

/// Reads the date from the columns of year, month and day if present, because the date column has changed type and name.
fn json_day(attributes: &Value) -> Option<Day> {
    let part = |key: &str| attributes.get(key).and_then(Value::as_i64);
    if let (Some(y), Some(m), Some(d)) = (part("year"), part("month"), part("day")) {
        return Day::from_ymd(i16::try_from(y).ok()?, i8::try_from(m).ok()?, i8::try_from(d).ok()?);
    }
    arcgis::day(attributes)
}

/// Reads the mirror's table, and copies with names instead of numbers for the chokepoints.
fn read_csv(
    payload: &Payload<'_>,
    body: &[u8],
    mut take: impl FnMut(Result<Transit, Reject>),
) -> Result<(), PayloadRefusal> {
    let mut table = Table::open(body)?;
    let id = table.column("portid").map_or_else(|| table.require("chokepoint"), Ok)?;
    let date = table.require("date")?;
    let total = table.column("n_total").map_or_else(|| table.require("total"), Ok)?;
    let capacity = table.column("capacity");
    let read = |row: TableRow<'_>| {
        let day = row.cell(date).get(..10).and_then(|d| Day::parse_iso(&d.replace('/', "-")));
        let capacity = capacity.and_then(|column| row.cell(column).parse().ok());
        check(payload, row.cell(id), day, row.cell(total).parse().ok(), capacity)
    };
    while let Some(row) = table.next() {
        take(row.and_then(read));
    }
    Ok(())
}

fn check(
    payload: &Payload<'_>,
    id: &str,
    day: Option<Day>,
    total: Option<f64>,
    capacity: Option<f64>,
) -> Result<Transit, Reject> {
    let name = id.strip_suffix("_strait").unwrap_or(id);
    let place = CHOKEPOINTS.iter().find(|c| c.id == id || c.slug == name).ok_or(Reject::Id)?;
    let day = plausible(day, payload)?;
    let within = |value: &f64, most: f64| (0.0..=most).contains(value);
    let total = total.filter(|n| within(n, MAX_TRANSITS)).ok_or(Reject::Number)?;
    if capacity.is_some_and(|tons| !within(&tons, MAX_CAPACITY)) {
        return Err(Reject::Number);
    }
    Ok(Transit { place, day, total, capacity })
}

fn page(name: String, from: Day, before: Option<Day>, page: usize) -> FileSource {
    let offset = page * PAGE;
    let before = before.map_or_else(String::new, |d| format!("%20AND%20date%20%3C%20DATE%20%27{d}%27"));
    let url = format!(
        "{LAYER}?where=date%20%3E%3D%20DATE%20%27{from}%27{before}&outFields=*&orderByFields=date%20DESC,portid&resultOffset={offset}&resultRecordCount={PAGE}&returnGeometry=false&f=json"
    );
    // The server sometimes takes most of a minute.
    FileSource { time_limit_factor: 1.5, ..FileSource::json(name, url, HOSTS, MAX_BYTES) }
}

/// Returns the pages of the last three months, and a few pages of unread quarters, newest first.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let today = context.now.day();
    let recent = today.plus(-RECENT_DAYS).month_start(0);
    let pages = (0..RECENT_PAGES).map(|p| page(format!("recent-{p}.json"), recent, None, p));
    // The quarter that the recent window cuts is read in full once it no longer changes.
    let history = arcgis::quarters(recent).flat_map(|quarter| {
        let end = quarter.end.min(today.plus(-12));
        (0..PAGES).rev().map(move |p| page(format!("{}-{p}.json", quarter.name), quarter.start, Some(end), p))
    });
    let unread = history.filter(|source| !context.checkpoint.has(&source.name)).take(HISTORY_PER_POLL);
    pages.chain(unread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connector::files::{FileCheckpoint, requested_names};

    fn run(text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new("recent-0.json", text.as_bytes(), fetched_at))
    }

    #[test]
    fn dates_in_all_their_forms() {
        let check = |attributes: &str, want: &str| {
            let good = r#"{"attributes":{"date":"2026-06-01","portid":"chokepoint1","n_total":60}}"#;
            let decoded =
                run(&format!(r#"{{"features":[{good},{{"attributes":{{{attributes}}}}}]}}"#)).unwrap();
            assert!(decoded.is_balanced());
            let got = match decoded.rejected.keys().next() {
                Some(reason) => reason.to_string(),
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
    fn errors_with_a_success_status_are_refused() {
        let check = |text: &str, code: &str| assert_eq!(run(text).unwrap_err().code.key(), code, "{text}");
        check(r#"{"error":{"code":400,"message":"Cannot perform query."}}"#, "error_body");
        check(r#"{"features":[]}"#, "empty");
        check(r#"{"layers":[]}"#, "schema");
        check(r#"{"features":[{"attr"#, "bad_json");
        check(r#"{"features":[{"attributes":null}]}"#, "no_valid_rows");
    }

    #[test]
    fn history_is_read_a_few_pages_at_a_time() {
        let mut checkpoint = FileCheckpoint::default();
        let mut polls = 0;
        loop {
            let requested = requested_names(sources, "2026-11-15T00:00:00Z", &checkpoint);
            let history = &requested[RECENT_PAGES..];
            if history.is_empty() {
                break;
            }
            assert!(history.len() <= HISTORY_PER_POLL);
            polls += 1;
            checkpoint.files.extend(history.iter().map(|name| (name.clone(), Default::default())));
        }
        assert_eq!((polls, checkpoint.files.len()), (8, 31 * PAGES));
        assert!(checkpoint.has("2019q1-0.json") && checkpoint.has("2026q3-2.json"));
    }

    #[test]
    fn the_real_table() {
        for file in drills::real_data::files("portwatch") {
            let bytes = std::fs::read(&file).unwrap();
            let decoded = run(std::str::from_utf8(&bytes).unwrap()).unwrap();
            assert!(decoded.is_balanced() && decoded.rejected.is_empty(), "{:?}", decoded.rejected);
            assert_eq!(decoded.accepted, 4 * 2_192);
        }
    }
}
