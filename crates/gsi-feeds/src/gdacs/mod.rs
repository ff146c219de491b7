//! Disaster alerts of GDACS: orange and red ones by the day they began. Droughts, open for months, are left out.

use crate::file_source::FileSource;
use crate::files::{FileFeed, PollContext};
use crate::series::{self, add_days};
use crate::{Payload, SeriesSpec, json, table, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject, Timestamp};
use serde_json::Value;
use std::collections::BTreeMap;

pub const FEED: FileFeed = FileFeed::new(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "gdacs",
    title: "Global Disaster Alert and Coordination System",
    publisher: "European Commission JRC and UN OCHA",
    homepage: "https://www.gdacs.org/",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "Free with credit", republish: true, note: "For information only." },
    attribution: "Source: GDACS, European Commission JRC / UN OCHA",
    poll_every: HOUR,
    warn_after: 3 * DAY,
    stale_after: 7 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec::daily("gdacs.alerts", "alerts", 6 * HOUR)];

const HOSTS: &[&str] = &["www.gdacs.org"];
/// A hundred features with their descriptions are under a megabyte.
const MAX_BYTES: usize = 16 << 20;
/// The list is cut at a hundred entries; a fortnight of orange and red alerts is about twenty.
const WINDOW_DAYS: i32 = 14;
const KINDS: [&str; 7] = ["EQ", "TC", "FL", "VO", "WF", "TS", "DR"];

struct Alert {
    /// Kind and number of the event.
    event: (String, i64),
    episode: i64,
    began: Timestamp,
    is_grave: bool,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let mut decoded = Decoded::default();
    // The newest episode of each event speaks for it.
    let mut events: BTreeMap<(String, i64), (i64, Day, bool)> = BTreeMap::new();
    for feature in json::array(&document, "features")? {
        let alert = read_alert(feature, payload).map(|alert| {
            decoded.newest = decoded.newest.max(Some(alert.began));
            let known = events.get(&alert.event).map(|(episode, ..)| *episode);
            if known.is_none_or(|known| known < alert.episode) {
                events.insert(alert.event, (alert.episode, alert.began.day(), alert.is_grave));
            }
            known
        });
        decoded.take(alert, Option::is_none);
    }
    let today = payload.fetched_at.day();
    let days = series::days(today.plus(1 - WINDOW_DAYS), today.plus(-1));
    add_days(&mut decoded, &ORIGIN, payload, days, |day| {
        let grave = events.values().filter(|(_, began, is_grave)| *began == day && *is_grave);
        [(SERIES[0].series, grave.count() as f64)]
    });
    table::finish(decoded)
}

fn read_alert(feature: &Value, payload: &Payload<'_>) -> Result<Alert, Reject> {
    // Affected areas come as polygons beside the events themselves.
    if feature.get("geometry").map(|g| json::text(g, "type")) != Some("Point") {
        return Err(Reject::Geometry);
    }
    let properties = feature.get("properties").ok_or(Reject::Columns)?;
    let kind = json::text(properties, "eventtype");
    let level = json::text(properties, "alertlevel");
    if !KINDS.contains(&kind) || !["Green", "Orange", "Red"].contains(&level) {
        return Err(Reject::Code);
    }
    let whole = |key: &str| properties.get(key).and_then(Value::as_i64);
    let id = whole("eventid").ok_or(Reject::Id)?;
    let began = json::time(json::text(properties, "fromdate")).ok_or(Reject::Date)?;
    if began > payload.fetched_at.plus(DAY) {
        return Err(Reject::Date);
    }
    Ok(Alert {
        event: (kind.to_owned(), id),
        episode: whole("episodeid").unwrap_or(0),
        began,
        is_grave: level != "Green" && kind != "DR",
    })
}

fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let url = format!(
        "https://www.gdacs.org/gdacsapi/api/events/geteventlist/SEARCH?eventlist=EQ;TC;FL;VO;WF&alertlevel=orange;red&fromdate={}&todate={}&pagesize=100&pagenumber=1",
        context.now.day().plus(-WINDOW_DAYS),
        context.now.day().plus(1)
    );
    vec![FileSource::json("SEARCH", url, HOSTS, MAX_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_by_day_and_newest_episode() {
        let event = |kind: &str, id: i64, episode: i64, level: &str, date: &str| {
            format!(
                r#"{{"geometry":{{"type":"Point","coordinates":[1,2]}},"properties":{{"eventtype":"{kind}","eventid":{id},"episodeid":{episode},"alertlevel":"{level}","fromdate":"{date}"}}}}"#
            )
        };
        let list = [
            event("EQ", 1, 1, "Orange", "2026-11-13T11:34:41"),
            event("TC", 2, 1, "Red", "2026-11-13T01:00:00"),
            event("TC", 2, 3, "Green", "2026-11-13T01:00:00"),
            event("TC", 2, 2, "Red", "2026-11-13T01:00:00"),
            event("DR", 3, 1, "Red", "2026-11-13T01:00:00"),
            event("XX", 4, 1, "Red", "2026-11-13T01:00:00"),
            event("FL", 5, 1, "Red", "last week"),
            r#"{"geometry":{"type":"Polygon"},"properties":{}}"#.to_owned(),
        ];
        let text = format!(r#"{{"features":[{}]}}"#, list.join(","));
        let fetched_at = "2026-11-15T00:10:00Z".parse().unwrap();
        let payload = Payload::new("SEARCH", text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected_total()), (3, 2, 3));
        let counts: Vec<_> = decoded.observations.iter().rev().take(2).map(|o| o.value).collect();
        assert_eq!(counts, [0.0, 1.0]);
    }
}
