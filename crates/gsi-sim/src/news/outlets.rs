//! Invented outlets. Every name carries `-sim`, so that no real publisher is ever named; the country endings vary because
//! readers of the feed infer the source's country from them.

use crate::chance::{Chance, Stream, Weighted};
use std::sync::LazyLock;

/// About as many distinct domains as one slot of the real feed has articles, four times over.
const OUTLETS: usize = 1_200;

const FIRST: [&str; 40] = [
    "larkfield",
    "northgate",
    "harbor",
    "kestrel",
    "millbrook",
    "sunrise",
    "granite",
    "riverbend",
    "oakmont",
    "delta",
    "meridian",
    "highland",
    "silverlake",
    "prairie",
    "coastal",
    "eastvale",
    "cedar",
    "falcon",
    "lowland",
    "summit",
    "bayview",
    "stonebridge",
    "evergreen",
    "westmark",
    "ironwood",
    "palmetto",
    "redcliff",
    "bluewater",
    "fairmont",
    "goldfield",
    "juniper",
    "lakeside",
    "marlow",
    "newhaven",
    "orchard",
    "pinecrest",
    "quarry",
    "rosedale",
    "tamarind",
    "windmere",
];
const SECOND: [&str; 16] = [
    "gazette",
    "courier",
    "herald",
    "times",
    "post",
    "tribune",
    "observer",
    "news",
    "daily",
    "standard",
    "ledger",
    "chronicle",
    "today",
    "wire",
    "online",
    "radio",
];
/// Shares of endings among 2,142 real domains.
const ENDINGS: [(&str, f64); 30] = [
    ("com", 1489.0),
    ("org", 129.0),
    ("co.uk", 104.0),
    ("com.au", 65.0),
    ("net", 52.0),
    ("ca", 37.0),
    ("ie", 21.0),
    ("co.za", 15.0),
    ("in", 13.0),
    ("ng", 11.0),
    ("tv", 10.0),
    ("co.nz", 9.0),
    ("cn", 8.0),
    ("eu", 8.0),
    ("co.ke", 7.0),
    ("com.pk", 6.0),
    ("ph", 6.0),
    ("fm", 6.0),
    ("az", 6.0),
    ("lk", 5.0),
    ("com.gh", 5.0),
    ("co.ug", 4.0),
    ("vn", 4.0),
    ("de", 4.0),
    ("co.zw", 4.0),
    ("fr", 4.0),
    ("jp", 4.0),
    ("com.tr", 4.0),
    ("il", 4.0),
    ("com.ua", 4.0),
];

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let endings = Weighted::new(ENDINGS.iter().map(|(_, w)| *w));
    (0..OUTLETS)
        .map(|i| {
            // The outlets are the same in every world: only what they report differs.
            let mut c = Chance::of(0, Stream::Domains, i as i64);
            let (first, second) = (FIRST[i % FIRST.len()], SECOND[i / FIRST.len() % SECOND.len()]);
            let twin = if i < FIRST.len() * SECOND.len() { "" } else { "2" };
            let host = if c.hit(0.7) { "www." } else { "" };
            format!("{host}{first}-{second}{twin}-sim.{}", ENDINGS[endings.draw(&mut c)].0)
        })
        .collect()
});

pub fn host(index: usize) -> &'static str {
    &NAMES[index % OUTLETS]
}

/// A few outlets publish much, most publish little.
pub fn draw(chance: &mut Chance) -> usize {
    let u = chance.unit();
    (u * u * OUTLETS as f64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn outlets_are_distinct_and_plainly_invented() {
        let all: HashSet<_> = (0..OUTLETS).map(host).collect();
        assert_eq!(all.len(), OUTLETS);
        assert!(all.iter().all(|h| h.contains("-sim.")));
        let endings: HashSet<_> = all.iter().map(|h| h.rsplit('.').next()).collect();
        assert!(endings.len() > 15, "{}", endings.len());
    }
}
