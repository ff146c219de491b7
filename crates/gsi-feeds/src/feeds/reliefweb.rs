//! ReliefWeb: disasters that editors at the United Nations confirmed, by the day they were recorded.

use crate::connector::files::PollContext;
use crate::formats::series::{self, add_days, note_newest};
use crate::formats::{json, table};
use crate::refusal::refuse;
use crate::{Feed, FeedKey, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed =
    Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_keys(&[FeedKey::required("reliefweb")]);

static ORIGIN: Origin = Origin {
    feed: "reliefweb",
    title: "ReliefWeb disasters",
    publisher: "United Nations Office for the Coordination of Humanitarian Affairs",
    homepage: "https://reliefweb.int/disasters",
    pillar: Some(Pillar::Conflict),
    licence: Licence {
        name: "Free reuse with credit",
        republish: true,
        note: "Report texts belong to their sources.",
    },
    attribution: "Source: ReliefWeb",
    poll_every_seconds: HOUR,
    warn_after_seconds: 10 * DAY,
    stale_after_seconds: 20 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("reliefweb.disasters", "disasters", 0),
    SeriesSpec::daily("reliefweb.emergencies", "disasters", 0),
];

const URL: &str = "https://api.reliefweb.int/v2/disasters?limit=1000&sort[]=date.created:desc&fields[include][]=date&fields[include][]=status&fields[include][]=primary_type";
const HOSTS: &[&str] = &["api.reliefweb.int"];
const MAX_BYTES: usize = 8 << 20;
/// A thousand disasters are about eight years. Every day since the oldest entry gets a value, so an older date would create
/// zeros that no report supports, and an ancient one an unbounded number of them.
const OLDEST_DAYS: i32 = 20 * 366;
/// The types of wars and other man-made emergencies.
const EMERGENCIES: [&str; 2] = ["CE", "AC"];

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let list = json::array(&document, "data")?;
    if list.is_empty() {
        return refuse(RefusalCode::Empty, "the list of all disasters is empty");
    }
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut days: BTreeMap<Day, [f64; 2]> = BTreeMap::new();
    let today = payload.fetched_at.day();
    for item in list {
        let disaster = decoded.take(read_disaster(item, today), |(id, ..)| known.insert(id.clone()));
        if let Some((_, day, is_emergency)) = disaster {
            note_newest(&mut decoded, day);
            let [all, emergencies] = days.entry(day).or_default();
            *all += 1.0;
            *emergencies += f64::from(u8::from(is_emergency));
        }
    }
    // The list is cut, so its oldest day may be incomplete, and today is not over.
    let covered = series::spanned(&days).map(|(oldest, _)| series::days(oldest.plus(1), today.plus(-1)));
    add_days(&mut decoded, &ORIGIN, payload, covered.into_iter().flatten(), |day| {
        SERIES.iter().map(|spec| spec.series).zip(days.get(&day).copied().unwrap_or_default())
    });
    table::finish(decoded)
}

/// Returns a disaster's id, the day it was recorded, and whether it is man-made.
fn read_disaster(item: &Value, today: Day) -> Result<(String, Day, bool), Reject> {
    let id = match item.get("id") {
        Some(Value::String(id)) if !id.is_empty() && id.len() <= 16 => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err(Reject::Id),
    };
    let fields = item.get("fields").unwrap_or(&Value::Null);
    let created = fields.get("date").and_then(|date| json::time(json::text(date, "created")));
    let valid_days = today.plus(-OLDEST_DAYS)..=today;
    let day = created.map(Timestamp::day).filter(|day| valid_days.contains(day)).ok_or(Reject::Date)?;
    let kind = fields.get("primary_type").map_or("", |t| json::text(t, "code"));
    Ok((id, day, EMERGENCIES.contains(&kind)))
}

fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let secret_query = vec![("appname", context.credentials.get("reliefweb").to_owned())];
    let source = FileSource::json("disasters.json", URL, HOSTS, MAX_BYTES);
    vec![FileSource { keeps: 0.9, secret_query, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(items: &[String]) -> Result<Decoded, PayloadRefusal> {
        let text = format!(r#"{{"totalCount":9,"count":{},"data":[{}]}}"#, items.len(), items.join(","));
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        decode(&Payload::new("disasters.json", text.as_bytes(), fetched_at))
    }

    fn item(id: &str, created: &str, code: &str) -> String {
        format!(
            r#"{{"id":{id},"fields":{{"status":"ongoing","primary_type":{{"code":"{code}"}},"date":{{"created":"{created}"}}}}}}"#
        )
    }

    #[test]
    fn an_ancient_date_is_rejected() {
        let recent = item("1", "2026-11-13T06:00:00+00:00", "FL");
        let decoded = run(&[recent, item("2", "0026-11-13T06:00:00+00:00", "FL")]).unwrap();
        assert_eq!(
            (decoded.accepted, decoded.rejected[&Reject::Date], decoded.observations.len()),
            (1, 1, 2)
        );
        let decoded = run(&[item("1", "2010-11-13T06:00:00+00:00", "FL")]).unwrap();
        assert!(decoded.observations.len() <= 2 * OLDEST_DAYS as usize);
        let refused = run(&[item("1", "1926-11-13T06:00:00+00:00", "FL")]).unwrap_err();
        assert_eq!(refused.code, RefusalCode::NoValidRows);
    }

    #[test]
    fn the_days_from_the_first_to_yesterday_have_values() {
        let items = [
            item("\"52001\"", "2026-11-13T06:00:00+00:00", "FL"),
            item("52002", "2026-11-13T07:00:00+00:00", "CE"),
            item("52002", "2026-11-13T07:00:00+00:00", "CE"),
            item("\"51990\"", "2026-11-11T06:00:00+00:00", "EQ"),
            item("\"51991\"", "2027-11-11T06:00:00+00:00", "EQ"),
            item("null", "2026-11-13T06:00:00+00:00", "FL"),
        ];
        let decoded = run(&items).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (3, 1));
        assert_eq!((decoded.rejected[&Reject::Date], decoded.rejected[&Reject::Id]), (1, 1));
        let values: Vec<_> = decoded.observations.iter().map(|o| o.value).collect();
        assert_eq!(values, [0.0, 0.0, 2.0, 1.0, 0.0, 0.0]);
        assert_eq!(run(&[]).unwrap_err().code.key(), "empty");
    }
}
