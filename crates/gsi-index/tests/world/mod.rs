//! A small invented world: coded news, events, catalogue entries, prices and stress, all from one seed.

use gsi_index::{Computed, Engine, Method, SeriesTable};
use gsi_model::{CountryCode, DAY, Day, FeedId, NewsSlot, Observation, SlotCountry, TICK, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// 2026-09-01, a Tuesday.
pub const BEGIN: Day = Day(20_697);

/// Days of news before the beginning, known only by their tallies.
const TALLIED_DAYS: i32 = 60;
const COUNTRIES: [&str; 6] = ["UA", "IL", "US", "SD", "FR", "TW"];

pub const FEEDS: [&str; 5] = ["gdelt", "kev", "oil", "ofr", "treasury"];

pub fn method() -> Arc<Method> {
    let feeds = BTreeSet::from(FEEDS.map(str::to_owned));
    Arc::new(Method::load(Method::default_text(), &feeds).unwrap())
}

/// Uniform numbers from a seed, a place and a position.
pub fn noise(seed: u64, place: &str, n: i64) -> f64 {
    let mut h = seed ^ 0x9e37_79b9_7f4a_7c15;
    for b in place.bytes().chain(n.to_le_bytes()) {
        h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        h ^= h >> 29;
    }
    (h >> 11) as f64 / (1u64 << 53) as f64
}

#[derive(Clone, Default)]
pub struct World {
    pub observations: Vec<Observation>,
    pub slots: Vec<NewsSlot>,
}

pub fn observation(series: &str, end: Timestamp, known_at: Timestamp, value: f64, feed: &str) -> Observation {
    Observation {
        series: series.to_owned(),
        entity: String::new(),
        period_start: end.minus(DAY),
        period_end: end,
        value,
        known_at,
        ingested_at: known_at,
        revision: 0,
        quality: 1.0,
        feed: FeedId::new(feed),
        raw: String::new(),
    }
}

impl World {
    /// `days` of news and events from [`BEGIN`], after `years` of slow history.
    pub fn new(seed: u64, days: i32, years: i32) -> World {
        let mut world = World::default();
        let first = BEGIN.plus(-365 * years);
        let mut stress = 0.0;
        let mut price = 70.0;
        for d in first.0..BEGIN.plus(days).0 {
            let (day, n) = (Day(d), i64::from(d));
            let added = (noise(seed, "kev", n) * 4.0 - 2.5).max(0.0).floor();
            world.observations.push(observation("kev.weighted", day.end(), day.end(), added, "kev"));
            if day.is_weekend() {
                continue;
            }
            stress += 0.2 * (noise(seed, "fsi", n) - 0.5) - 0.02 * stress;
            price *= 1.0 + 0.04 * (noise(seed, "oil", n) - 0.5);
            let known = day.end().plus(2 * DAY);
            for (series, scale) in
                [("ofr.fsi", 1.0), ("ofr.volatility", 0.4), ("treasury.y2", 0.3), ("treasury.y10", 0.2)]
            {
                let value = scale * (stress + 0.1 * noise(seed, series, n));
                let feed = series.split('.').next().unwrap_or_default();
                world.observations.push(observation(series, day.end(), known, value, feed));
            }
            world.observations.push(observation("eia.brent", day.end(), known.plus(DAY), price, "oil"));
        }
        for d in 1..=TALLIED_DAYS {
            world.tallies(seed, BEGIN.plus(-d));
        }
        let ticks = i64::from(days) * DAY / TICK;
        for n in 1..=ticks {
            world.news(seed, BEGIN.start().plus(n * TICK), n);
        }
        world
    }

    /// The tallies of a day of news whose files are no longer kept.
    fn tallies(&mut self, seed: u64, day: Day) {
        let known = day.end().minus(TICK);
        self.observations.push(observation("news.articles", day.end(), known, 24_000.0, "index"));
        for code in COUNTRIES {
            let value = 0.02 + 0.3 * noise(seed, code, i64::from(day.0));
            let mut row = observation("news.conflict_by_country", day.end(), known, value, "index");
            row.entity = code.to_owned();
            self.observations.push(row);
        }
    }

    fn news(&mut self, seed: u64, stamp: Timestamp, n: i64) {
        let mood = 1.0 + 0.3 * (n as f64 / 400.0).sin();
        let share = |name: &str| noise(seed, name, n);
        let countries = COUNTRIES.iter().map(|code| {
            let articles = 1 + (share(code) * 6.0) as u32;
            SlotCountry {
                country: CountryCode::from_iso2(code).unwrap(),
                articles,
                conflict: f64::from(articles) * 0.2 * noise(seed, code, n / 40),
            }
        });
        let articles = 200 + (share("articles") * 100.0) as u32;
        self.slots.push(NewsSlot {
            stamp,
            known_at: stamp,
            rows: articles * 4,
            articles,
            conflict: f64::from(articles) * 0.06 * mood * (0.5 + share("conflict")),
            threat: f64::from(articles) * 0.04 * (0.5 + share("threat")),
            cyber: (share("cyber") * 4.0) as u32,
            supply: (share("supply") * 3.0) as u32,
            countries: countries.collect(),
        });
        let theaters = 12.0 * mood * (0.8 + 0.4 * share("theaters"));
        for (series, value) in [
            ("events.theaters", theaters.floor()),
            ("events.theaters_smooth", theaters),
            ("events.peak_escalation", 40.0 + 20.0 * share("peak")),
        ] {
            let mut row = observation(series, stamp, stamp, value, "events");
            row.period_start = stamp.minus(TICK);
            self.observations.push(row);
        }
    }

    pub fn table(&self) -> SeriesTable {
        let mut table = SeriesTable::new();
        self.observations.iter().for_each(|o| table.insert(o));
        self.slots.iter().for_each(|s| table.insert_slot(s));
        table
    }

    /// Only what is known by `tick`.
    pub fn known_by(&self, tick: Timestamp) -> World {
        World {
            observations: self.observations.iter().filter(|o| o.known_at <= tick).cloned().collect(),
            slots: self.slots.iter().filter(|s| s.known_at <= tick).cloned().collect(),
        }
    }
}

pub struct Tick {
    pub tick: Timestamp,
    pub computed: Computed,
}

/// Runs the ticks of a world in order, storing what is derived, as the pipeline does.
pub struct Run {
    pub table: SeriesTable,
    pub states: BTreeMap<Timestamp, Vec<u8>>,
    pub ticks: Vec<Tick>,
    /// All derived rows so far.
    pub derived: Vec<Observation>,
}

impl Run {
    pub fn new(world: &World) -> Run {
        Run { table: world.table(), states: BTreeMap::new(), ticks: Vec::new(), derived: Vec::new() }
    }

    pub fn step(&mut self, engine: &mut Engine, tick: Timestamp) -> &Computed {
        let computed = compute(engine, &self.table, &self.states, tick);
        computed.derived.iter().for_each(|o| self.table.insert(o));
        self.derived.extend(computed.derived.iter().cloned());
        self.states.insert(tick, computed.state.clone());
        self.ticks.push(Tick { tick, computed });
        &self.ticks[self.ticks.len() - 1].computed
    }

    pub fn over(world: &World, ticks: impl Iterator<Item = Timestamp>) -> Run {
        let mut run = Run::new(world);
        let mut engine = Engine::new(method());
        ticks.for_each(|t| {
            run.step(&mut engine, t);
        });
        run
    }
}

pub fn compute(
    engine: &mut Engine,
    table: &SeriesTable,
    states: &BTreeMap<Timestamp, Vec<u8>>,
    tick: Timestamp,
) -> Computed {
    let at = |t: Timestamp| states.range(..=t).next_back().map(|(_, s)| s.clone());
    let previous = at(tick.minus(1));
    engine.compute(tick, table, previous.as_deref(), &at, true)
}

pub fn ticks(from_day: i32, days: i32) -> impl Iterator<Item = Timestamp> {
    let start = BEGIN.plus(from_day).start();
    (1..=i64::from(days) * DAY / TICK).map(move |n| start.plus(n * TICK))
}
