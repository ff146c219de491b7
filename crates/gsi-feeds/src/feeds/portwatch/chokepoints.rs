//! The 28 chokepoints by the publisher's number, with the names of their series and their positions on the map.

use crate::SeriesSpec;
use gsi_model::{DAY, LayerKey, LayerPlace, LayerPlaces, LayerSeverity, MapLayer};

pub struct Chokepoint {
    pub id: &'static str,
    pub slug: &'static str,
    pub transits: &'static str,
    pub capacity: &'static str,
    name: &'static str,
    latitude: f64,
    longitude: f64,
}

macro_rules! chokepoints {
    ($($number:literal $slug:literal $name:literal $latitude:literal $longitude:literal)*) => {
        [$(Chokepoint {
            id: concat!("chokepoint", $number),
            slug: $slug,
            transits: concat!("portwatch.", $slug, ".n_total"),
            capacity: concat!("portwatch.", $slug, ".capacity"),
            name: $name,
            latitude: $latitude,
            longitude: $longitude,
        }),*]
    };
}

/// Positions are where ships pass, to about a tenth of a degree.
pub static CHOKEPOINTS: [Chokepoint; 28] = chokepoints! {
    1 "suez" "Suez Canal" 30.6 32.4
    2 "panama" "Panama Canal" 9.1 -79.8
    3 "bosporus" "Bosporus" 41.1 29.1
    4 "bab_el_mandeb" "Bab el-Mandeb" 12.7 43.4
    5 "malacca" "Strait of Malacca" 1.5 102.7
    6 "hormuz" "Strait of Hormuz" 26.4 56.6
    7 "cape_of_good_hope" "Cape of Good Hope" -35.5 19.5
    8 "gibraltar" "Strait of Gibraltar" 36.0 -5.6
    9 "dover" "Strait of Dover" 51.0 1.4
    10 "oresund" "Öresund" 55.9 12.7
    11 "taiwan" "Taiwan Strait" 24.5 119.7
    12 "korea" "Korea Strait" 34.3 129.0
    13 "tsugaru" "Tsugaru Strait" 41.4 140.5
    14 "luzon" "Luzon Strait" 20.5 121.3
    15 "lombok" "Lombok Strait" -8.6 115.8
    16 "ombai" "Ombai Strait" -8.4 125.2
    17 "bohai" "Bohai Strait" 38.3 121.0
    18 "torres" "Torres Strait" -10.3 142.2
    19 "sunda" "Sunda Strait" -6.0 105.7
    20 "makassar" "Makassar Strait" -1.5 118.0
    21 "magellan" "Strait of Magellan" -53.5 -70.5
    22 "yucatan" "Yucatán Channel" 21.7 -85.7
    23 "windward" "Windward Passage" 20.0 -73.9
    24 "mona" "Mona Passage" 18.3 -67.9
    25 "balabac" "Balabac Strait" 7.6 117.0
    26 "bering" "Bering Strait" 65.8 -168.9
    27 "mindoro" "Mindoro Strait" 12.3 120.6
    28 "kerch" "Kerch Strait" 45.3 36.6
};

/// Transits of all chokepoints, then their capacity.
pub static SERIES: [SeriesSpec; 56] = {
    let mut series = [SeriesSpec::daily("", "ships", 8 * DAY); 56];
    let mut i = 0;
    while i < CHOKEPOINTS.len() {
        series[i].series = CHOKEPOINTS[i].transits;
        series[i + CHOKEPOINTS.len()].series = CHOKEPOINTS[i].capacity;
        series[i + CHOKEPOINTS.len()].unit = "tons";
        i += 1;
    }
    series
};

static PLACES: [LayerPlace; 28] = {
    let mut places = [LayerPlace { id: "", name: "", latitude: 0.0, longitude: 0.0, series: "" }; 28];
    let mut i = 0;
    while i < CHOKEPOINTS.len() {
        let Chokepoint { slug, transits, name, latitude, longitude, .. } = CHOKEPOINTS[i];
        places[i] = LayerPlace { id: slug, name, latitude, longitude, series: transits };
        i += 1;
    }
    places
};

pub static LAYERS: [MapLayer; 1] = [MapLayer {
    key: LayerKey::Chokepoints,
    title: "Chokepoints",
    about: "Ships through a strait or canal in the last seven days that are known, in percent of what is normal there: the \
            median day of the 52 weeks before.",
    feed: "portwatch",
    unit: "percent of normal",
    decimals: 0,
    places: LayerPlaces::Fixed(&PLACES),
    severities: &[
        LayerSeverity { from: 0.0, word: "severely reduced", level: 3 },
        LayerSeverity { from: 50.0, word: "reduced", level: 2 },
        LayerSeverity { from: 75.0, word: "somewhat reduced", level: 1 },
        LayerSeverity { from: 90.0, word: "normal", level: 0 },
        LayerSeverity { from: 110.0, word: "above normal", level: 0 },
    ],
    // Published weekly, a week late.
    stale_after_seconds: 18 * DAY,
}];
