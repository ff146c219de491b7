//! Scores every country on real event files, so that a person can judge the order.
//!
//! The files are single quarter-hours from fifteen months. They are processed one after the other, as if the world's press had
//! published them in one day, by the live code: filter, places, events, country scores. Deaths are those of the last counted month, with
//! the usual delay.

use super::files::MonthlyDeaths;
use anyhow::{Context, ensure};
use gsi_events::Advance;
use gsi_feeds::{Payload, gdelt};
use gsi_index::Method;
use gsi_model::{
    CountryCode, CountrySnapshot, Day, Event, FeedId, NewsRow, NewsSlot, Observation, TICK, Timestamp,
};
use gsi_pipeline::PipelineState;
use gsi_store::SqliteStore;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Earlier files report other wars.
const FIRST_FILE: &str = "20240101";
/// The articles of a file are split into this number of quarter-hours, because a country needs at least 24 files in a day.
const PARTS: usize = 2;
/// The last year with counted deaths, which decides which countries are at war.
pub const COUNTED_YEAR: i16 = 2024;

/// The scores from the files and the counted deaths.
pub struct EveryCountry {
    pub files: usize,
    pub articles: u64,
    pub snapshot: CountrySnapshot,
    pub events: Vec<Event>,
    /// Deaths of the counted year.
    pub deaths: BTreeMap<CountryCode, f64>,
}

impl EveryCountry {
    /// Computes the scores from the event files below the folder of real data and the counted deaths.
    pub fn read(folder: &Path, deaths: &MonthlyDeaths) -> anyhow::Result<EveryCountry> {
        let paths = event_files(&folder.join("gdelt2/export"))?;
        let mut parts = Vec::new();
        for path in &paths {
            parts.extend(split(path)?);
        }
        let last = parts.last().context("the event files hold no rows")?.slot.stamp;
        let first = last.minus(TICK * (parts.len() as i64 - 1));
        let store = SqliteStore::in_memory()?;
        let feeds = gsi_feeds::default_connectors().iter().map(|c| c.origin().feed.to_owned()).collect();
        let method = Arc::new(Method::load(Method::default_text(), &feeds)?);
        let mut memory = PipelineState::blank(&store, method)?;
        count_deaths(&mut memory, deaths, last);
        let mut articles = 0;
        let mut facts = None;
        for (n, part) in parts.into_iter().enumerate() {
            let part = part.moved_to(first.plus(TICK * n as i64));
            articles += u64::from(part.slot.articles);
            memory.table.insert_slot(&part.slot);
            let advance: Advance = memory.clusterer.advance(part.slot.stamp, &part.rows, &[part.slot]);
            advance.changes.iter().for_each(|change| memory.events.apply(change));
            facts = Some(advance.facts);
        }
        let facts = facts.context("the event files hold no rows")?;
        let snapshot = memory.score_countries(&store, last, false, &facts)?.snapshot;
        let mut counted = BTreeMap::new();
        for ((country, _), n) in deaths.iter().filter(|((_, (year, _)), _)| *year == COUNTED_YEAR) {
            *counted.entry(*country).or_default() += n;
        }
        let events = memory.events.as_slice().to_vec();
        Ok(EveryCountry { files: paths.len(), articles, snapshot, events, deaths: counted })
    }

    pub fn deaths_of(&self, country: CountryCode) -> f64 {
        self.deaths.get(&country).copied().unwrap_or_default()
    }
}

/// Returns the event files since [`FIRST_FILE`], oldest first.
fn event_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listed = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = listed.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().as_ref() >= FIRST_FILE));
    files.sort();
    ensure!(!files.is_empty(), "{} has no event file since {FIRST_FILE}", folder.display());
    Ok(files)
}

/// Some articles of a file, as a separate file.
struct FilePart {
    slot: NewsSlot,
    rows: Vec<NewsRow>,
}

/// Splits a file by the addresses of its articles. All rows of an article are in the same part.
fn split(path: &Path) -> anyhow::Result<Vec<FilePart>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut bodies: [Vec<u8>; PARTS] = Default::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let address = line.rsplit(|byte| *byte == b'\t').next().unwrap_or_default();
        let part = address.iter().map(|byte| usize::from(*byte)).sum::<usize>() % PARTS;
        bodies[part].extend_from_slice(line);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut parts = Vec::new();
    for bytes in &bodies {
        let payload = Payload::new(&name, bytes, Timestamp::MAX);
        let mut decoded =
            gdelt::decode(&payload).with_context(|| format!("cannot use {}", path.display()))?;
        let slot = decoded.slots.pop().with_context(|| format!("{} has no rows", path.display()))?;
        parts.push(FilePart { slot, rows: decoded.rows });
    }
    Ok(parts)
}

impl FilePart {
    /// Moves the part to another time of publication.
    fn moved_to(mut self, stamp: Timestamp) -> FilePart {
        let days = stamp.day().0 - self.slot.stamp.day().0;
        for row in &mut self.rows {
            row.added = stamp;
            row.day += days;
        }
        (self.slot.stamp, self.slot.known_at) = (stamp, stamp);
        self
    }
}

/// Inserts the deaths of the last counted month, as if it were the last whole month but one, spread evenly over its days.
fn count_deaths(memory: &mut PipelineState, deaths: &MonthlyDeaths, tick: Timestamp) {
    let Some(newest) = deaths.keys().map(|(_, month)| *month).max() else { return };
    let end = tick.day().month_start(-1);
    let mut insert = |series: &str, entity: &str, deaths: f64| {
        for back in 0..MONTH_DAYS {
            let a_day = deaths / f64::from(MONTH_DAYS);
            memory.table.insert(&counted(series, entity, a_day, end.plus(-back)));
        }
    };
    let mut world = 0.0;
    for ((country, _), n) in deaths.iter().filter(|((_, month), _)| *month == newest) {
        world += n;
        insert("ucdp.deaths_by_country", country.as_str(), *n);
    }
    insert("ucdp.deaths", "", world);
}

/// The number of days that the method adds up.
const MONTH_DAYS: i32 = 30;

fn counted(series: &str, entity: &str, value: f64, end: Day) -> Observation {
    Observation {
        series: series.to_owned(),
        entity: entity.to_owned(),
        period_start: end.plus(-1).start(),
        period_end: end.start(),
        value,
        known_at: end.start(),
        ingested_at: end.start(),
        revision: 0,
        quality: 1.0,
        feed: FeedId::new("ucdp"),
        raw: String::new(),
    }
}
