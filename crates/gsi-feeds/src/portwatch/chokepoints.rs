//! The 28 chokepoints by the publisher's number, with the names of their series.

use crate::SeriesSpec;
use gsi_model::DAY;

pub struct Chokepoint {
    pub id: &'static str,
    pub slug: &'static str,
    pub transits: &'static str,
    pub capacity: &'static str,
}

macro_rules! chokepoints {
    ($($number:literal $slug:literal)*) => {
        [$(Chokepoint {
            id: concat!("chokepoint", $number),
            slug: $slug,
            transits: concat!("portwatch.", $slug, ".n_total"),
            capacity: concat!("portwatch.", $slug, ".capacity"),
        }),*]
    };
}

pub static CHOKEPOINTS: [Chokepoint; 28] = chokepoints! {
    1 "suez"
    2 "panama"
    3 "bosporus"
    4 "bab_el_mandeb"
    5 "malacca"
    6 "hormuz"
    7 "cape_of_good_hope"
    8 "gibraltar"
    9 "dover"
    10 "oresund"
    11 "taiwan"
    12 "korea"
    13 "tsugaru"
    14 "luzon"
    15 "lombok"
    16 "ombai"
    17 "bohai"
    18 "torres"
    19 "sunda"
    20 "makassar"
    21 "magellan"
    22 "yucatan"
    23 "windward"
    24 "mona"
    25 "balabac"
    26 "bering"
    27 "mindoro"
    28 "kerch"
};

/// Transits of all chokepoints, then their capacity.
pub static SERIES: [SeriesSpec; 56] = {
    let mut series = [SeriesSpec {
        series: "",
        unit: "ships",
        cadence: DAY,
        publication_lag: 8 * DAY,
        business_days: false,
    }; 56];
    let mut i = 0;
    while i < CHOKEPOINTS.len() {
        series[i].series = CHOKEPOINTS[i].transits;
        series[i + CHOKEPOINTS.len()].series = CHOKEPOINTS[i].capacity;
        series[i + CHOKEPOINTS.len()].unit = "tons";
        i += 1;
    }
    series
};
