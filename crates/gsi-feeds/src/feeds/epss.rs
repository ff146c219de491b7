//! EPSS: the daily probability that each known vulnerability is exploited within a month.
//!
//! One day's file gives the number of likely ones, and two days' files give the number that became likely. A new model
//! version moves all scores at once, so no change is computed across two versions.

use crate::connector::files::{read_checkpoint, write_checkpoint};
use crate::formats::series::{self, add_days};
use crate::formats::table;
use crate::refusal::refuse;
use crate::{Feed, Fetcher, FileSource, Payload, Poll, Request, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

pub const FEED: Feed = Feed::polled(&ORIGIN, &SERIES, HOSTS, decode, |fetcher, now, checkpoint| {
    Box::pin(poll(fetcher, now, checkpoint))
})
.with_daily_history(history);

static ORIGIN: Origin = Origin {
    feed: "epss",
    title: "Exploit Prediction Scoring System",
    publisher: "FIRST.org",
    homepage: "https://www.first.org/epss",
    pillar: Some(Pillar::Cyber),
    licence: Licence { name: "Free use with citation", republish: true, note: "" },
    attribution: "EPSS, FIRST.org (https://www.first.org/epss)",
    poll_every_seconds: 3 * HOUR,
    warn_after_seconds: 2 * DAY,
    stale_after_seconds: 3 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("epss.over_half", "vulnerabilities", 0),
    SeriesSpec::daily("epss.crossings", "vulnerabilities", 0),
];

const HOSTS: &[&str] = &["epss.empiricalsecurity.com"];
/// Three megabytes packed, fourteen unpacked.
const MAX_PACKED: usize = 16 << 20;
const MAX_BYTES: usize = 96 << 20;
/// The probability from which a vulnerability counts as likely to be exploited.
const LIKELY: f64 = 0.5;
/// Days read by the first poll. The indicator sums a week.
const FIRST_DAYS: i32 = 14;
/// The first poll reads all of them, so that it ends with today's scores. One file is in memory at a time.
const DAYS_PER_POLL: usize = FIRST_DAYS as usize;

/// The content of one day's file.
struct EpssScores {
    decoded: Decoded,
    day: Day,
    model: String,
    likely: HashSet<u64>,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let scores = read(payload)?;
    Ok(scores.decoded)
}

fn read(payload: &Payload<'_>) -> Result<EpssScores, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let Ok(text) = std::str::from_utf8(&body) else {
        return refuse(RefusalCode::Schema, "not text");
    };
    let mut lines = text.lines();
    let Some((model, day)) = lines.next().and_then(preamble) else {
        return refuse(RefusalCode::Schema, "no model version and score date in the first line");
    };
    if day > payload.fetched_at.day().plus(1) {
        return refuse(RefusalCode::Clock, format!("scores of {day}, after they were fetched"));
    }
    if lines.next() != Some("cve,epss,percentile") {
        return refuse(RefusalCode::Schema, "not the columns cve, epss, percentile");
    }
    let mut decoded = Decoded::default();
    let mut known = HashSet::new();
    let mut likely = HashSet::new();
    for line in lines.filter(|l| !l.is_empty()) {
        if let Some((cve, score)) = decoded.take(read_score(line), |(cve, _)| known.insert(*cve))
            && score >= LIKELY
        {
            likely.insert(cve);
        }
    }
    if !text.ends_with('\n') {
        return refuse(RefusalCode::Truncated, "the last row has no end");
    }
    decoded.newest = Some(day.end().min(payload.fetched_at));
    add_days(&mut decoded, &ORIGIN, payload, [day], |_| [(SERIES[0].series, likely.len() as f64)]);
    let decoded = table::finish(decoded)?;
    Ok(EpssScores { decoded, day, model, likely })
}

/// Parses `#model_version:v2025.03.14,score_date:2026-05-18T00:00:00Z`. The zone is also written `+0000`.
fn preamble(line: &str) -> Option<(String, Day)> {
    let (model, date) = line.strip_prefix("#model_version:")?.split_once(",score_date:")?;
    Some((gsi_model::text::neutral(model, 40).into_owned(), Day::parse_iso(date.get(..10)?)?))
}

/// Returns the vulnerability as a number, and its score.
fn read_score(line: &str) -> Result<(u64, f64), Reject> {
    let mut cells = line.split(',');
    let (Some(cve), Some(epss), Some(percentile), None) =
        (cells.next(), cells.next(), cells.next(), cells.next())
    else {
        return Err(Reject::Columns);
    };
    let (year, number) = cve.strip_prefix("CVE-").and_then(|rest| rest.split_once('-')).ok_or(Reject::Id)?;
    let digits = |s: &str| !s.is_empty() && s.len() <= 9 && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(year) || !digits(number) || year.len() != 4 || number.len() < 4 {
        return Err(Reject::Id);
    }
    let key = year
        .parse::<u64>()
        .ok()
        .zip(number.parse::<u64>().ok())
        .map(|(y, n)| y << 32 | n)
        .ok_or(Reject::Id)?;
    let unit = |text: &str| series::number(text, 0.0..=1.0).ok_or(Reject::Number);
    unit(percentile)?;
    Ok((key, unit(epss)?))
}

#[derive(Default, Serialize, Deserialize)]
struct EpssCheckpoint {
    /// The last day whose crossings have been counted, for example `2026-11-14`.
    #[serde(default)]
    done: String,
}

fn history(from: Day, to: Day) -> Vec<FileSource> {
    series::days(from, to).rev().map(source_of_day).collect()
}

async fn poll(fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let mut checkpoint: EpssCheckpoint = read_checkpoint(checkpoint);
    let mut poll = Poll::default();
    let oldest = now.day().plus(-FIRST_DAYS);
    let mut before: Option<EpssScores> = None;
    // After a long absence only the last days are read, because the indicator needs one week.
    let mut day = Day::parse_iso(&checkpoint.done).map_or(oldest, |done| done.max(oldest));
    let mut reached = false;
    for _ in 0..=DAYS_PER_POLL {
        if day > now.day() {
            break;
        }
        match fetch(fetcher, now, day).await {
            Ok(mut scores) => {
                reached = true;
                if let Some(known) = &before {
                    add_crossings(&mut scores, known);
                    checkpoint.done = scores.day.to_string();
                }
                poll.decoded.push(std::mem::take(&mut scores.decoded));
                before = Some(scores);
            }
            // Today's file appears in the afternoon.
            Err(refusal) if refusal.code == RefusalCode::Status404 && now.day().0 - day.0 <= 1 => {
                reached = true;
                break;
            }
            Err(refusal) => {
                poll.refusals.push(refusal);
                break;
            }
        }
        day = day.plus(1);
    }
    // The first file of a poll is the day before, which only serves to compute changes.
    if !checkpoint.done.is_empty() && poll.decoded.len() == 1 && poll.refusals.is_empty() {
        poll.decoded.clear();
    }
    poll.unchanged = reached && poll.decoded.is_empty();
    poll.checkpoint = write_checkpoint(&checkpoint);
    poll
}

/// Returns the file with the scores of one day.
fn source_of_day(day: Day) -> FileSource {
    let name = format!("epss_scores-{day}.csv.gz");
    let url = format!("https://epss.empiricalsecurity.com/{name}");
    FileSource::new(name, url, HOSTS, MAX_PACKED)
}

async fn fetch(fetcher: &Fetcher, now: Timestamp, day: Day) -> Result<EpssScores, PayloadRefusal> {
    let FileSource { name, urls, .. } = source_of_day(day);
    let request = Request::new(ORIGIN.feed, &urls[0], HOSTS, now).max_bytes(MAX_PACKED);
    let fetched = fetcher.get(&request).await?;
    let job = move || {
        let payload = Payload::new(&name, &fetched.bytes, now);
        read(&Payload { last_modified: fetched.modified_at, ..payload })
    };
    let scores = match tokio::task::spawn_blocking(job).await {
        Ok(outcome) => outcome?,
        Err(_) => return refuse(RefusalCode::Garbage, "the decoder gave up on this payload"),
    };
    if scores.day != day {
        return refuse(RefusalCode::Schema, format!("scores of {} in the file of {day}", scores.day));
    }
    Ok(scores)
}

/// Counts the vulnerabilities that became likely since the day before.
fn add_crossings(scores: &mut EpssScores, before: &EpssScores) {
    if scores.model != before.model || scores.day != before.day.plus(1) {
        return;
    }
    let crossed = scores.likely.iter().filter(|cve| !before.likely.contains(*cve)).count();
    if let Some(like) = scores.decoded.observations.first() {
        let mut observation = like.clone();
        observation.series = SERIES[1].series.to_owned();
        observation.value = crossed as f64;
        scores.decoded.observations.push(observation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(model: &str, day: &str, rows: &str) -> Vec<u8> {
        let text =
            format!("#model_version:{model},score_date:{day}T00:00:00+0000\ncve,epss,percentile\n{rows}");
        crate::formats::unpack::tests::gzip(text.as_bytes())
    }

    fn run(bytes: &[u8]) -> Result<EpssScores, PayloadRefusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        read(&Payload::new("epss.csv.gz", bytes, fetched_at))
    }

    #[test]
    fn rows_and_their_faults() {
        let rows = "CVE-1999-0001,0.6,0.9\nCVE-1999-0002,0.1,0.2\nCVE-1999-0002,0.1,0.2\nCVE-99-1,0.1,0.2\nCVE-1999-0003,1.5,0.2\nCVE-1999-0004,0.1\n";
        let scores = run(&file("v1", "2026-11-13", rows)).unwrap();
        assert!(scores.decoded.is_balanced());
        assert_eq!((scores.decoded.accepted, scores.decoded.duplicates), (2, 1));
        assert_eq!(scores.decoded.rejected.len(), 3);
        assert_eq!((scores.decoded.observations[0].value, scores.model.as_str()), (1.0, "v1"));
    }

    #[test]
    fn crossings_only_within_one_model() {
        let day1 = run(&file("v1", "2026-11-12", "CVE-2020-0001,0.6,0.9\nCVE-2020-0002,0.4,0.9\n")).unwrap();
        let check = |model: &str, day: &str, want: &[f64]| {
            let rows = "CVE-2020-0001,0.7,0.9\nCVE-2020-0002,0.5,0.9\nCVE-2020-0003,0.9,0.9\n";
            let mut day2 = run(&file(model, day, rows)).unwrap();
            add_crossings(&mut day2, &day1);
            let values: Vec<_> = day2.decoded.observations.iter().map(|o| o.value).collect();
            assert_eq!(values, want, "{model} {day}");
        };
        check("v1", "2026-11-13", &[3.0, 2.0]);
        check("v2", "2026-11-13", &[3.0]);
        check("v1", "2026-11-14", &[3.0]);
    }

    #[test]
    fn other_files_are_refused() {
        let code = |bytes: &[u8]| run(bytes).err().map(|r| r.code.key()).unwrap();
        assert_eq!(code(b"cve,epss,percentile\nCVE-1999-0001,0.6,0.9\n"), "schema");
        assert_eq!(code(&file("v1", "2027-11-13", "CVE-1999-0001,0.6,0.9\n")), "clock");
        assert_eq!(code(&file("v1", "2026-11-13", "CVE-1999-0001,0.6,0.9\nCVE-1999-00")), "truncated");
        assert_eq!(code(&file("v1", "2026-11-13", "")), "empty");
    }

    #[test]
    fn the_real_head() {
        for path in drills::real_data::files("epss") {
            let scores = run(&std::fs::read(path).unwrap()).unwrap();
            assert!(scores.decoded.rejected.is_empty() && scores.decoded.accepted > 0);
        }
    }
}
