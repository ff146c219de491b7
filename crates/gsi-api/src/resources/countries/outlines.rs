//! Simplified outlines of countries for maps. The first lines of `outlines.tsv` name their source.

use gsi_model::CountryCode;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Coordinates of a GeoJSON MultiPolygon: polygons of rings of points, each longitude and latitude in degrees.
pub type Outline = Vec<Vec<Vec<[f64; 2]>>>;

/// The credit that a map with these outlines must show.
pub(crate) const OUTLINES_ATTRIBUTION: &str = "Outlines: made with Natural Earth";

static OUTLINES: LazyLock<HashMap<CountryCode, Outline>> = LazyLock::new(|| {
    let lines = include_str!("outlines.tsv").lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let (code, coordinates) = line.split_once('\t')?;
        Some((CountryCode::from_iso2(code)?, serde_json::from_str(coordinates).ok()?))
    };
    lines.filter_map(read).collect()
});

/// Returns `None` for a few territories that the atlas draws as part of another country.
pub(crate) fn outline(country: CountryCode) -> Option<&'static Outline> {
    OUTLINES.get(&country)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_country_with_closed_rings() {
        let lines = include_str!("outlines.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(OUTLINES.len(), lines, "every line is read");
        for (country, outline) in OUTLINES.iter() {
            assert!(!outline.is_empty(), "{country}");
            for polygon in outline {
                for (n, ring) in polygon.iter().enumerate() {
                    assert!(ring.len() >= 4 && ring.first() == ring.last(), "{country}");
                    let on_earth = |p: &[f64; 2]| p[0].abs() <= 180.0 && p[1].abs() <= 90.0;
                    assert!(ring.iter().all(on_earth), "{country}");
                    // RFC 7946: counterclockwise outside, clockwise around a hole.
                    let twice_area: f64 =
                        ring.windows(2).map(|p| p[0][0] * p[1][1] - p[1][0] * p[0][1]).sum();
                    assert_eq!(twice_area > 0.0, n == 0, "{country}");
                }
            }
        }
        let inside = |code: &str, point: [f64; 2]| {
            let outline = outline(CountryCode::from_iso2(code).unwrap()).unwrap();
            let ring = outline.iter().map(|polygon| &polygon[0]).max_by_key(|ring| ring.len()).unwrap();
            let crosses = |p: &&[[f64; 2]]| {
                (p[0][1] > point[1]) != (p[1][1] > point[1])
                    && point[0] < (p[1][0] - p[0][0]) * (point[1] - p[0][1]) / (p[1][1] - p[0][1]) + p[0][0]
            };
            ring.windows(2).filter(crosses).count() % 2 == 1
        };
        assert!(inside("UA", [30.5, 50.45]) && inside("AU", [149.1, -35.3]), "no code is another's");
        assert!(!inside("UA", [37.6, 55.75]));
    }
}
