//! Three counts of attackers' activity: exploitation probabilities, new public exploit repositories, and leak-site victims.

use super::{Ask, Content, Document, Format, query};
use crate::chance::{Chance, Stream};
use crate::news::hostile_text;
use crate::world::World;
use flate2::Compression;
use flate2::write::GzEncoder;
use gsi_model::{DAY, Day, HOUR, Timestamp};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

/// Identifiers in the score file besides the catalogue's. The real file has 300,000; a hundredth keeps the demo light.
const SCORED: i64 = 3_000;
const SCORES_POSTED_SECONDS: i64 = 13 * HOUR;
/// 2021-04-14, the first dated file.
const SCORES_FIRST: Day = Day(18_731);
/// Upward crossings of one half per day, and how long a crossing lasts.
const CROSSINGS: f64 = 0.6;
const CROSSED_DAYS: i64 = 60;

pub fn scores(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let newest = ask.as_of.minus(SCORES_POSTED_SECONDS).day();
    let file = ask.path.strip_prefix("/epss_scores-")?.strip_suffix(".csv.gz")?;
    if file == "current" {
        return Some(Document {
            format: Format::Gzip,
            version: newest.0 as u64,
            modified: None,
            content: Content::Redirect(format!(
                "https://epss.empiricalsecurity.com/epss_scores-{newest}.csv.gz"
            )),
            tampered: false,
        });
    }
    let day = Day::parse_iso(file).filter(|d| (SCORES_FIRST..=newest).contains(d))?;
    let maker = world.clone();
    let posted = day.start().plus(SCORES_POSTED_SECONDS);
    Some(Document::whole(Format::Gzip, day.0 as u64, Some(posted), move || score_file(&maker, day)))
}

/// Identifiers that cross one half on `day`.
fn crossings(world: &World, day: Day) -> impl Iterator<Item = i64> + use<> {
    let mut c = Chance::of_pair(world.settings.seed, Stream::Epss, i64::from(day.0), -1);
    let push = world.timeline.push("epss.crossings", day.start().plus(12 * HOUR));
    (0..c.poisson(CROSSINGS * push.factor)).map(move |_| c.below(SCORED as usize) as i64)
}

/// The usual log odds of an identifier, and the chance that goes on from there. Most are far below a hundredth; about
/// one in seventy lies above one half.
fn usual(seed: u64, number: i64) -> (f64, Chance) {
    let mut c = Chance::of(seed, Stream::Epss, number);
    let log_odds = -6.0 + 2.1 * c.normal() + if c.hit(0.012) { 7.0 } else { 0.0 };
    (log_odds, c)
}

/// Decimals of a probability below one, as a whole number: thousands of floats a file are dear to print.
fn five_digits(p: f64) -> u32 {
    ((p * 1e5).round() as u32).min(99_999)
}

fn score_file(world: &World, day: Day) -> Vec<u8> {
    let mut raised: Vec<i64> =
        (0..CROSSED_DAYS as i32).flat_map(|back| crossings(world, day.plus(-back))).collect();
    raised.sort_unstable();
    let mut text = String::with_capacity(SCORED as usize * 32);
    // Writing into a String cannot fail.
    let _ = write!(text, "#model_version:v2025.03.14,score_date:{day}T00:00:00Z\ncve,epss,percentile\n");
    let seed = world.settings.seed;
    let usual = world.usual_scores.get_or_init(|| (0..SCORED).map(|n| usual(seed, n).0 as f32).collect());
    for (number, log_odds) in (0..SCORED).zip(usual) {
        let mut today = Chance::of_pair(seed, Stream::Epss, number, i64::from(day.0));
        let wobble = f64::from(*log_odds) + today.between(-0.035, 0.035);
        let mut p = 1.0 / (1.0 + libm::exp(-wobble));
        if p < 0.5 && raised.binary_search(&number).is_ok() {
            p = 0.55 + 0.4 * self::usual(seed, number).1.unit();
        }
        let percentile = 1.0 - 0.9 * libm::exp(-9.0 * libm::sqrt(p));
        let year = 1999 + number * 27 / SCORED;
        let _ = writeln!(
            text,
            "CVE-{year}-{:05},0.{:05},0.{:05}",
            90_000 + number % 10_000,
            five_digits(p),
            five_digits(percentile)
        );
    }
    for id in world.catalogue.identifiers(day) {
        let mut c = Chance::of(
            world.settings.seed,
            Stream::Epss,
            id.bytes().fold(0i64, |a, b| a.wrapping_mul(31).wrapping_add(i64::from(b))),
        );
        let p = 0.3 + 0.69 * c.unit();
        let _ = writeln!(text, "{id},{p:.5},0.98900");
    }
    let mut gz = GzEncoder::new(Vec::with_capacity(text.len() / 3), Compression::fast());
    // Writing to memory cannot fail.
    let _ = gz.write_all(text.as_bytes());
    gz.finish().unwrap_or_default()
}

/// Repositories per day in 2024, rising by a tenth each year.
const REPOSITORIES: f64 = 7.5;
/// Search results are at most this many.
const SEARCH_LIMIT: usize = 1_000;

struct Repository {
    id: i64,
    created: Timestamp,
    year: i16,
    cve: String,
}

fn repositories(world: &World, day: Day) -> Vec<Repository> {
    let mut c = Chance::of(world.settings.seed, Stream::Exploits, i64::from(day.0));
    let push = world.timeline.push("exploits.rate", day.start().plus(12 * HOUR));
    let years = f64::from(day.0 - 20_000) / 365.25;
    let week = if day.is_weekend() { 0.8 } else { 1.08 };
    let mood = libm::exp(0.25 * c.normal());
    let count = c.poisson(REPOSITORIES * libm::pow(1.1, years) * week * push.factor * mood);
    (0..count)
        .map(|number| {
            let year = day.ymd().0 - [0, 0, 0, 0, 0, 1, 1, 2, 3][c.below(9)];
            // A wave of exploitation is many repositories for few identifiers.
            let pool = if push.factor > 1.5 && c.hit(0.3) { 3 } else { 8_000 };
            Repository {
                id: i64::from(day.0) * 1_000 + i64::from(number),
                created: day.start().plus(c.below(DAY as usize) as i64),
                year,
                cve: format!("CVE-{year}-{}", 90_000 + c.below(pool)),
            }
        })
        .collect()
}

pub fn exploits(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    if ask.path != "/search/repositories" {
        return None;
    }
    let search = query::value(ask.query, "q")?;
    let year: Option<i16> =
        search.split_whitespace().find_map(|w| w.strip_prefix("CVE-")?.split('-').next()?.parse().ok());
    let created = search.split_whitespace().find_map(|w| w.strip_prefix("created:"))?;
    let (from, to) = span(created, ask.as_of.day())?;
    let per_page = query::number(ask.query, "per_page").unwrap_or(30).clamp(1, 100) as usize;
    let page = query::number(ask.query, "page").unwrap_or(1).max(1) as usize;
    let (maker, now) = (world.clone(), ask.as_of);
    // A search is never cached.
    Some(Document::whole(Format::Json, now.unix() as u64, None, move || {
        let mut found: Vec<Repository> = (from.0.max(to.0 - 400)..=to.0)
            .flat_map(|d| repositories(&maker, Day(d)))
            .filter(|r| r.created <= now && year.is_none_or(|y| y == r.year))
            .collect();
        found.sort_by_key(|r| std::cmp::Reverse(r.created));
        let items: Vec<Value> = found
            .iter()
            .take(SEARCH_LIMIT)
            .skip((page - 1) * per_page)
            .take(per_page)
            .map(|r| repository(&maker, r))
            .collect();
        let body = json!({"total_count": found.len(), "incomplete_results": false, "items": items});
        serde_json::to_vec(&body).unwrap_or_default()
    }))
}

/// `2026-11-13`, `2026-11-01..2026-11-13` or `>=2026-11-01`.
fn span(text: &str, today: Day) -> Option<(Day, Day)> {
    if let Some(from) = text.strip_prefix(">=") {
        return Some((Day::parse_iso(from)?, today));
    }
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    Some((Day::parse_iso(from.get(..10)?)?, Day::parse_iso(to.get(..10)?)?))
}

fn repository(world: &World, r: &Repository) -> Value {
    let mut c = Chance::of(world.settings.seed, Stream::Hostile, r.id);
    let owner = format!("sim-researcher-{}", c.below(400));
    let name = format!("{}-poc", r.cve);
    let description = match c.below(20) {
        0 => Value::Null,
        1 if world.settings.hostile => hostile_text(&mut c).into(),
        _ => format!("Simulated proof of concept for {}", r.cve).into(),
    };
    json!({
        "id": r.id, "name": name, "full_name": format!("{owner}/{name}"), "private": false,
        "owner": {"login": owner, "id": r.id % 977}, "html_url": format!("https://github.example/{owner}/{name}"),
        "description": description, "fork": c.hit(0.06), "created_at": r.created.to_string(),
        "updated_at": r.created.plus(HOUR).to_string(), "pushed_at": r.created.plus(HOUR).to_string(),
        "stargazers_count": c.below(40), "forks_count": c.below(9), "topics": []
    })
}

/// Leak-site posts a day, and the answer's length.
const CLAIMS: f64 = 19.0;
const RECENT: usize = 100;
const GROUPS: [&str; 14] = [
    "nightjar",
    "blackmoss",
    "ferrous",
    "coldharbor",
    "redtide",
    "quietwolf",
    "obsidian9",
    "lockhart",
    "mirage",
    "saltmarsh",
    "vermilion",
    "zeroform",
    "halftrack",
    "gravelpit",
];
const SECTORS: [&str; 8] = [
    "Manufacturing",
    "Healthcare",
    "Business Services",
    "Technology",
    "Education",
    "Construction",
    "Not Found",
    "Transportation",
];

struct RansomClaim {
    at: Timestamp,
    victim: String,
    group: &'static str,
    country: &'static str,
    sector: &'static str,
    key: i64,
}

fn claims(world: &World, day: Day) -> Vec<RansomClaim> {
    let mut c = Chance::of(world.settings.seed, Stream::Ransomware, i64::from(day.0));
    let push = world.timeline.push("ransomware.rate", day.start().plus(12 * HOUR));
    let week = if day.is_weekend() { 0.6 } else { 1.16 };
    // Now and then one group empties its drawer in a day.
    let dump = if c.hit(0.008) { 40 + c.below(60) as u32 } else { 0 };
    let mood = libm::exp(0.25 * c.normal());
    let count = c.poisson(CLAIMS * week * push.factor * mood) + dump;
    let countries = ["US", "US", "US", "US", "GB", "DE", "CA", "FR", "IT", "BR", "AU", "IN", "ES", "JP", ""];
    let dumper = *c.pick(&GROUPS);
    let mut claims: Vec<RansomClaim> = (0..count)
        .map(|number| RansomClaim {
            at: day.start().plus(c.below(DAY as usize) as i64),
            victim: format!("Simulated Company {}", c.below(900_000)),
            group: if number < dump { dumper } else { GROUPS[c.below(GROUPS.len())] },
            country: countries[c.below(countries.len())],
            sector: SECTORS[c.below(SECTORS.len())],
            key: i64::from(day.0) * 1_000 + i64::from(number),
        })
        .collect();
    claims.sort_by_key(|c| c.at);
    claims
}

pub fn victims(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let (maker, now) = (world.clone(), ask.as_of);
    if ask.path == "/v2/recentvictims" {
        let version = (now.unix() / 900) as u64;
        return Some(Document::whole(Format::Json, version, None, move || {
            let mut found = Vec::new();
            let mut day = now.day();
            while found.len() < RECENT && day.0 > now.day().0 - 60 {
                found.extend(claims(&maker, day).into_iter().rev().filter(|c| c.at <= now));
                day = day.plus(-1);
            }
            let rows: Vec<Value> = found.iter().take(RECENT).map(|c| recent(&maker, c)).collect();
            serde_json::to_vec(&rows).unwrap_or_default()
        }));
    }
    let (year, month) = ask.path.strip_prefix("/v2/victims/")?.split_once('/')?;
    let first = Day::from_ymd(year.parse().ok()?, month.parse().ok()?, 1)?;
    if first > now.day() {
        return None;
    }
    Some(Document::whole(Format::Json, (now.unix() / 900) as u64, None, move || {
        let month = first.ymd().1;
        let rows: Vec<Value> = (0..31)
            .map(|d| first.plus(d))
            .filter(|d| d.ymd().1 == month)
            .flat_map(|d| claims(&maker, d))
            .filter(|c| c.at <= now)
            .map(|c| monthly(&c))
            .collect();
        serde_json::to_vec(&rows).unwrap_or_default()
    }))
}

/// One of the publisher's several ways to write a time.
fn moment(at: Timestamp, key: i64) -> String {
    let plain = at.to_string();
    match key.rem_euclid(4) {
        0 => plain.replace('Z', "+00:00"),
        1 => plain.replace('Z', ".789152+00:00"),
        _ => plain.replace('T', " ").replace('Z', ".000000"),
    }
}

fn recent(world: &World, claim: &RansomClaim) -> Value {
    let mut c = Chance::of(world.settings.seed, Stream::Hostile, claim.key);
    let victim =
        if world.settings.hostile && c.hit(0.1) { hostile_text(&mut c) } else { claim.victim.clone() };
    let attacked = if c.hit(0.03) { claim.at.plus(5 * DAY) } else { claim.at.minus(c.below(9) as i64 * DAY) };
    let infostealer = [json!(""), json!([]), json!({"employees": 2})][c.below(3)].clone();
    json!({
        "victim": victim, "group": claim.group, "country": claim.country, "activity": claim.sector,
        "attackdate": moment(attacked, claim.key + 1), "discovered": moment(claim.at, claim.key),
        "domain": format!("company-{}.example", claim.key), "claim_url": "http://simulated.onion/post",
        "url": format!("https://tracker.example/id/{}", claim.key), "description": "N/A", "screenshot": "",
        "infostealer": infostealer, "press": null, "data_size": "", "ransom": "", "duplicates": []
    })
}

fn monthly(claim: &RansomClaim) -> Value {
    json!({
        "post_title": claim.victim, "group_name": claim.group, "country": claim.country, "activity": claim.sector,
        "published": moment(claim.at, claim.key), "discovered": moment(claim.at, claim.key + 2), "website": "",
        "post_url": "", "description": "", "data_size": "", "ransom": ""
    })
}
