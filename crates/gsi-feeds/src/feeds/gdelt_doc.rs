//! Timelines of GDELT's document search: for each day since 2017 how negative the world's English-language press was about
//! a fixed set of words, and the share of articles that used them.
//!
//! The API allows one request in five seconds. It reports "too many" as often in a sentence with status 200 as by status.
//! The first poll requests the whole history at once, later ones only the days that may still change.

use crate::connector::files::PollContext;
use crate::formats::series::{ObservationStamp, note_newest};
use crate::formats::{json, table};
use crate::refusal::{extract, refuse};
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_history(history);

static ORIGIN: Origin = Origin {
    feed: "gdelt_doc",
    title: "GDELT news tone timelines",
    publisher: "The GDELT Project",
    homepage: "https://blog.gdeltproject.org/gdelt-doc-2-0-api-debuts/",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Free for any use with a link", republish: true, note: "" },
    attribution: "Source: The GDELT Project, https://www.gdeltproject.org/",
    poll_every_seconds: 6 * HOUR,
    warn_after_seconds: 3 * DAY,
    stale_after_seconds: 5 * DAY,
    default_on: true,
};

/// The kind of timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimelineMode {
    /// Mean tone of the matching articles. It is stored with the opposite sign, so that higher is worse.
    Tone,
    /// Matching articles as a percentage of all.
    Volume,
}

impl TimelineMode {
    fn parameter(self) -> &'static str {
        match self {
            TimelineMode::Tone => "timelinetone",
            TimelineMode::Volume => "timelinevol",
        }
    }
}

struct ToneTimeline {
    series: &'static str,
    mode: TimelineMode,
    query: &'static str,
    /// An indicator uses it. The others are recorded to have a history for later indicators.
    is_scored: bool,
}

const SANCTIONS: &str = r#"(tariffs OR "trade war" OR sanctions) sourcelang:english"#;

/// In the order of [`SERIES`]. The query defines the meaning of its series, so a changed query needs a new series.
const TIMELINES: [ToneTimeline; 6] = [
    ToneTimeline {
        series: "gdelt_doc.market_negativity",
        mode: TimelineMode::Tone,
        query: r#"(nasdaq OR "stock market" OR "wall street") sourcelang:english"#,
        is_scored: true,
    },
    ToneTimeline {
        series: "gdelt_doc.sanctions_negativity",
        mode: TimelineMode::Tone,
        query: SANCTIONS,
        is_scored: true,
    },
    ToneTimeline {
        series: "gdelt_doc.sanctions_share",
        mode: TimelineMode::Volume,
        query: SANCTIONS,
        is_scored: false,
    },
    ToneTimeline {
        series: "gdelt_doc.economy_negativity",
        mode: TimelineMode::Tone,
        query: "(economy OR recession OR unemployment) sourcelang:english",
        is_scored: false,
    },
    ToneTimeline {
        series: "gdelt_doc.rates_negativity",
        mode: TimelineMode::Tone,
        query: r#"("interest rates" OR "central bank" OR inflation) sourcelang:english"#,
        is_scored: false,
    },
    ToneTimeline {
        series: "gdelt_doc.shipping_share",
        mode: TimelineMode::Volume,
        query: r#"("container ship" OR "shipping lines" OR "cargo ship") sourcelang:english"#,
        is_scored: false,
    },
];

const fn daily(index: usize) -> SeriesSpec {
    let unit = match TIMELINES[index].mode {
        TimelineMode::Tone => "minus tone",
        TimelineMode::Volume => "% of articles",
    };
    SeriesSpec::daily(TIMELINES[index].series, unit, 6 * HOUR)
}

static SERIES: [SeriesSpec; 6] = [daily(0), daily(1), daily(2), daily(3), daily(4), daily(5)];

const HOSTS: &[&str] = &["api.gdeltproject.org"];
/// Ten years of days are 200 KB.
const MAX_BYTES: usize = 4 << 20;
/// The publisher's own limit.
const LEAST_INTERVAL: Duration = Duration::from_secs(5);
/// The publisher may need minutes for a window of years.
const TIME_LIMIT_FACTOR: f32 = 4.0;
const FIRST_DAY: Day = Day(17_167);
/// A single day's mean is between about -10 and 10.
const LARGEST_TONE: f64 = 50.0;
/// The beginning of the text that reports too many requests.
const THROTTLED: &[u8] = b"please limit requests";

/// Decodes one timeline. The payload's name begins with the name of the series.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let name = payload.name.split('.').next().unwrap_or("");
    let found = TIMELINES.iter().find(|t| t.series.strip_prefix("gdelt_doc.") == Some(name));
    let Some(timeline) = found else {
        return refuse(RefusalCode::Schema, format!("no timeline is called {}", extract(name.as_bytes())));
    };
    let body = unpack(payload.bytes, MAX_BYTES)?;
    check_is_document(&body)?;
    let document = json::document(&body)?;
    // A search without any result is an empty document.
    if document.as_object().is_some_and(|o| o.is_empty()) {
        return refuse(RefusalCode::Empty, "a timeline without a day");
    }
    let read = |point: &Value| {
        let days = FIRST_DAY..payload.fetched_at.day();
        let day = day_of(json::text(point, "date")).filter(|day| days.contains(day)).ok_or(Reject::Date)?;
        Ok((day, value_of(timeline.mode, json::number(point, "value")).ok_or(Reject::Number)?))
    };
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    for line in json::array(&document, "timeline")? {
        for point in json::array(line, "data")? {
            if let Some((day, value)) = decoded.take(read(point), |(day, _)| known.insert(*day)) {
                note_newest(&mut decoded, day);
                decoded.observations.push(stamp.observe_day(timeline.series, day, value));
            }
        }
    }
    table::finish(decoded)
}

/// Refuses plain text, in which the publisher reports errors with status 200.
fn check_is_document(body: &[u8]) -> Result<(), PayloadRefusal> {
    let text = body.trim_ascii_start();
    if text.first() == Some(&b'{') {
        return Ok(());
    }
    let start = text[..text.len().min(THROTTLED.len())].to_ascii_lowercase();
    if start == THROTTLED {
        return refuse(RefusalCode::Status429, "the publisher asks for fewer requests");
    }
    let is_text =
        std::str::from_utf8(body).is_ok_and(|t| !t.chars().any(|c| c.is_control() && !c.is_whitespace()));
    let code = if is_text && !text.is_empty() { RefusalCode::ErrorBody } else { RefusalCode::BadJson };
    refuse(code, extract(text))
}

fn value_of(mode: TimelineMode, value: Option<f64>) -> Option<f64> {
    let value = value?;
    match mode {
        // Adding zero turns a negative zero into zero.
        TimelineMode::Tone => (value.abs() <= LARGEST_TONE).then_some(0.0 - value),
        TimelineMode::Volume => (0.0..=100.0).contains(&value).then_some(value),
    }
}

/// Parses `20190101T000000Z`. Short windows have finer points, and those are rejected.
fn day_of(text: &str) -> Option<Day> {
    let date = text.strip_suffix("T000000Z")?;
    let parts = (date.get(..4)?, date.get(4..6)?, date.get(6..)?);
    Day::parse_iso(&format!("{}-{}-{}", parts.0, parts.1, parts.2))
}

/// Returns first only the whole history of the scored timelines: two requests that end before the first tick. Later polls
/// request the days since the beginning of last year again, because the newest are revised and the service may have been
/// off for months.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let (now, checkpoint) = (context.now, context.checkpoint);
    let yesterday = now.day().plus(-1);
    let (year, ..) = now.day().ymd();
    let recent = Day::from_ymd(year - 1, 1, 1).unwrap_or(FIRST_DAY).max(FIRST_DAY);
    let history_name = |t: &ToneTimeline| file_name(t, "history");
    let waits = |t: &&ToneTimeline| !checkpoint.has(&history_name(t));
    let scored: Vec<&ToneTimeline> = TIMELINES.iter().filter(|t| t.is_scored).filter(waits).collect();
    let requested = if scored.is_empty() { TIMELINES.iter().collect() } else { scored };
    let file = |t: &ToneTimeline| match checkpoint.has(&history_name(t)) {
        true => window(t, "recent", recent, yesterday),
        false => window(t, "history", FIRST_DAY, yesterday),
    };
    requested.into_iter().map(file).collect()
}

fn file_name(timeline: &ToneTimeline, span: &str) -> String {
    let name = timeline.series.strip_prefix("gdelt_doc.").unwrap_or(timeline.series);
    format!("{name}.{span}.json")
}

fn window(timeline: &ToneTimeline, span: &str, from: Day, to: Day) -> FileSource {
    let query: String = url::form_urlencoded::byte_serialize(timeline.query.as_bytes()).collect();
    let compact = |day: Day| day.to_string().replace('-', "");
    let url = format!(
        "https://api.gdeltproject.org/api/v2/doc/doc?query={query}&mode={}&format=json&STARTDATETIME={}000000&ENDDATETIME={}235959",
        timeline.mode.parameter(),
        compact(from),
        compact(to),
    );
    FileSource {
        time_limit_factor: TIME_LIMIT_FACTOR,
        least_interval: LEAST_INTERVAL,
        ..FileSource::json(file_name(timeline, span), url, HOSTS, MAX_BYTES)
    }
}

/// Returns the timelines of these days in windows of a year, newest first.
fn history(from: Day, to: Day) -> Vec<FileSource> {
    let (first, last) = (from.max(FIRST_DAY), to);
    let years = (first.ymd().0..=last.ymd().0).rev();
    years
        .flat_map(|year| {
            let begin = Day::from_ymd(year, 1, 1).unwrap_or(first).max(first);
            let end = Day::from_ymd(year, 12, 31).unwrap_or(last).min(last);
            TIMELINES.iter().map(move |t| window(t, &year.to_string(), begin, end))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Credentials;
    use crate::connector::files::FileCheckpoint;

    fn run(name: &str, body: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        decode(&Payload::new(name, body.as_bytes(), fetched_at))
    }

    fn timeline(points: &str) -> String {
        format!(
            r#"{{"query_details":{{"title":"x"}},"timeline":[{{"series":"Average Tone","data":[{points}]}}]}}"#
        )
    }

    #[test]
    fn days_of_tone_and_of_volume() {
        let points = timeline(
            r#"{"date":"20261112T000000Z","value":-1.25},{"date":"20261113T000000Z","value":0.5},
               {"date":"20261113T000000Z","value":0.5},{"date":"20261114T120000Z","value":1},
               {"date":"20261115T000000Z","value":1},{"date":"20161231T000000Z","value":1},{"date":"20261114T000000Z","value":60},
               {"date":"20261114T000000Z","value":null},{"date":"yesterday","value":1}"#,
        );
        let tone = run("market_negativity.history.json", &points).unwrap();
        assert!(tone.is_balanced());
        assert_eq!((tone.seen, tone.accepted, tone.duplicates), (9, 2, 1));
        assert_eq!((tone.rejected[&Reject::Date], tone.rejected[&Reject::Number]), (4, 2));
        let values: Vec<_> = tone.observations.iter().map(|o| (o.series.as_str(), o.value)).collect();
        assert_eq!(values, [("gdelt_doc.market_negativity", 1.25), ("gdelt_doc.market_negativity", -0.5)]);
        assert_eq!(tone.newest.unwrap().to_string(), "2026-11-14T00:00:00Z");

        let volume = run("sanctions_share.recent.json", &points).unwrap();
        let values: Vec<_> = volume.observations.iter().map(|o| o.value).collect();
        assert_eq!(values, [0.5, 60.0], "the sign of a share is kept, and negative shares are rejected");
    }

    #[test]
    fn errors_with_a_success_status_are_refused() {
        let check = |name: &str, body: &str, want: &str| {
            assert_eq!(run(name, body).unwrap_err().code.key(), want, "{body}");
        };
        let name = "market_negativity.history.json";
        check(name, "Please limit requests to one every 5 seconds or contact us.\n", "status_429");
        check(name, "The specified phrase is too short.\n", "error_body");
        check(name, "Your query was too long.", "error_body");
        check(name, "\u{0}\u{1}garbage", "bad_json");
        check(name, r#"{"timeline":[{"data":["#, "bad_json");
        check(name, "{}", "empty");
        check(name, r#"{"timeline":[]}"#, "empty");
        check(name, r#"{"payload":{"timeline":[]}}"#, "schema");
        check(name, r#"{"timeline":[{"series":"Average Tone"}]}"#, "schema");
        check("weather.history.json", &timeline(""), "schema");
    }

    #[test]
    fn queries_keep_the_limits_of_the_publisher() {
        for timeline in &TIMELINES {
            assert!(timeline.query.len() <= 222, "{}", timeline.series);
        }
    }

    #[test]
    fn the_scored_history_comes_first() {
        let requested = |checkpoint: &FileCheckpoint| {
            let now = "2026-11-15T06:00:00Z".parse().unwrap();
            sources(&PollContext { now, checkpoint, credentials: &Credentials::default() })
        };
        let mut checkpoint = FileCheckpoint::default();
        let names = |checkpoint: &FileCheckpoint| -> Vec<String> {
            requested(checkpoint).into_iter().map(|s| s.name).collect()
        };
        assert_eq!(
            names(&checkpoint),
            ["market_negativity.history.json", "sanctions_negativity.history.json"]
        );
        let first = requested(&checkpoint).remove(0);
        assert_eq!(
            first.urls[0],
            "https://api.gdeltproject.org/api/v2/doc/doc?query=%28nasdaq+OR+%22stock+market%22+OR+%22wall+street%22%29+sourcelang%3Aenglish&mode=timelinetone&format=json&STARTDATETIME=20170101000000&ENDDATETIME=20261114235959"
        );
        assert_eq!(first.least_interval, Duration::from_secs(5));
        for source in requested(&checkpoint) {
            checkpoint.files.insert(source.name, Default::default());
        }
        let second = names(&checkpoint);
        assert_eq!((second.len(), second[0].as_str()), (6, "market_negativity.recent.json"));
        assert_eq!(second[5], "shipping_share.history.json");
        let recent = requested(&checkpoint).remove(0);
        assert!(recent.urls[0].contains("STARTDATETIME=20250101000000"), "{}", recent.urls[0]);
    }
}
