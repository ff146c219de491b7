//! The document search's timelines: daily points of the asked window, the newest of them still moving. What it does not
//! understand it answers with a sentence and status 200, as the real one does.

use super::{Ask, Document, Format, query};
use crate::chance::{Chance, Stream};
use crate::markets::{Measure, SUBJECTS};
use crate::world::World;
use gsi_model::{Day, Timestamp};
use std::fmt::Write;
use std::sync::Arc;

/// Queries of 222 characters are accepted, of 271 refused.
const MAX_QUERY: usize = 250;
/// Days after which a value stands.
const SETTLED_AFTER_DAYS: i32 = 3;
/// How far the newest value may be off, as tone and as a part of a share.
const TONE_REVISION: f64 = 0.1;
const SHARE_REVISION: f64 = 0.05;

pub fn answer(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    if ask.path != "/api/v2/doc/doc" {
        return None;
    }
    let words = query::value(ask.query, "query").unwrap_or_default();
    let mode = query::value(ask.query, "mode").unwrap_or_default();
    let sentence = |text: &'static str| {
        Some(Document::whole(Format::Text, text.len() as u64, None, || text.as_bytes().to_vec()))
    };
    if words.len() > MAX_QUERY {
        return sentence("Your query was too short or too long.\n");
    }
    let measure = match mode.as_str() {
        "timelinetone" => Measure::Tone,
        "timelinevol" => Measure::Volume,
        _ => return sentence("Invalid mode.\n"),
    };
    let moment =
        |name: &str| query::value(ask.query, name).and_then(|text| Timestamp::parse_compact(text.as_bytes()));
    let (Some(from), Some(to)) = (moment("STARTDATETIME"), moment("ENDDATETIME")) else {
        return sentence("Invalid/No dates.\n");
    };
    let known = SUBJECTS.iter().position(|s| s.query == words && s.measure == measure);
    let today = ask.as_of.day();
    let (first, last) = (from.day(), to.day().min(today.plus(-1)));
    let maker = world.clone();
    Some(Document::whole(Format::Json, today.0 as u64, None, move || match known {
        // Nobody writes about it.
        None => b"{}".to_vec(),
        Some(subject) => timeline(&maker, subject, first, last, today),
    }))
}

fn timeline(world: &World, subject: usize, first: Day, last: Day, today: Day) -> Vec<u8> {
    let measure = SUBJECTS[subject].measure;
    let label = match measure {
        Measure::Tone => "Average Tone",
        Measure::Volume => "Volume Intensity",
    };
    let mut points = String::new();
    world.markets.press[subject].upto(last, |days| {
        for (day, value) in &days[days.partition_point(|(day, _)| *day < first)..] {
            let mut shown = *value;
            if today.0 - day.0 <= SETTLED_AFTER_DAYS {
                let index = i64::from(day.0) * 16 + subject as i64;
                let drift =
                    Chance::of_pair(world.settings.seed, Stream::Press, index, i64::from(today.0)).normal();
                shown = match measure {
                    Measure::Tone => shown + TONE_REVISION * drift,
                    Measure::Volume => (shown * (1.0 + SHARE_REVISION * drift)).max(0.0),
                };
            }
            let comma = if points.is_empty() { "" } else { "," };
            let date = day.to_string().replace('-', "");
            // Writing into a String cannot fail.
            let _ = write!(points, "{comma}{{\"date\":\"{date}T000000Z\",\"value\":{shown:.4}}}");
        }
    });
    let query = serde_json::Value::from(SUBJECTS[subject].query);
    format!(
        "{{\"query_details\":{{\"title\":{query},\"date_resolution\":\"day\"}},\"timeline\":[{{\"series\":\"{label}\",\"data\":[{points}]}}]}}"
    )
    .into_bytes()
}
