//! A tracker of leak sites, where attackers name their victims.

use super::super::{Document, Format, Request};
use crate::news::hostile_text;
use crate::series::draw_count;
use crate::world::{Rng, Stream, World};
use gsi_model::{DAY, Day, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;

/// Posts in the answer about recent victims.
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
    let mut rng = Rng::new(world.settings.seed, Stream::Ransomware, i64::from(day.0));
    // Now and then one group publishes many victims in a day.
    let dump = if rng.chance(0.008) { 40 + rng.below(60) as u32 } else { 0 };
    let count = draw_count("ransomware", &world.timeline, day, &mut rng) + dump;
    let countries = ["US", "US", "US", "US", "GB", "DE", "CA", "FR", "IT", "BR", "AU", "IN", "ES", "JP", ""];
    let dumper = *rng.pick(&GROUPS);
    let mut claims: Vec<RansomClaim> = (0..count)
        .map(|number| RansomClaim {
            at: day.start().plus(rng.below(DAY as usize) as i64),
            victim: format!("Simulated Company {}", rng.below(900_000)),
            group: if number < dump { dumper } else { GROUPS[rng.below(GROUPS.len())] },
            country: countries[rng.below(countries.len())],
            sector: SECTORS[rng.below(SECTORS.len())],
            key: i64::from(day.0) * 1_000 + i64::from(number),
        })
        .collect();
    claims.sort_by_key(|c| c.at);
    claims
}

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let (maker, now) = (world.clone(), request.as_of);
    if request.path == "/v2/recentvictims" {
        let version = (now.unix() / 900) as u64;
        return Some(Document::new(Format::Json, version, None, move || {
            let mut found = Vec::new();
            let mut day = now.day();
            while found.len() < RECENT && day.0 > now.day().0 - 60 {
                found.extend(claims(&maker, day).into_iter().rev().filter(|c| c.at <= now));
                day = day.plus(-1);
            }
            let rows: Vec<Value> = found.iter().take(RECENT).map(|claim| recent(&maker, claim)).collect();
            serde_json::to_vec(&rows).unwrap_or_default()
        }));
    }
    let (year, month) = request.path.strip_prefix("/v2/victims/")?.split_once('/')?;
    let first = Day::from_ymd(year.parse().ok()?, month.parse().ok()?, 1)?;
    if first > now.day() {
        return None;
    }
    Some(Document::new(Format::Json, (now.unix() / 900) as u64, None, move || {
        let month = first.ymd().1;
        let rows: Vec<Value> = (0..31)
            .map(|d| first.plus(d))
            .filter(|d| d.ymd().1 == month)
            .flat_map(|d| claims(&maker, d))
            .filter(|c| c.at <= now)
            .map(|claim| monthly(&claim))
            .collect();
        serde_json::to_vec(&rows).unwrap_or_default()
    }))
}

/// Writes a time in one of the publisher's formats.
fn moment(at: Timestamp, key: i64) -> String {
    let plain = at.to_string();
    match key.rem_euclid(4) {
        0 => plain.replace('Z', "+00:00"),
        1 => plain.replace('Z', ".789152+00:00"),
        _ => plain.replace('T', " ").replace('Z', ".000000"),
    }
}

fn recent(world: &World, claim: &RansomClaim) -> Value {
    let mut rng = Rng::new(world.settings.seed, Stream::Hostile, claim.key);
    let victim =
        if world.settings.hostile && rng.chance(0.1) { hostile_text(&mut rng) } else { claim.victim.clone() };
    let attacked =
        if rng.chance(0.03) { claim.at.plus(5 * DAY) } else { claim.at.minus(rng.below(9) as i64 * DAY) };
    let infostealer = [json!(""), json!([]), json!({"employees": 2})][rng.below(3)].clone();
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
