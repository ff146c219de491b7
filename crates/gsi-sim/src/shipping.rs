//! Ships: daily transits of 28 chokepoints and calls at large ports, each a mean with a yearly wave, a weekly one and noise.
//!
//! Levels of Suez, Bab el-Mandeb, Hormuz and the Cape are those of 2019–22, including the diversion of 2024 that has not
//! ended; the other means are round figures of the same order as the published ones.

use crate::chance::{Chance, Stream};
use crate::markets::noon;
use crate::scenario::Timeline;
use gsi_model::Day;
use std::f64::consts::TAU;

/// 2019-01-01
pub const FIRST: Day = Day(17_897);
/// 2023-12-15: ships begin to go round the Cape.
const DIVERSION: Day = Day(19_706);

/// Container, dry bulk, general cargo, roll-on roll-off, tanker: daily means; then tons per ship.
pub const SHIPS: [&str; 5] = ["container", "dry_bulk", "general_cargo", "roro", "tanker"];
const TONS: [f64; 5] = [60_000.0, 52_000.0, 5_500.0, 3_500.0, 46_500.0];

pub struct Strait {
    pub name: &'static str,
    means: [f64; 5],
}

const fn strait(name: &'static str, means: [f64; 5]) -> Strait {
    Strait { name, means }
}

/// In the order of the published ids, `chokepoint1` first.
pub const STRAITS: [Strait; 28] = [
    strait("Suez Canal", [17.2, 14.7, 5.6, 2.6, 17.3]),
    strait("Panama Canal", [8.0, 9.0, 2.0, 2.6, 9.0]),
    strait("Bosporus Strait", [6.0, 38.0, 38.0, 1.0, 22.0]),
    strait("Bab el-Mandeb Strait", [16.7, 14.9, 4.6, 3.1, 18.6]),
    strait("Malacca Strait", [60.0, 60.0, 20.0, 6.0, 70.0]),
    strait("Strait of Hormuz", [13.1, 15.3, 3.6, 1.9, 53.4]),
    strait("Cape of Good Hope", [5.4, 27.2, 2.2, 1.1, 11.3]),
    strait("Gibraltar Strait", [34.0, 32.0, 24.0, 9.0, 40.0]),
    strait("Dover Strait", [38.0, 32.0, 60.0, 20.0, 50.0]),
    strait("Oresund Strait", [6.0, 12.0, 34.0, 6.0, 16.0]),
    strait("Taiwan Strait", [70.0, 70.0, 60.0, 4.0, 40.0]),
    strait("Korea Strait", [45.0, 50.0, 40.0, 8.0, 35.0]),
    strait("Tsugaru Strait", [14.0, 20.0, 6.0, 2.0, 5.0]),
    strait("Luzon Strait", [22.0, 40.0, 6.0, 3.0, 16.0]),
    strait("Lombok Strait", [2.0, 20.0, 2.0, 1.0, 5.0]),
    strait("Ombai Strait", [1.0, 8.0, 1.0, 0.4, 2.0]),
    strait("Bohai Strait", [24.0, 44.0, 34.0, 4.0, 28.0]),
    strait("Torres Strait", [2.0, 7.0, 1.0, 0.4, 2.0]),
    strait("Sunda Strait", [3.0, 12.0, 5.0, 0.6, 8.0]),
    strait("Makassar Strait", [4.0, 24.0, 5.0, 0.8, 6.0]),
    strait("Magellan Strait", [1.0, 2.0, 0.8, 0.3, 1.6]),
    strait("Yucatan Channel", [8.0, 14.0, 4.0, 2.0, 22.0]),
    strait("Windward Passage", [8.0, 8.0, 3.0, 2.0, 7.0]),
    strait("Mona Passage", [6.0, 6.0, 2.0, 1.6, 8.0]),
    strait("Balabac Strait", [1.0, 5.0, 1.0, 0.3, 2.0]),
    strait("Bering Strait", [0.2, 0.8, 0.6, 0.1, 0.5]),
    strait("Mindoro Strait", [3.0, 14.0, 3.0, 0.5, 4.0]),
    strait("Kerch Strait", [0.6, 12.0, 14.0, 0.4, 9.0]),
];

/// Ships of each kind on a day.
pub fn transits(seed: u64, timeline: &Timeline, index: usize, day: Day) -> [u32; 5] {
    let strait = &STRAITS[index];
    let mut c = Chance::of_pair(seed, Stream::Transits, i64::from(day.0), index as i64);
    let year = TAU * f64::from(day.0) / 365.25;
    let season = 1.0 + 0.04 * libm::cos(year + index as f64);
    let push = timeline.push(&format!("transits.chokepoint{}", index + 1), noon(day));
    // The whole strait has a good or a bad day.
    let common = libm::exp(0.08 * c.normal());
    let mut ships = [0; 5];
    for (kind, mean) in strait.means.into_iter().enumerate() {
        let diverted = if day < DIVERSION { 1.0 } else { after_diversion(index, kind) };
        ships[kind] = c.poisson(mean * season * common * diverted * push.factor);
    }
    ships
}

/// Share of earlier traffic after the diversion, measured on 2024.
fn after_diversion(index: usize, kind: usize) -> f64 {
    match index {
        0 => [0.51, 0.80, 0.75, 0.23, 0.83][kind],
        3 => [0.32, 0.72, 0.89, 0.13, 0.62][kind],
        6 => [3.5, 1.52, 2.0, 2.9, 1.67][kind],
        _ => 1.0,
    }
}

/// Tons of each kind carried by that many ships.
pub fn tons(seed: u64, index: usize, day: Day, ships: [u32; 5]) -> [u64; 5] {
    let mut c = Chance::of_pair(seed, Stream::Ports, i64::from(day.0), index as i64 + 10_000);
    let mut out = [0; 5];
    for kind in 0..5 {
        out[kind] = (f64::from(ships[kind]) * TONS[kind] * libm::exp(0.12 * c.normal())) as u64;
    }
    out
}

pub struct Port {
    pub name: &'static str,
    pub iso3: &'static str,
    pub country: &'static str,
    pub latitude: f64,
    pub longitude: f64,
    pub calls: f64,
}

const fn port(
    name: &'static str,
    iso3: &'static str,
    country: &'static str,
    latitude: f64,
    longitude: f64,
    calls: f64,
) -> Port {
    Port { name, iso3, country, latitude, longitude, calls }
}

/// Large ports with rounded coordinates, `port1` first. The real layer has about 2,000.
pub const PORTS: [Port; 48] = [
    port("Shanghai", "CHN", "China", 31.2, 121.8, 95.0),
    port("Singapore", "SGP", "Singapore", 1.26, 103.8, 120.0),
    port("Ningbo", "CHN", "China", 29.9, 121.9, 70.0),
    port("Shenzhen", "CHN", "China", 22.5, 114.0, 45.0),
    port("Guangzhou", "CHN", "China", 22.8, 113.6, 50.0),
    port("Qingdao", "CHN", "China", 36.0, 120.3, 40.0),
    port("Tianjin", "CHN", "China", 38.9, 117.8, 40.0),
    port("Busan", "KOR", "Korea", 35.1, 129.0, 60.0),
    port("Hong Kong", "HKG", "Hong Kong", 22.3, 114.1, 45.0),
    port("Rotterdam", "NLD", "The Netherlands", 51.9, 4.1, 75.0),
    port("Dubai", "ARE", "United Arab Emirates", 25.0, 55.0, 35.0),
    port("Port Klang", "MYS", "Malaysia", 3.0, 101.3, 40.0),
    port("Antwerp", "BEL", "Belgium", 51.3, 4.3, 45.0),
    port("Xiamen", "CHN", "China", 24.4, 118.0, 25.0),
    port("Kaohsiung", "TWN", "Taiwan", 22.6, 120.3, 35.0),
    port("Los Angeles-Long Beach", "USA", "United States", 33.7, -118.2, 16.0),
    port("New York-New Jersey", "USA", "United States", 40.7, -74.1, 12.0),
    port("Hamburg", "DEU", "Germany", 53.5, 9.9, 18.0),
    port("Tanjung Pelepas", "MYS", "Malaysia", 1.4, 103.5, 20.0),
    port("Laem Chabang", "THA", "Thailand", 13.1, 100.9, 20.0),
    port("Tokyo", "JPN", "Japan", 35.6, 139.8, 25.0),
    port("Yokohama", "JPN", "Japan", 35.4, 139.7, 28.0),
    port("Osaka", "JPN", "Japan", 34.6, 135.4, 22.0),
    port("Nagoya", "JPN", "Japan", 35.0, 136.8, 28.0),
    port("Jakarta", "IDN", "Indonesia", -6.1, 106.9, 25.0),
    port("Manila", "PHL", "Philippines", 14.6, 120.9, 22.0),
    port("Colombo", "LKA", "Sri Lanka", 6.9, 79.8, 14.0),
    port("Mumbai", "IND", "India", 18.9, 72.9, 16.0),
    port("Mundra", "IND", "India", 22.7, 69.7, 10.0),
    port("Jeddah", "SAU", "Saudi Arabia", 21.5, 39.2, 14.0),
    port("Port Said", "EGY", "Egypt", 31.2, 32.3, 16.0),
    port("Piraeus", "GRC", "Greece", 37.9, 23.6, 20.0),
    port("Valencia", "ESP", "Spain", 39.4, -0.3, 16.0),
    port("Algeciras", "ESP", "Spain", 36.1, -5.4, 26.0),
    port("Tanger Med", "MAR", "Morocco", 35.9, -5.5, 18.0),
    port("Felixstowe", "GBR", "United Kingdom", 51.9, 1.3, 8.0),
    port("Le Havre", "FRA", "France", 49.5, 0.1, 12.0),
    port("Genoa", "ITA", "Italy", 44.4, 8.9, 14.0),
    port("Durban", "ZAF", "South Africa", -29.9, 31.0, 10.0),
    port("Lagos", "NGA", "Nigeria", 6.4, 3.4, 8.0),
    port("Santos", "BRA", "Brazil", -23.9, -46.3, 14.0),
    port("Colon", "PAN", "Panama", 9.4, -79.9, 14.0),
    port("Houston", "USA", "United States", 29.7, -95.0, 24.0),
    port("Savannah", "USA", "United States", 32.1, -81.1, 8.0),
    port("Vancouver", "CAN", "Canada", 49.3, -123.1, 10.0),
    port("Melbourne", "AUS", "Australia", -37.8, 144.9, 8.0),
    port("Port Hedland", "AUS", "Australia", -20.3, 118.6, 10.0),
    port("Callao", "PER", "Peru", -12.0, -77.1, 8.0),
];

pub fn calls(seed: u64, timeline: &Timeline, index: usize, day: Day) -> [u32; 5] {
    const MIX: [f64; 5] = [0.4, 0.2, 0.15, 0.05, 0.2];
    let mut c = Chance::of_pair(seed, Stream::Ports, i64::from(day.0), index as i64);
    let push = timeline.push("ports", noon(day));
    let week = if day.weekday() == 6 { 0.93 } else { 1.012 };
    let common = libm::exp(0.07 * c.normal()) * week * push.factor;
    MIX.map(|share| c.poisson(PORTS[index].calls * share * common))
}
