//! The catalogue of exploited vulnerabilities: bulk loads in its first year, then a few entries on business days.
//!
//! Counts per day and weekday, the ransomware share and the share of old identifiers are those of the real catalogue;
//! vendors and products are invented and no identifier is in use, so that nothing real is accused.

use crate::news::hostile_text;
use crate::scenario::Timeline;
use crate::world::{Rng, Stream, Weighted};
use gsi_model::{Day, HOUR, MINUTE, Timestamp};
use serde::Deserialize;
use std::sync::{Arc, LazyLock, Mutex};

/// 2021-11-03, the catalogue's first day.
const FIRST: Day = Day(18_934);
/// 2023-01-01: entries come at their present pace from this day.
const STEADY: Day = Day(19_358);
/// Days of bulk loading (offset from [`FIRST`], entries), rounded from the real ones: 311 in 2021 and 555 in 2022.
const BULK: [(i32, u32); 17] = [
    (0, 287),
    (37, 13),
    (44, 11),
    (68, 15),
    (76, 13),
    (99, 15),
    (120, 95),
    (132, 15),
    (142, 66),
    (145, 32),
    (161, 10),
    (201, 21),
    (203, 34),
    (217, 35),
    (236, 8),
    (295, 10),
    (309, 11),
];
/// Probability that a weekday has additions, Monday to Friday (165 Tuesdays of 139 weeks …), and how many it has
/// then.
const BY_WEEKDAY: [f64; 7] = [0.47, 0.59, 0.30, 0.40, 0.15, 0.0, 0.0];
const PER_DAY: [f64; 9] = [0.477, 0.229, 0.167, 0.05, 0.039, 0.027, 0.004, 0.004, 0.004];
/// 2021–22, between the bulk loads.
const EARLY_PACE: f64 = 0.9;
const RANSOMWARE: f64 = 0.14;
/// Entries whose flag turns to `Known` weeks after they were added, silently.
const FLIPS: f64 = 0.04;
const OLD_IDENTIFIER: f64 = 0.225;
const DAYS_LIMIT: u32 = 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    vendors: Vec<String>,
    products: Vec<String>,
    /// Kind and weakness.
    flaws: Vec<(String, String)>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    crate::data::parse("vulnerabilities.toml", include_str!("../../../data/vulnerabilities.toml"))
});

static COUNTS: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(PER_DAY));

#[derive(Clone, Copy, Debug)]
struct VulnerabilityEntry {
    day: Day,
    number: u32,
    year: i16,
    ransomware: bool,
    flips_on: Option<Day>,
}

pub struct VulnerabilityCatalogue {
    seed: u64,
    timeline: Arc<Timeline>,
    hostile: bool,
    made: Mutex<(Day, Vec<VulnerabilityEntry>)>,
}

/// One state of the catalogue: what is in it and when it was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edition {
    pub last: Day,
    pub released: Timestamp,
}

impl VulnerabilityCatalogue {
    pub fn new(seed: u64, timeline: Arc<Timeline>, hostile: bool) -> Self {
        VulnerabilityCatalogue { seed, timeline, hostile, made: Mutex::new((FIRST.plus(-1), Vec::new())) }
    }

    /// Draws a time in the business hours of the eastern United States.
    fn release_time(&self, day: Day) -> Timestamp {
        let mut rng = Rng::with_pair(self.seed, Stream::Kev, i64::from(day.0), -1);
        day.start().plus(15 * HOUR + rng.below(300) as i64 * MINUTE + rng.below(60) as i64)
    }

    fn entries_of(&self, day: Day) -> Vec<VulnerabilityEntry> {
        let mut rng = Rng::new(self.seed, Stream::Kev, i64::from(day.0));
        let bulk = BULK.iter().find(|(offset, _)| FIRST.plus(*offset) == day).map(|(_, n)| *n);
        let effect = self.timeline.series("kev.rate", day.start().plus(18 * HOUR));
        let ransomware =
            RANSOMWARE + self.timeline.series("kev.ransomware", day.start().plus(18 * HOUR)).shift;
        let count = bulk.unwrap_or_else(|| {
            let early = if day < STEADY { EARLY_PACE } else { 1.0 };
            let usual = if rng.chance(BY_WEEKDAY[day.weekday()] * early) {
                COUNTS.draw(&mut rng) as u32 + 1
            } else {
                0
            };
            // A wave of exploitation adds entries on any weekday.
            let wave = if day.is_weekend() { 0 } else { rng.poisson((effect.factor - 1.0).max(0.0) * 0.72) };
            (f64::from(usual) * effect.factor.min(1.0)).round() as u32 + wave
        });
        let year = day.ymd().0;
        (0..count.min(bulk.unwrap_or(DAYS_LIMIT)))
            .map(|number| {
                let mut rng = Rng::with_pair(self.seed, Stream::Kev, i64::from(day.0), i64::from(number));
                let old = rng.chance(if bulk.is_some() { 0.8 } else { OLD_IDENTIFIER });
                VulnerabilityEntry {
                    day,
                    number,
                    year: if old {
                        year - 2 - rng.below(6) as i16
                    } else {
                        year - i16::from(rng.chance(0.18))
                    },
                    ransomware: rng.chance(ransomware),
                    flips_on: rng.chance(FLIPS).then(|| day.plus(10 + rng.below(50) as i32)),
                }
            })
            .collect()
    }

    fn with<R>(&self, last: Day, read: impl FnOnce(&[VulnerabilityEntry]) -> R) -> R {
        let mut made = self.made.lock().unwrap_or_else(|p| p.into_inner());
        while made.0 < last {
            let day = made.0.plus(1);
            let entries = self.entries_of(day);
            made.1.extend(entries);
            made.0 = day;
        }
        let end = made.1.partition_point(|e| e.day <= last);
        read(&made.1[..end])
    }

    /// Returns the edition at `now`: the newest day with an addition or a flipped flag.
    pub fn edition(&self, now: Timestamp) -> Edition {
        let today = now.day();
        let seen = if self.release_time(today) <= now { today } else { today.plus(-1) };
        let last = self.with(seen, |entries| {
            let added = entries.last().map_or(FIRST, |e| e.day);
            let flipped = entries.iter().filter_map(|e| e.flips_on).filter(|d| *d <= seen).max();
            flipped.map_or(added, |f| f.max(added))
        });
        Edition { last, released: self.release_time(last) }
    }

    pub fn identifiers(&self, last: Day) -> Vec<String> {
        self.with(last, |entries| entries.iter().map(|e| self.identifier(e)).collect())
    }

    fn identifier(&self, e: &VulnerabilityEntry) -> String {
        format!("CVE-{:04}-9{:05}{:03}", e.year, e.day.0, e.number)
    }

    /// Writes the published JSON, newest entries first.
    pub fn json(&self, edition: Edition) -> Vec<u8> {
        use std::io::Write;
        let (y, m, d) = edition.last.ymd();
        self.with(edition.last, |entries| {
            let mut out = Vec::with_capacity(entries.len() * 1_000 + 400);
            // Writing into a Vec cannot fail.
            let _ = write!(
                out,
                "{{\n    \"title\": \"CISA Catalog of Known Exploited Vulnerabilities\",\n    \"catalogVersion\": \
                 \"{y:04}.{m:02}.{d:02}\",\n    \"dateReleased\": \"{}\",\n    \"count\": {},\n    \"vulnerabilities\": [",
                edition.released.to_string().replace('Z', ".9796Z"),
                entries.len()
            );
            for (i, entry) in entries.iter().rev().enumerate() {
                out.extend_from_slice(if i == 0 { b"\n" } else { b",\n" });
                self.write_entry(&mut out, entry, edition.last);
            }
            out.extend_from_slice(b"\n    ]\n}");
            out
        })
    }

    fn write_entry(&self, out: &mut Vec<u8>, e: &VulnerabilityEntry, as_of: Day) {
        use std::io::Write;
        let mut rng = Rng::with_pair(self.seed, Stream::Kev, i64::from(e.day.0), i64::from(e.number) + 1_000);
        let (vendor, product) = (rng.pick(&NAMES.vendors), rng.pick(&NAMES.products));
        let (flaw, weakness) = rng.pick(&NAMES.flaws);
        let known = e.ransomware || e.flips_on.is_some_and(|d| d <= as_of);
        let due = e.day.plus(if rng.chance(0.1) { 7 } else { 21 });
        let id = self.identifier(e);
        let mut description = format!(
            "{vendor} {product} contains {} vulnerability that allows a remote attacker to {}.",
            a_or_an(&flaw.to_lowercase()),
            rng.pick(&[
                "execute code",
                "read files",
                "gain elevated privileges",
                "bypass authentication",
                "disclose data"
            ])
        );
        if self.hostile && rng.chance(0.1) {
            description = hostile_text(&mut rng);
        }
        let description = serde_json::to_string(&description).unwrap_or_default();
        let cwes = if rng.chance(0.89) {
            format!("[\n                \"{weakness}\"\n            ]")
        } else {
            "[]".into()
        };
        let _ = write!(
            out,
            "        {{\n            \"cveID\": \"{id}\",\n            \"vendorProject\": \"{vendor}\",\n            \
             \"product\": \"{product}\",\n            \"vulnerabilityName\": \"{vendor} {product} {flaw} \
             Vulnerability\",\n            \"dateAdded\": \"{}\",\n            \"shortDescription\": {description},\n            \
             \"requiredAction\": \"Apply mitigations per vendor instructions or discontinue use of the product if \
             mitigations are unavailable.\",\n            \"dueDate\": \"{due}\",\n            \
             \"knownRansomwareCampaignUse\": \"{}\",\n            \"notes\": \"https://advisories.example/{id} ; \
             https://nvd.example/{id}\",\n            \"cwes\": {cwes}\n        }}",
            e.day,
            if known { "Known" } else { "Unknown" }
        );
    }
}

fn a_or_an(noun: &str) -> String {
    let article =
        if noun.starts_with(['a', 'e', 'i', 'o', 'u']) && !noun.starts_with("use") { "an" } else { "a" };
    format!("{article} {noun}")
}
