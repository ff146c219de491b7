//! Cloudflare Radar: confirmed internet outages per UTC day, read with the operator's token.

use crate::connector::files::PollContext;
use crate::formats::series::{self, add_days};
use crate::formats::{json, table};
use crate::refusal::{extract, refuse};
use crate::{Feed, FeedKey, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde_json::Value;
use std::collections::BTreeSet;

pub const FEED: Feed =
    Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_keys(&[FeedKey::required("cloudflare")]);

static ORIGIN: Origin = Origin {
    feed: "radar",
    title: "Cloudflare Radar outage annotations",
    publisher: "Cloudflare",
    homepage: "https://radar.cloudflare.com/outage-center",
    pillar: Some(Pillar::Cyber),
    licence: Licence { name: "CC BY-NC 4.0", republish: false, note: "Non-commercial; daily counts only." },
    attribution: "Source: Cloudflare Radar",
    poll_every_seconds: HOUR,
    warn_after_seconds: 2 * DAY,
    stale_after_seconds: 3 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 2] =
    [SeriesSpec::daily("radar.outages", "outages", 0), SeriesSpec::daily("radar.nationwide", "outages", 0)];

const URL: &str =
    "https://api.cloudflare.com/client/v4/radar/annotations/outages?dateRange=28d&limit=500&format=json";
const HOSTS: &[&str] = &["api.cloudflare.com"];
const MAX_BYTES: usize = 8 << 20;
/// The number of days that one answer covers.
const WINDOW_DAYS: i32 = 28;

struct RadarOutage {
    from: Day,
    /// `None` while the outage lasts.
    to: Option<Day>,
    nationwide: bool,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    if document.get("success") != Some(&Value::Bool(true)) {
        let errors = document.get("errors").map_or(String::new(), Value::to_string);
        return refuse(RefusalCode::ErrorBody, extract(errors.as_bytes()));
    }
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut outages = Vec::new();
    for annotation in json::array(document.get("result").unwrap_or(&Value::Null), "annotations")? {
        let id = json::text(annotation, "id");
        outages.extend(decoded.take(read_outage(annotation, payload), |_| known.insert(id)));
    }
    if decoded.accepted == 0 && decoded.seen > 0 {
        return table::finish(decoded);
    }
    // Four weeks without any outage do not exist, but a day without one is ordinary and counts as zero.
    let today = payload.fetched_at.day();
    let window = series::days(today.plus(-WINDOW_DAYS), today.plus(-1));
    add_days(&mut decoded, &ORIGIN, payload, window, |day| {
        let is_open = |o: &&RadarOutage| o.from <= day && o.to.is_none_or(|to| to >= day);
        let open = outages.iter().filter(is_open);
        let nationwide = open.clone().filter(|o| o.nationwide).count();
        [(SERIES[0].series, open.count() as f64), (SERIES[1].series, nationwide as f64)]
    });
    decoded.newest = Some(today.start());
    Ok(decoded)
}

fn read_outage(annotation: &Value, payload: &Payload<'_>) -> Result<RadarOutage, Reject> {
    let id = json::text(annotation, "id");
    if id.is_empty() || id.len() > 64 {
        return Err(Reject::Id);
    }
    let day = |key: &str| json::time(json::text(annotation, key)).map(Timestamp::day);
    let from = day("startDate").filter(|d| d.start() <= payload.fetched_at).ok_or(Reject::Date)?;
    let open = annotation.get("endDate").is_none_or(Value::is_null);
    let to = if open { None } else { Some(day("endDate").filter(|to| *to >= from).ok_or(Reject::Date)?) };
    let kind = annotation.get("outage").map_or("", |o| json::text(o, "outageType"));
    if !matches!(kind, "NATIONWIDE" | "REGIONAL" | "NETWORK" | "PLATFORM") {
        return Err(Reject::Code);
    }
    Ok(RadarOutage { from, to, nationwide: kind == "NATIONWIDE" })
}

fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let headers = vec![("Authorization", format!("Bearer {}", context.credentials.get("cloudflare")))];
    vec![FileSource { headers, ..FileSource::json("outages.json", URL, HOSTS, MAX_BYTES) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        decode(&Payload::new("outages.json", text.as_bytes(), fetched_at))
    }

    #[test]
    fn outages_are_counted_by_day() {
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
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected[&Reject::Date]), (2, 1, 2));
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
    fn errors_are_refused_and_an_empty_list_is_accepted() {
        let error =
            r#"{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"result":null}"#;
        assert_eq!(run(error).unwrap_err().code.key(), "error_body");
        assert_eq!(run(r#"{"success":true,"result":{}}"#).unwrap_err().code.key(), "schema");
        let none = run(r#"{"success":true,"result":{"annotations":[]}}"#).unwrap();
        assert_eq!((none.seen, none.observations.len()), (0, 56));
    }
}
