//! Victims that extortion groups claim on their leak sites, by the day a tracker found the claim.
//!
//! Claims may be false, repeated or published in bulk. Only counts leave this module, no names and no links.

use crate::connector::files::PollContext;
use crate::formats::series::{self, ObservationStamp};
use crate::formats::{json, table};
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    CountryCode, DAY, Day, Decoded, HOUR, Licence, Observation, Origin, PayloadRefusal, Pillar, Reject,
    Timestamp,
};
use serde_json::Value;
use std::collections::BTreeMap;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_history(history);

static ORIGIN: Origin = Origin {
    feed: "ransomware",
    title: "Ransomware leak-site claims",
    publisher: "ransomware.live",
    homepage: "https://www.ransomware.live/",
    pillar: Some(Pillar::Cyber),
    licence: Licence {
        name: "Not stated",
        republish: false,
        note: "Daily counts only; no victim is ever shown.",
    },
    attribution: "Counts derived from ransomware.live",
    poll_every_seconds: HOUR,
    warn_after_seconds: 2 * DAY,
    stale_after_seconds: 3 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("ransomware.posts", "claims", 0),
    // By the victim's country. A country without a value on a day of the series above had no claim.
    SeriesSpec::daily("ransomware.posts_by_country", "claims", 0),
];

const HOSTS: &[&str] = &["api.ransomware.live"];
/// A busy month is a thousand claims of two kilobytes.
const MAX_BYTES: usize = 32 << 20;
/// The method's baseline for this series is three years.
const HISTORY_MONTHS: i32 = 36;
const HISTORY_PER_POLL: usize = 2;
/// Claims counted per group and day, so that a group that publishes its archive at once does not look like a wave.
const MAX_PER_GROUP: usize = 40;
/// 2019-01-01: the first leak site opened that year. All days between the ends of a list get a value, so an older date would
/// create an unbounded number of days.
const FIRST_CLAIM: Day = Day(17_897);

/// The victims of a group by name, with their country if the tracker has it.
type Victims = BTreeMap<String, Option<CountryCode>>;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let mut decoded = Decoded::default();
    // By day, then by group.
    let mut days: BTreeMap<Day, BTreeMap<String, Victims>> = BTreeMap::new();
    for claim in json::array(&document, "")? {
        let claim = read_claim(claim, payload).map(|PostedClaim { group, victim, country, found }| {
            decoded.newest = decoded.newest.max(Some(found));
            let victims = days.entry(found.day()).or_default().entry(group).or_default();
            let is_new = !victims.contains_key(&victim);
            let known = victims.entry(victim).or_default();
            *known = known.or(country);
            is_new
        });
        decoded.take(claim, |is_new| *is_new);
    }
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    for day in covered_days(payload, &days) {
        let mut countries: BTreeMap<CountryCode, f64> = BTreeMap::new();
        let mut claims = 0;
        for victims in days.get(&day).into_iter().flat_map(BTreeMap::values) {
            claims += victims.len().min(MAX_PER_GROUP);
            let counted = victims.values().take(MAX_PER_GROUP).flatten();
            counted.for_each(|country| *countries.entry(*country).or_default() += 1.0);
        }
        decoded.observations.push(stamp.observe_day(SERIES[0].series, day, claims as f64));
        decoded.observations.extend(countries.into_iter().map(|(country, claims)| Observation {
            entity: country.as_str().to_owned(),
            ..stamp.observe_day(SERIES[1].series, day, claims)
        }));
    }
    table::finish(decoded)
}

struct PostedClaim {
    group: String,
    victim: String,
    country: Option<CountryCode>,
    found: Timestamp,
}

fn read_claim(claim: &Value, payload: &Payload<'_>) -> Result<PostedClaim, Reject> {
    // The API answers in two shapes.
    let either = |a: &str, b: &str| match json::text(claim, a) {
        "" => json::text(claim, b).to_lowercase(),
        found => found.to_lowercase(),
    };
    let (victim, group) = (either("victim", "post_title"), either("group", "group_name"));
    if victim.is_empty() || group.is_empty() {
        return Err(Reject::Id);
    }
    let plausible = |t: &Timestamp| t.day() >= FIRST_CLAIM && *t <= payload.fetched_at.plus(HOUR);
    let found = json::time(json::text(claim, "discovered")).filter(plausible).ok_or(Reject::Date)?;
    let country = CountryCode::from_iso2(json::text(claim, "country"));
    Ok(PostedClaim { group, victim, country, found })
}

/// Returns the days that a payload covers: the past days of its month, or for a list of recent claims the days between its
/// ends.
fn covered_days<T>(payload: &Payload<'_>, days: &BTreeMap<Day, T>) -> impl Iterator<Item = Day> + use<T> {
    let month = payload.name.strip_suffix(".json").and_then(|stem| Day::parse_iso(&format!("{stem}-01")));
    let span = match month {
        Some(first) => Some((first, first.month_start(1).plus(-1))),
        // The oldest day of such a list is incomplete.
        None => series::spanned(days).map(|(first, last)| (first.plus(1), last)),
    };
    let yesterday = payload.fetched_at.day().plus(-1);
    span.into_iter().flat_map(move |(first, last)| series::days(first, last.min(yesterday)))
}

/// Returns the file with the claims of the month that begins on this day.
fn source_of_month(first: Day) -> FileSource {
    let (year, month, _) = first.ymd();
    let url = format!("https://api.ransomware.live/v2/victims/{year}/{month:02}");
    FileSource::json(format!("{year}-{month:02}.json"), url, HOSTS, MAX_BYTES)
}

/// Returns the files of every month of these days, newest first.
fn history(from: Day, to: Day) -> Vec<FileSource> {
    let months = (0..).map(|back| to.month_start(-back)).take_while(|first| *first >= from.month_start(0));
    months.map(source_of_month).collect()
}

/// Requests this month and, in its first days, the one before. Earlier months are requested once.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let today = context.now.day();
    let mut sources = vec![source_of_month(today.month_start(0))];
    let mut history: Vec<_> =
        (1..HISTORY_MONTHS).map(|back| source_of_month(today.month_start(-back))).collect();
    if today.ymd().2 <= 3 {
        sources.push(history.remove(0));
    }
    history.retain(|s| !context.checkpoint.has(&s.name));
    sources.extend(history.into_iter().take(HISTORY_PER_POLL));
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connector::files::{FileCheckpoint, requested_names};

    fn run(name: &str, text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-05T12:00:00Z".parse().unwrap();
        decode(&Payload::new(name, text.as_bytes(), fetched_at))
    }

    #[test]
    fn both_shapes_count_each_victim_once() {
        let text = r#"[
            {"victim":"Acme","group":"Alpha","country":"","discovered":"2026-11-02T09:30:28+00:00"},
            {"post_title":"ACME","group_name":"alpha","country":"FR","discovered":"2026-11-02 23:00:00.000000"},
            {"post_title":"Bolt","group_name":"beta","country":"Atlantis","discovered":"2026-11-04 01:00:00.000000"},
            {"victim":"<script>","group":"beta","discovered":""},
            {"victim":"","group":"beta","discovered":"2026-11-04 01:00:00"},
            {"victim":"Later","group":"beta","discovered":"2027-11-04 01:00:00"}]"#;
        let decoded = run("2026-11.json", text).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        let counts = |decoded: &Decoded| -> Vec<f64> {
            let world = decoded.observations.iter().filter(|o| o.entity.is_empty());
            world.map(|o| o.value).collect()
        };
        assert_eq!(counts(&decoded), [0.0, 1.0, 0.0, 1.0]);
        let recent = run("recentvictims", text).unwrap();
        assert_eq!(counts(&recent), [0.0, 1.0]);
        // A victim without a valid country code counts for no country.
        let by_country: Vec<_> = decoded.observations.iter().filter(|o| !o.entity.is_empty()).collect();
        assert_eq!(by_country.len(), 1);
        assert_eq!((by_country[0].entity.as_str(), by_country[0].value), ("FR", 1.0));
    }

    #[test]
    fn a_claim_with_an_ancient_date_is_rejected() {
        assert_eq!(FIRST_CLAIM.to_string(), "2019-01-01");
        let text = r#"[{"victim":"Acme","group":"a","discovered":"0019-11-02T09:30:28Z"},
            {"victim":"Bolt","group":"a","discovered":"2026-11-02T09:30:28Z"},
            {"victim":"Coil","group":"a","discovered":"2026-11-03T09:30:28Z"}]"#;
        let decoded = run("recentvictims", text).unwrap();
        assert_eq!(
            (decoded.accepted, decoded.rejected[&Reject::Date], decoded.observations.len()),
            (2, 1, 1)
        );
    }

    #[test]
    fn claims_per_group_and_day_are_capped() {
        let claims: Vec<_> = (0..200)
            .map(|i| format!(r#"{{"victim":"v{i}","group":"bulk","discovered":"2026-11-02T09:00:00Z"}}"#))
            .collect();
        let decoded = run("2026-11.json", &format!("[{}]", claims.join(","))).unwrap();
        assert_eq!(decoded.accepted, 200);
        assert_eq!(decoded.observations[1].value, MAX_PER_GROUP as f64);
    }

    #[test]
    fn other_documents_are_refused() {
        let check = |text: &str, code: &str| {
            assert_eq!(run("2026-11.json", text).unwrap_err().code.key(), code, "{text}")
        };
        check(r#"{"detail":"Not found"}"#, "schema");
        check(r#"{"error":"rate limited"}"#, "error_body");
        check("[]", "empty");
        check("[{}]", "no_valid_rows");
        check("[", "bad_json");
    }

    #[test]
    fn past_months_are_requested_a_few_at_a_time() {
        let mut checkpoint = FileCheckpoint::default();
        let names = |now: &str, checkpoint: &FileCheckpoint| requested_names(sources, now, checkpoint);
        assert_eq!(
            names("2026-01-15T00:00:00Z", &checkpoint),
            ["2026-01.json", "2025-12.json", "2025-11.json"]
        );
        checkpoint.files.insert("2025-12.json".to_owned(), Default::default());
        assert_eq!(names("2026-01-02T00:00:00Z", &checkpoint)[..2], ["2026-01.json", "2025-12.json"]);
        assert_eq!(names("2026-01-15T00:00:00Z", &checkpoint)[1..], ["2025-11.json", "2025-10.json"]);
        let history = history(Day::parse_iso("2025-12-30").unwrap(), Day::parse_iso("2026-02-01").unwrap());
        let history: Vec<_> = history.into_iter().map(|source| source.name).collect();
        assert_eq!(history, ["2026-02.json", "2026-01.json", "2025-12.json"]);
    }
}
