//! Every decoder on damaged input: flipped bits, missing bytes, repeated pieces, and garbage.
//!
//! `TEST_FUZZ_ROUNDS` sets the number of rounds. `scripts/fuzz-guided` starts from the same seeds and is guided by coverage.

mod judge;
mod seeds;
mod workbooks;

use gsi_feeds::{all_connectors, history_connectors};
use gsi_model::{LayerKey, LayerPlace, LayerPlaces};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::path::Path;

/// This number takes a few seconds. `make fuzz` runs more.
const ROUNDS: usize = 60;
const MAX_SEED: usize = 60_000;
/// Small seeds let a guided fuzzer try more inputs, and a few rows have everything that many rows have.
const MAX_GUIDED_SEED: usize = 4_000;

fn damage(seed: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.random_range(1..=6) {
        if bytes.is_empty() {
            bytes.push(random.random());
        }
        let at = random.random_range(0..bytes.len());
        let end = (at + random.random_range(1..=64usize)).min(bytes.len());
        match random.random_range(0..9) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = *b"\t\n,\"-.0\x00\xff{}"[..].get(random.random_range(0..11)).unwrap_or(&0),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => random.fill_bytes(&mut bytes[at..end]),
            6 => drop(bytes.splice(at..at, *b"99999999999999999999999999")),
            7 => drop(bytes.splice(at..at, "\u{202e}<script>\u{0}é\u{feff}".bytes())),
            _ => bytes[at..end].reverse(),
        }
    }
    bytes
}

#[test]
fn damaged_payloads_never_harm() {
    let rounds = std::env::var("TEST_FUZZ_ROUNDS").ok().and_then(|v| v.parse().ok()).unwrap_or(ROUNDS);
    let connectors = [all_connectors(), history_connectors()].concat();
    let mut random = ChaCha8Rng::seed_from_u64(20_261_115);
    let mut covered = std::collections::BTreeSet::new();
    for (feed, name, seed) in seeds::all() {
        let connector =
            connectors.iter().find(|c| c.origin().feed == feed).expect("a connector of that name");
        judge::check(connector, &name, &seed, &format!("{feed} {name} undamaged"));
        covered.insert(feed);
        let seed = seeds::cut(&name, seed, MAX_SEED);
        for round in 0..rounds {
            let bytes = damage(&seed, &mut random);
            judge::check(connector, &name, &bytes, &format!("{feed} {name} round {round}"));
        }
    }
    let missing: Vec<_> =
        connectors.iter().map(|c| c.origin().feed).filter(|f| !covered.contains(f)).collect();
    assert!(missing.is_empty(), "no seed for {missing:?}");
}

/// Checks that each feed has a seed that is decoded to its end, because damage to a refused seed tests little.
#[test]
fn every_decoder_reads_one_of_its_seeds() {
    let mut unread: std::collections::BTreeSet<_> =
        [all_connectors(), history_connectors()].concat().iter().map(|c| c.origin().feed).collect();
    for (feed, name, seed) in seeds::all() {
        let connector = gsi_feeds::connector(feed).expect("a connector of that name");
        if judge::decode(&connector, &name, &seed).is_ok_and(|decoded| decoded.accepted > 0) {
            unread.remove(feed);
        }
    }
    assert!(unread.is_empty(), "{unread:?}");
}

/// Writes the seeds to the folder in `TEST_FUZZ_SEEDS`, with one folder per feed, and tests nothing. The first line of each file
/// is the payload's name.
#[test]
fn seeds_for_guided_fuzzing() {
    let Some(folder) = std::env::var_os("TEST_FUZZ_SEEDS") else { return };
    for (n, (feed, name, seed)) in seeds::all().into_iter().enumerate() {
        let folder = Path::new(&folder).join(feed);
        std::fs::create_dir_all(&folder).unwrap();
        let bytes = [name.as_bytes(), b"\n", &seeds::cut(&name, seed, MAX_GUIDED_SEED)].concat();
        std::fs::write(folder.join(format!("{n:02}")), bytes).unwrap();
    }
}

#[test]
fn feeds_and_series_have_unique_names() {
    let connectors = [all_connectors(), history_connectors()].concat();
    let mut feeds: Vec<_> = connectors.iter().map(|c| c.origin().feed).collect();
    let mut series: Vec<_> = connectors.iter().flat_map(|c| c.series()).map(|s| s.series).collect();
    let (feed_count, series_count) = (feeds.len(), series.len());
    feeds.sort();
    feeds.dedup();
    series.sort();
    series.dedup();
    assert_eq!((feeds.len(), series.len()), (feed_count, series_count));
    for connector in &connectors {
        let origin = connector.origin();
        assert!(
            origin.warn_after_seconds < origin.stale_after_seconds && origin.poll_every_seconds >= 900,
            "{}",
            origin.feed
        );
        assert!(origin.homepage.starts_with("https://") && !origin.attribution.is_empty(), "{}", origin.feed);
        assert_eq!(gsi_feeds::connector(origin.feed).map(|c| c.origin().feed), Some(origin.feed));
    }
}

#[test]
fn every_feed_names_the_sites_that_it_requests() {
    let now = "2026-11-15T12:00:00Z".parse().unwrap();
    let mut sites = BTreeSet::new();
    for connector in all_connectors().into_iter().chain(history_connectors()) {
        let requested = connector.sites(now);
        assert!(!requested.is_empty(), "{}", connector.origin().feed);
        sites.extend(requested);
    }
    assert!(sites.contains("https://storage.googleapis.com"), "{sites:?}");
    assert!(sites.contains("https://services9.arcgis.com"), "{sites:?}");
    assert!(sites.iter().all(|site| url::Url::parse(site).is_ok_and(|url| url.path() == "/")), "{sites:?}");
}

/// Checks that a layer uses only series of its feed, is the only one with its key, and has valid positions.
#[test]
fn layers_are_complete() {
    let mut keys = BTreeSet::new();
    for connector in all_connectors() {
        let feed = connector.origin().feed;
        for layer in connector.layers() {
            let key = layer.key;
            assert_eq!(layer.feed, feed, "{key}");
            assert!(keys.insert(key), "{key}");
            assert!(layer.severities.is_sorted_by(|a, b| a.from < b.from && b.level <= 3), "{key}");
            let own: Vec<&str> = connector.series().iter().map(|spec| spec.series).collect();
            assert!(layer.series().iter().all(|series| own.contains(series)), "{key}");
            if let LayerPlaces::Fixed(places) = &layer.places {
                let ids: BTreeSet<&str> = places.iter().map(|place| place.id).collect();
                assert_eq!(ids.len(), places.len(), "{key}");
                let on_globe = |p: &LayerPlace| p.latitude.abs() <= 90.0 && p.longitude.abs() <= 180.0;
                assert!(places.iter().all(|p| on_globe(p) && !p.name.is_empty()), "{key}");
            }
        }
    }
    assert_eq!(keys, BTreeSet::from(LayerKey::ALL), "every layer has a feed");
}
