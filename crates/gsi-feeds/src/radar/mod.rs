//! Cloudflare Radar: confirmed internet outages in force per UTC day, with the operator's token.

use crate::files::{FileMemory, Source};
use crate::json;
use crate::keyed::KeyedFeed;
use crate::refusal::{self, refuse};
use crate::series::Stamp;
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde_json::Value;
use std::collections::BTreeSet;

pub fn feed(token: &str) -> KeyedFeed {
    let setting = Some("feeds.keys.cloudflare");
    KeyedFeed { origin: &ORIGIN, series: &SERIES, decode, key: token.to_owned(), setting, sources }
}

static ORIGIN: Origin = Origin {
    feed: "radar",
    title: "Cloudflare Radar outage annotations",
    publisher: "Cloudflare",
    homepage: "https://radar.cloudflare.com/outage-center",
    pillar: Some(Pillar::Cyber),
    licence: Licence { name: "CC BY-NC 4.0", republish: false, note: "Non-commercial; daily counts only." },
    attribution: "Source: Cloudflare Radar",
    poll_every: HOUR,
    warn_after: 2 * DAY,
    stale_after: 3 * DAY,
    default_on: false,
};

const fn count(series: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit: "outages", cadence: DAY, publication_lag: 0, business_days: false }
}

static SERIES: [SeriesSpec; 2] = [count("radar.outages"), count("radar.nationwide")];

const URL: &str =
    "https://api.cloudflare.com/client/v4/radar/annotations/outages?dateRange=28d&limit=500&format=json";
const HOSTS: &[&str] = &["api.cloudflare.com"];
const MAX_BYTES: usize = 8 << 20;
/// The days that one answer speaks for.
const WINDOW_DAYS: i32 = 28;

struct Outage {
    from: Day,
    /// `None` while it lasts.
    to: Option<Day>,
    nationwide: bool,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let document = json::document(&body)?;
    if document.get("success") != Some(&Value::Bool(true)) {
        let errors = document.get("errors").map_or(String::new(), Value::to_string);
        return refuse(refusal::ERROR_BODY, refusal::extract(errors.as_bytes()));
    }
    let list = json::array(document.get("result").unwrap_or(&Value::Null), "annotations")?;
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut outages = Vec::new();
    for annotation in list {
        decoded.seen += 1;
        let row = decoded.seen;
        match outage(annotation, payload) {
            Err(reason) => decoded.reject(row, reason),
            Ok(_) if !known.insert(json::text(annotation, "id")) => decoded.duplicates += 1,
            Ok(outage) => {
                decoded.accepted += 1;
                outages.push(outage);
            }
        }
    }
    if decoded.accepted == 0 && decoded.seen > 0 {
        return crate::table::finish(decoded);
    }
    // Four weeks without an outage anywhere are unheard of, but a day without one is ordinary: a true zero.
    let stamp = Stamp::of(ORIGIN.feed, payload);
    for back in (1..=WINDOW_DAYS).rev() {
        let day = payload.fetched_at.day().plus(-back);
        let on = |o: &&Outage| o.from <= day && o.to.is_none_or(|to| to >= day);
        let open: Vec<_> = outages.iter().filter(on).collect();
        let nationwide = open.iter().filter(|o| o.nationwide).count();
        decoded.observations.push(stamp.daily(SERIES[0].series, day, open.len() as f64));
        decoded.observations.push(stamp.daily(SERIES[1].series, day, nationwide as f64));
        decoded.newest = decoded.newest.max(Some(day.end()));
    }
    Ok(decoded)
}

fn outage(annotation: &Value, payload: &Payload<'_>) -> Result<Outage, &'static str> {
    let id = json::text(annotation, "id");
    if id.is_empty() || id.len() > 64 {
        return Err("id");
    }
    let day = |key: &str| json::time(json::text(annotation, key)).map(Timestamp::day);
    let from = day("startDate").filter(|d| d.start() <= payload.fetched_at).ok_or("date")?;
    let open = annotation.get("endDate").is_none_or(Value::is_null);
    let to = if open { None } else { Some(day("endDate").filter(|to| *to >= from).ok_or("date")?) };
    let kind = annotation.get("outage").map_or("", |o| json::text(o, "outageType"));
    if !matches!(kind, "NATIONWIDE" | "REGIONAL" | "NETWORK" | "PLATFORM") {
        return Err("code");
    }
    Ok(Outage { from, to, nationwide: kind == "NATIONWIDE" })
}

fn sources(_: Timestamp, _: &FileMemory, token: &str) -> Vec<Source> {
    let headers = vec![("Authorization", format!("Bearer {token}"))];
    vec![Source { accept: "application/json", headers, ..Source::new("outages.json", URL, HOSTS, MAX_BYTES) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<Decoded, Refusal> {
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        decode(&Payload { name: "outages.json", bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    #[test]
    fn outages_in_force_by_day() {
        let outage = |id: &str, from: &str, to: &str, kind: &str| {
            format!(
                r#"{{"id":"{id}","startDate":"{from}","endDate":{to},"outage":{{"outageType":"{kind}"}}}}"#
            )
        };
        let list = [
            outage("1", "2026-11-12T10:00:00Z", "\"2026-11-13T01:00:00Z\"", "NATIONWIDE"),
            outage("2", "2026-11-13T10:00:00Z", "null", "NETWORK"),
            outage("1", "2026-11-12T10:00:00Z", "null", "NATIONWIDE"),
            outage("3", "2027-11-12T10:00:00Z", "null", "NATIONWIDE"),
            outage("4", "2026-11-12T10:00:00Z", "\"2026-11-01T01:00:00Z\"", "NATIONWIDE"),
            outage("5", "2026-11-12T10:00:00Z", "null", "<img src=x>"),
        ];
        let text =
            format!(r#"{{"success":true,"errors":[],"result":{{"annotations":[{}]}}}}"#, list.join(","));
        let decoded = run(&text).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected["date"]), (2, 1, 2));
        let of = |series: &str| -> Vec<f64> {
            let all: Vec<_> =
                decoded.observations.iter().filter(|o| o.series == series).map(|o| o.value).collect();
            all[all.len() - 4..].to_vec()
        };
        assert_eq!(
            (of("radar.outages"), of("radar.nationwide")),
            (vec![0.0, 1.0, 2.0, 1.0], vec![0.0, 1.0, 1.0, 0.0])
        );
    }

    #[test]
    fn errors_are_refused_and_no_outage_is_an_answer() {
        let error =
            r#"{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"result":null}"#;
        assert_eq!(run(error).unwrap_err().code, "error_body");
        assert_eq!(run(r#"{"success":true,"result":{}}"#).unwrap_err().code, "schema");
        let none = run(r#"{"success":true,"result":{"annotations":[]}}"#).unwrap();
        assert_eq!((none.seen, none.observations.len()), (0, 56));
    }
}
