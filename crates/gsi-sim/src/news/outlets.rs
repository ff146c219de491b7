//! Invented outlets. Every name has `-sim`, so that no real publisher is named. The country endings vary because readers of
//! the feed infer the source's country from them.

use crate::world::{Rng, Stream, Weighted};
use serde::Deserialize;
use std::sync::LazyLock;

/// About four times the articles in one slot of the real feed.
const OUTLETS: usize = 1_200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    first: Vec<String>,
    second: Vec<String>,
    endings: Vec<(String, f64)>,
}

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let words: Words = crate::data::parse("outlets.toml", include_str!("../../data/outlets.toml"));
    let endings = Weighted::new(words.endings.iter().map(|(_, weight)| *weight));
    let (first, second) = (&words.first, &words.second);
    (0..OUTLETS)
        .map(|i| {
            // The outlets are the same in every world.
            let mut rng = Rng::new(0, Stream::Domains, i as i64);
            let (name, kind) = (&first[i % first.len()], &second[i / first.len() % second.len()]);
            let twin = if i < first.len() * second.len() { "" } else { "2" };
            let host = if rng.chance(0.7) { "www." } else { "" };
            format!("{host}{name}-{kind}{twin}-sim.{}", words.endings[endings.draw(&mut rng)].0)
        })
        .collect()
});

pub fn host(index: usize) -> &'static str {
    &NAMES[index % OUTLETS]
}

/// Draws an outlet: a few publish much, most publish little.
pub fn draw(rng: &mut Rng) -> usize {
    let u = rng.unit();
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
