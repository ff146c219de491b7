//! Reading the real GDELT files, for the tests that need them.

use gsi_model::{Actor, CountryCode, Day, Geo, NewsRow, NewsSlot, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;

fn actor(cells: &[&str]) -> Arc<Actor> {
    let [code, name, country, group] = [0, 1, 2, 3].map(|i| cells[i].into());
    let roles = cells[7..10].iter().filter(|role| !role.is_empty()).map(|role| (*role).into()).collect();
    Arc::new(Actor { code, name, country, group, roles })
}

fn day(text: &str) -> Day {
    Timestamp::parse_compact(format!("{text}000000").as_bytes()).unwrap().day()
}

/// All 61 columns are present in every row of these files; the tests of the feed cover the connector's own decoder.
pub fn row(line: &str) -> Option<NewsRow> {
    let c: Vec<&str> = line.split('\t').collect();
    if c.len() != 61 || !("13"..="20").contains(&c[28]) {
        return None;
    }
    let geo = (c[51] != "0").then(|| Geo {
        kind: c[51].parse().unwrap_or(0),
        name: c[52].into(),
        country: CountryCode::from_fips(c[53]),
        adm1: c[54].into(),
        lat: c[56].parse().unwrap_or(f64::NAN),
        lon: c[57].parse().unwrap_or(f64::NAN),
    });
    Some(NewsRow {
        id: c[0].parse().ok()?,
        added: Timestamp::parse_compact(c[59].as_bytes())?,
        day: day(c[1]).0,
        actor1: actor(&c[5..15]),
        actor2: actor(&c[15..25]),
        is_root: c[25] == "1",
        code: c[26].into(),
        quad_class: c[29].parse().ok()?,
        goldstein: c[30].parse().ok()?,
        mentions: c[31].parse().ok()?,
        sources: c[32].parse().ok()?,
        articles: c[33].parse().ok()?,
        tone: c[34].parse().ok()?,
        geo,
        url: c[60].into(),
    })
}

pub fn slot(text: &str, stamp: Timestamp) -> NewsSlot {
    let urls: BTreeSet<&str> = text.lines().filter_map(|l| l.rsplit('\t').next()).collect();
    NewsSlot { stamp, known_at: stamp, articles: urls.len() as u32, ..NewsSlot::default() }
}
