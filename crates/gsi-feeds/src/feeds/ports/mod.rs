//! IMF PortWatch: calls and cargo of about two thousand ports, added up per day by the publisher's server, and calls per
//! week and country.

mod by_country;

use crate::connector::files::PollContext;
use crate::formats::arcgis::{self, HOSTS};
use crate::formats::series::{ObservationStamp, note_newest, plausible};
use crate::formats::{json, table};
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject};
use serde_json::Value;
use std::collections::BTreeSet;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "ports",
    title: "PortWatch daily port calls and cargo",
    publisher: "International Monetary Fund",
    homepage: "https://portwatch.imf.org/",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "IMF terms", republish: true, note: "Attribution required." },
    attribution: "Source: International Monetary Fund, PortWatch (portwatch.imf.org)",
    poll_every_seconds: 12 * HOUR,
    warn_after_seconds: 15 * DAY,
    stale_after_seconds: 18 * DAY,
    default_on: true,
};

const fn total(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec::daily(series, unit, 8 * DAY)
}

static SERIES: [SeriesSpec; 5] = [
    total("ports.calls", "ships"),
    total("ports.imports", "tons"),
    total("ports.exports", "tons"),
    by_country::CALLS,
    by_country::WORLD_CALLS,
];
/// Columns of the layer, and the names of their sums in the answer, in the order of [`SERIES`].
const SUMS: [(&str, &str); 3] = [("portcalls", "calls"), ("import", "imports"), ("export", "exports")];

const LAYER: &str = "https://services9.arcgis.com/weJ1QsnbMYJlCHdG/arcgis/rest/services/Daily_Ports_Data/FeatureServer/0/query";
const MAX_BYTES: usize = 4 << 20;
/// Recent days are provisional, so every poll requests them.
const RECENT_DAYS: i32 = 90;
const QUARTERS_PER_POLL: usize = 12;
/// The whole world loads about 35 million tons a day.
const LARGEST: f64 = 1e10;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    if let Some(week) = by_country::week_of(payload.name) {
        return by_country::decode(payload, week);
    }
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    for attributes in arcgis::attributes(&document)? {
        let Some((day, sums)) = decoded.take(read(attributes, payload), |(day, _)| known.insert(*day)) else {
            continue;
        };
        note_newest(&mut decoded, day);
        let sums = SERIES.iter().zip(sums).map(|(spec, sum)| stamp.observe_day(spec.series, day, sum));
        decoded.observations.extend(sums);
    }
    table::finish(decoded)
}

fn read(attributes: &Value, payload: &Payload<'_>) -> Result<(Day, [f64; SUMS.len()]), Reject> {
    let day = plausible(arcgis::day(attributes), payload)?;
    let mut sums = [0.0; SUMS.len()];
    for (sum, (_, name)) in sums.iter_mut().zip(SUMS) {
        let value = json::number(attributes, name).filter(|value| (0.0..=LARGEST).contains(value));
        *sum = value.ok_or(Reject::Number)?;
    }
    Ok((day, sums))
}

/// Returns the request for sums of the columns over the days from `from` to before `before`, one row per value of `group_by`.
fn window(name: String, from: Day, before: Day, group_by: &str) -> FileSource {
    let statistic = |(column, name): &(&str, &str)| {
        format!(
            "%7B%22statisticType%22%3A%22sum%22%2C%22onStatisticField%22%3A%22{column}%22%2C%22outStatisticFieldName%22%3A%22{name}%22%7D"
        )
    };
    let statistics: Vec<_> = SUMS.iter().map(statistic).collect();
    let url = format!(
        "{LAYER}?where=date%20%3E%3D%20DATE%20%27{from}%27%20AND%20date%20%3C%20DATE%20%27{before}%27&groupByFieldsForStatistics={group_by}&outStatistics=%5B{}%5D&resultRecordCount=1000&returnGeometry=false&f=json",
        statistics.join("%2C")
    );
    // The server needs a while to add up two thousand ports.
    FileSource { time_limit_factor: 1.5, ..FileSource::json(name, url, HOSTS, MAX_BYTES) }
}

/// Returns the last ninety days, a few unread quarters before them, newest first, and the weeks by country.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let today = context.now.day();
    let recent = today.plus(-RECENT_DAYS);
    let quarters =
        arcgis::quarters(recent).map(|q| window(format!("{}.json", q.name), q.start, q.end, "date"));
    let unread = quarters.filter(|source| !context.checkpoint.has(&source.name)).take(QUARTERS_PER_POLL);
    let daily =
        std::iter::once(window("recent.json".to_owned(), recent, today.plus(1), "date")).chain(unread);
    daily.chain(by_country::sources(context)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connector::files::{FileCheckpoint, requested_names};

    fn run(features: &str) -> Result<Decoded, PayloadRefusal> {
        let text = format!(r#"{{"features":[{features}]}}"#);
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new("recent.json", text.as_bytes(), fetched_at))
    }

    #[test]
    fn sums_by_day_in_both_date_types() {
        let row = |date: &str, calls: &str| {
            format!(r#"{{"attributes":{{"date":{date},"calls":{calls},"imports":3.1e7,"exports":3.0e7}}}}"#)
        };
        let rows = [
            row("\"2026-11-01\"", "5100"),
            row("1777593600000", "5000"),
            row("\"2026-11-01\"", "5100"),
            row("\"soon\"", "1"),
            row("\"2026-11-02\"", "-4"),
            row("\"2026-11-02\"", "\"<b>\""),
        ];
        let decoded = run(&rows.join(",")).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        assert_eq!((decoded.rejected[&Reject::Date], decoded.rejected[&Reject::Number]), (1, 2));
        assert_eq!(decoded.observations.len(), 6);
        assert_eq!(run("").unwrap_err().code.key(), "empty");
    }

    #[test]
    fn history_is_read_a_few_quarters_at_a_time() {
        let names = requested_names(sources, "2026-11-15T00:00:00Z", &FileCheckpoint::default());
        assert_eq!(names[..4], ["recent.json", "2026q3.json", "2026q2.json", "2026q1.json"]);
        assert_eq!(names.iter().filter(|name| !name.starts_with("week")).count(), 1 + QUARTERS_PER_POLL);
    }
}
