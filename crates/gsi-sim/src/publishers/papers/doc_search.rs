//! The document search's timelines: daily points of the requested window, the newest of which still move. A request that
//! it does not understand is answered with a sentence and status 200, as the real one does.

use super::super::{Document, Format, Request, query};
use crate::world::{Rng, Stream, World};
use gsi_model::{Day, Timestamp};
use std::fmt::Write;
use std::sync::Arc;

/// Queries of 222 characters are accepted, of 271 refused.
const MAX_QUERY: usize = 250;
/// The age in days until which a value still moves.
const SETTLED_AFTER_DAYS: i32 = 3;
/// How far the newest value may be off, as tone and as a part of a share.
const TONE_REVISION: f64 = 0.1;
const SHARE_REVISION: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// Mean tone of the matching articles, mostly below zero.
    Tone,
    /// Percentage of all articles that match.
    Volume,
}

impl Measure {
    fn label(self) -> &'static str {
        match self {
            Measure::Tone => "Average Tone",
            Measure::Volume => "Volume Intensity",
        }
    }
}

const SANCTIONS: &str = r#"(tariffs OR "trade war" OR sanctions) sourcelang:english"#;

/// The queries that articles match, and the series with their values.
const SUBJECTS: [(&str, Measure, &str); 6] = [
    (r#"(nasdaq OR "stock market" OR "wall street") sourcelang:english"#, Measure::Tone, "press.market"),
    (SANCTIONS, Measure::Tone, "press.sanctions"),
    (SANCTIONS, Measure::Volume, "press.sanctions_share"),
    ("(economy OR recession OR unemployment) sourcelang:english", Measure::Tone, "press.economy"),
    (r#"("interest rates" OR "central bank" OR inflation) sourcelang:english"#, Measure::Tone, "press.rates"),
    (
        r#"("container ship" OR "shipping lines" OR "cargo ship") sourcelang:english"#,
        Measure::Volume,
        "press.shipping_share",
    ),
];

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    if request.path != "/api/v2/doc/doc" {
        return None;
    }
    let words = query::value(request.query, "query").unwrap_or_default();
    let mode = query::value(request.query, "mode").unwrap_or_default();
    let sentence = |text: &'static str| {
        Some(Document::new(Format::Text, text.len() as u64, None, || text.as_bytes().to_vec()))
    };
    if words.len() > MAX_QUERY {
        return sentence("Your query was too short or too long.\n");
    }
    let measure = match mode.as_str() {
        "timelinetone" => Measure::Tone,
        "timelinevol" => Measure::Volume,
        _ => return sentence("Invalid mode.\n"),
    };
    let moment = |name: &str| {
        query::value(request.query, name).and_then(|text| Timestamp::parse_compact(text.as_bytes()))
    };
    let (Some(from), Some(to)) = (moment("STARTDATETIME"), moment("ENDDATETIME")) else {
        return sentence("Invalid/No dates.\n");
    };
    let subject = SUBJECTS.iter().position(|(q, m, _)| *q == words && *m == measure);
    let today = request.as_of.day();
    let (first, last) = (from.day(), to.day().min(today.plus(-1)));
    let maker = world.clone();
    Some(Document::new(Format::Json, today.0 as u64, None, move || match subject {
        // No article matches.
        None => b"{}".to_vec(),
        Some(subject) => timeline(&maker, subject, first, last, today),
    }))
}

fn timeline(world: &World, subject: usize, first: Day, last: Day, today: Day) -> Vec<u8> {
    let (query, measure, series) = SUBJECTS[subject];
    let mut points = String::new();
    world.series.group(series).read(last, |rows| {
        for (day, values) in rows.since(first).iter() {
            let mut shown = values[0];
            if today.0 - day.0 <= SETTLED_AFTER_DAYS {
                let index = i64::from(day.0) * 16 + subject as i64;
                let mut rng = Rng::with_pair(world.settings.seed, Stream::Press, index, i64::from(today.0));
                let drift = rng.normal();
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
    let query = serde_json::Value::from(query);
    let label = measure.label();
    format!(
        "{{\"query_details\":{{\"title\":{query},\"date_resolution\":\"day\"}},\"timeline\":[{{\"series\":\"{label}\",\"data\":[{points}]}}]}}"
    )
    .into_bytes()
}
