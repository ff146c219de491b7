//! Probabilities of exploitation: one gzipped CSV file per day.

use super::super::{Content, Document, Format, Request};
use crate::series::{Posting, Release, draw_count};
use crate::world::{Rng, Stream, World};
use flate2::Compression;
use flate2::write::GzEncoder;
use gsi_model::Day;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

/// Identifiers in the score file besides the catalogue's. The real file has 300,000; a hundredth keeps the demo light.
const SCORED: i64 = 3_000;
const RELEASE: Release = Release::Daily { hour: 13, lag_days: 0 };
/// 2021-04-14, the first dated file.
const FIRST: Day = Day(18_731);
/// How long an upward crossing of one half lasts.
const CROSSED_DAYS: i64 = 60;

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let newest = RELEASE.newest(request.as_of).last;
    let file = request.path.strip_prefix("/epss_scores-")?.strip_suffix(".csv.gz")?;
    if file == "current" {
        let address = format!("https://epss.empiricalsecurity.com/epss_scores-{newest}.csv.gz");
        return Some(Document {
            format: Format::Gzip,
            version: newest.0 as u64,
            modified: None,
            content: Content::Redirect(address),
            tampered: false,
        });
    }
    let day = Day::parse_iso(file).filter(|d| (FIRST..=newest).contains(d))?;
    let Posting { at, .. } = RELEASE.newest(day.end());
    let maker = world.clone();
    Some(Document::new(Format::Gzip, day.0 as u64, Some(at), move || score_file(&maker, day)))
}

/// Identifiers that cross one half on `day`.
fn crossings(world: &World, day: Day) -> impl Iterator<Item = i64> + use<> {
    let mut rng = Rng::with_pair(world.settings.seed, Stream::Epss, i64::from(day.0), -1);
    let count = draw_count("epss", &world.timeline, day, &mut rng);
    (0..count).map(move |_| rng.below(SCORED as usize) as i64)
}

/// Draws the usual log odds of an identifier, and returns the generator for its further draws. Most are far below a
/// hundredth; about one in seventy is above one half.
fn usual(seed: u64, number: i64) -> (f64, Rng) {
    let mut rng = Rng::new(seed, Stream::Epss, number);
    let log_odds = -6.0 + 2.1 * rng.normal() + if rng.chance(0.012) { 7.0 } else { 0.0 };
    (log_odds, rng)
}

/// Returns the decimals of a probability below one as an integer, which prints faster than a float.
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
        let mut today = Rng::with_pair(seed, Stream::Epss, number, i64::from(day.0));
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
        let mut rng = Rng::new(
            world.settings.seed,
            Stream::Epss,
            id.bytes().fold(0i64, |a, b| a.wrapping_mul(31).wrapping_add(i64::from(b))),
        );
        let p = 0.3 + 0.69 * rng.unit();
        let _ = writeln!(text, "{id},{p:.5},0.98900");
    }
    let mut gz = GzEncoder::new(Vec::with_capacity(text.len() / 3), Compression::fast());
    // Writing to memory cannot fail.
    let _ = gz.write_all(text.as_bytes());
    gz.finish().unwrap_or_default()
}
