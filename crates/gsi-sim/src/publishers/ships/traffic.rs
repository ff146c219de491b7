//! Ships: daily transits of straits and calls at large ports, each a mean with a yearly wave, a weekly one and noise.
//!
//! Levels of Suez, Bab el-Mandeb, Hormuz and the Cape are those of 2019–22, including the diversion of 2024 that has not
//! ended. The other means are round figures of the same order as the published ones.

use crate::data;
use crate::scenario::Timeline;
use crate::series::business_time;
use crate::world::{Rng, Stream};
use gsi_model::Day;
use std::f64::consts::TAU;
use std::sync::LazyLock;

/// 2019-01-01
pub const FIRST: Day = Day(17_897);
/// 2023-12-15: ships begin to go round the Cape.
const DIVERSION: Day = Day(19_706);
/// Key of the draws for tons, so that they share no numbers with those for calls.
const TONS_KEY: i64 = 10_000;

pub const SHIPS: [&str; 5] = ["container", "dry_bulk", "general_cargo", "roro", "tanker"];
/// Tons per ship of each kind.
const TONS: [f64; 5] = [60_000.0, 52_000.0, 5_500.0, 3_500.0, 46_500.0];
/// Share of each kind in the calls at a port.
const CALLS_BY_KIND: [f64; 5] = [0.4, 0.2, 0.15, 0.05, 0.2];

/// A strait with the daily mean of each kind of ship.
pub struct Strait {
    pub name: &'static str,
    means: [f64; 5],
}

/// Straits in the order of the published ids, `chokepoint1` first.
pub static STRAITS: LazyLock<Vec<Strait>> = LazyLock::new(|| {
    data::lines(include_str!("../../../data/straits.tsv"))
        .map(|cells| Strait { name: cells[0], means: data::numbers(&cells[1..]) })
        .collect()
});

/// A port with its mean calls a day.
pub struct Port {
    pub name: &'static str,
    pub iso3: &'static str,
    pub country: &'static str,
    pub latitude: f64,
    pub longitude: f64,
    pub calls: f64,
}

/// Large ports with rounded coordinates, `port1` first. The real layer has about 2,000.
pub static PORTS: LazyLock<Vec<Port>> = LazyLock::new(|| {
    data::lines(include_str!("../../../data/ports.tsv"))
        .map(|cells| {
            let [latitude, longitude, calls] = data::numbers(&cells[3..]);
            Port { name: cells[0], iso3: cells[1], country: cells[2], latitude, longitude, calls }
        })
        .collect()
});

/// Draws the ships of each kind that pass a strait on a day.
pub fn transits(seed: u64, timeline: &Timeline, index: usize, day: Day) -> [u32; 5] {
    let mut rng = Rng::with_pair(seed, Stream::Transits, i64::from(day.0), index as i64);
    let year = TAU * f64::from(day.0) / 365.25;
    let season = 1.0 + 0.04 * libm::cos(year + index as f64);
    let factor = timeline.series(&format!("transits.chokepoint{}", index + 1), business_time(day)).factor;
    // The whole strait has a good or a bad day.
    let common = libm::exp(0.08 * rng.normal());
    let mut ships = [0; 5];
    for (kind, mean) in STRAITS[index].means.into_iter().enumerate() {
        let diverted = if day < DIVERSION { 1.0 } else { share_after_diversion(index, kind) };
        ships[kind] = rng.poisson(mean * season * common * diverted * factor);
    }
    ships
}

/// Share of earlier traffic after the diversion, measured on 2024.
fn share_after_diversion(index: usize, kind: usize) -> f64 {
    match index {
        0 => [0.51, 0.80, 0.75, 0.23, 0.83][kind],
        3 => [0.32, 0.72, 0.89, 0.13, 0.62][kind],
        6 => [3.5, 1.52, 2.0, 2.9, 1.67][kind],
        _ => 1.0,
    }
}

/// Draws the tons that these ships of each kind carry.
pub fn tons(seed: u64, index: usize, day: Day, ships: [u32; 5]) -> [u64; 5] {
    let mut rng = Rng::with_pair(seed, Stream::Ports, i64::from(day.0), index as i64 + TONS_KEY);
    let mut out = [0; 5];
    for kind in 0..5 {
        out[kind] = (f64::from(ships[kind]) * TONS[kind] * libm::exp(0.12 * rng.normal())) as u64;
    }
    out
}

/// Draws the ships of each kind that call at a port on a day.
pub fn calls(seed: u64, timeline: &Timeline, index: usize, day: Day) -> [u32; 5] {
    let mut rng = Rng::with_pair(seed, Stream::Ports, i64::from(day.0), index as i64);
    let factor = timeline.series("ports", business_time(day)).factor;
    let week = if day.weekday() == 6 { 0.93 } else { 1.012 };
    let common = libm::exp(0.07 * rng.normal()) * week * factor;
    CALLS_BY_KIND.map(|share| rng.poisson(PORTS[index].calls * share * common))
}
