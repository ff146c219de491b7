//! Hand-made rows, and a small random world of them for the properties.

use gsi_events::{EventClusterer, EventFilter, PLACE_FEATURES};
use gsi_model::{Actor, CountryCode, Day, Geo, NewsRow, NewsSlot, TICK, Text, Timestamp};
use std::sync::Arc;

/// Keeps every article and accepts its rows' country, to test clustering apart from the trained filter.
pub fn trusting_filter() -> Arc<EventFilter> {
    let place = std::array::from_fn(|i| if PLACE_FEATURES[i] == "share_of_rows" { 20.0 } else { 0.0 });
    Arc::new(EventFilter { bias: 50.0, keep_from: 0.0, place_from: 0.0, place, ..EventFilter::default() })
}

pub fn new_clusterer() -> EventClusterer {
    EventClusterer::with_filter(trusting_filter())
}

pub const START: &str = "2026-03-02T00:00:00Z";

pub fn at(tick: i64) -> Timestamp {
    START.parse::<Timestamp>().unwrap().plus(tick * TICK)
}

pub fn actor(code: &str) -> Arc<Actor> {
    let (country, role) = match code {
        "" => return Arc::default(),
        c if c.len() == 6 => (&c[..3], &c[3..]),
        c if CountryCode::from_iso3(c).is_some() => (c, ""),
        c => ("", c),
    };
    let roles = [role].into_iter().filter(|r| !r.is_empty()).map(Into::into).collect();
    let (code, country) = (code.into(), country.into());
    Arc::new(Actor { name: Text::clone(&code), code, country, group: Text::default(), roles })
}

#[derive(Clone, Copy)]
pub struct Spot {
    pub kind: u8,
    pub name: &'static str,
    pub country: &'static str,
    pub adm1: &'static str,
    pub lat: f64,
    pub lon: f64,
}

pub const fn spot(
    kind: u8,
    name: &'static str,
    country: &'static str,
    adm1: &'static str,
    lat: f64,
    lon: f64,
) -> Spot {
    Spot { kind, name, country, adm1, lat, lon }
}

pub const KHARKIV: Spot = spot(4, "Kharkiv, Kharkivs'ka Oblast', Ukraine", "UA", "UP07", 49.99, 36.23);
pub const CHUHUIV: Spot = spot(4, "Chuhuiv, Kharkivs'ka Oblast', Ukraine", "UA", "UP07", 49.84, 36.68);
pub const KYIV: Spot = spot(4, "Kyiv, Kyyiv, Misto, Ukraine", "UA", "UP12", 50.45, 30.52);
pub const BROVARY: Spot = spot(4, "Brovary, Kyyivs'ka Oblast', Ukraine", "UA", "UP13", 50.51, 30.79);
pub const DNIPRO: Spot = spot(4, "Dnipro, Dnipropetrovs'ka Oblast', Ukraine", "UA", "UP04", 48.46, 35.05);
pub const UKRAINE: Spot = spot(1, "Ukraine", "UA", "UP", 49.0, 32.0);
pub const KHARTOUM: Spot = spot(4, "Khartoum, Al Khartum, Sudan", "SD", "SU29", 15.59, 32.53);
pub const EL_FASHER: Spot = spot(4, "El Fasher, Shamal Darfur, Sudan", "SD", "SU55", 13.63, 25.35);
pub const NAIROBI: Spot = spot(4, "Nairobi, Nairobi Area, Kenya", "KE", "KE05", -1.28, 36.82);
pub const SPOTS: [Spot; 9] = [KHARKIV, CHUHUIV, KYIV, BROVARY, DNIPRO, UKRAINE, KHARTOUM, EL_FASHER, NAIROBI];

pub fn row(id: u64, tick: i64, code: &str, sides: (&str, &str), spot: Spot, url: &str) -> NewsRow {
    let added = at(tick);
    NewsRow {
        id,
        added,
        day: added.day().0,
        actor1: actor(sides.0),
        actor2: actor(sides.1),
        is_root: true,
        code: code.into(),
        quad_class: 4,
        goldstein: -10.0,
        mentions: 1,
        sources: 1,
        articles: 1,
        tone: -4.0,
        geo: Some(Geo {
            kind: spot.kind,
            name: spot.name.into(),
            country: CountryCode::from_iso2(spot.country),
            adm1: spot.adm1.into(),
            lat: spot.lat,
            lon: spot.lon,
        }),
        url: url.into(),
    }
}

pub fn slot(tick: i64, articles: u32) -> NewsSlot {
    NewsSlot { stamp: at(tick), known_at: at(tick), articles, ..NewsSlot::default() }
}

/// SplitMix64: a small generator for tests, the same everywhere.
#[derive(Clone)]
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

const SIDES: [(&str, &str); 8] = [
    ("RUS", "UKR"),
    ("RUSMIL", "UKR"),
    ("UKR", "RUSMIL"),
    ("SDNMIL", "SDNREB"),
    ("REB", "CVL"),
    ("COP", "OPP"),
    ("RUS", ""),
    ("", "UKRMIL"),
];
const CODES: [&str; 12] =
    ["190", "193", "194", "195", "183", "154", "138", "173", "175", "141", "163", "172"];
const DOMAINS: [&str; 14] = [
    "alpha.com",
    "beta.co.uk",
    "gamma.ua",
    "delta.de",
    "epsilon.ke",
    "zeta.com",
    "eta.in",
    "theta.fr",
    "iota.com.au",
    "kappa.net",
    "lambda.org",
    "mu.sd",
    "nu.ie",
    "xi.ca",
];
const WORDS: [&str; 16] = [
    "shelling",
    "drones",
    "strike",
    "depot",
    "village",
    "soldiers",
    "killed",
    "border",
    "overnight",
    "troops",
    "missile",
    "hits",
    "power",
    "grid",
    "clashes",
    "army",
];

/// A file's worth of rows at `tick`, a function of (seed, tick) alone.
pub fn file(seed: u64, tick: i64, rows: usize) -> Vec<NewsRow> {
    let mut chance = Chance(seed ^ (tick as u64).wrapping_mul(0x5851_f42d_4c95_7f2d));
    let mut out: Vec<NewsRow> = Vec::new();
    for n in 0..rows {
        // One in four is another row of an article already there; one in five is wire copy under another domain.
        let last = out.last().map(|r| r.url.to_string());
        let url = match last {
            Some(url) if chance.below(4) == 0 => url,
            Some(url) if chance.below(5) == 0 => {
                let path = url.splitn(4, '/').nth(3).unwrap_or("").to_owned();
                format!("https://www.{}/{path}", chance.pick(&DOMAINS))
            }
            _ => {
                let words: Vec<&str> = (0..6).map(|_| chance.pick(&WORDS)).collect();
                format!("https://www.{}/world/{}", chance.pick(&DOMAINS), words.join("-"))
            }
        };
        let id = 1_000_000 + tick as u64 * 1_000 + n as u64;
        let mut row = row(id, tick, chance.pick(&CODES), chance.pick(&SIDES), chance.pick(&SPOTS), &url);
        row.is_root = chance.below(3) > 0;
        if chance.below(12) == 0 {
            row.day = Day(row.day).plus(-30).0;
        }
        out.push(row);
    }
    out
}
