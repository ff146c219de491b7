//! Text of an attacker, from a publisher's file to every place where text is shown.

use crate::rig::{Heard, Rig, at, world};
use gsi_model::{HOUR, HeldClock, Timestamp};
use gsi_sim::WorldSettings;
use gsi_store::Store;
use serde_json::Value;
use std::sync::Arc;

/// Longer than any name or address may be.
const LONGEST: usize = 1_100;
/// What the simulated attackers write, in pieces that survive cutting.
const PLANTED: [&str; 6] =
    ["<script", "onerror=", "SYSTEM DOWN", "IGNORE ALL PREVIOUS", "DROP TABLE", "jndi:"];

fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn check(text: &str, place: &str) {
    assert!(!text.chars().any(is_hostile), "{place}: {:?}", text.chars().take(200).collect::<String>());
    assert!(text.len() <= LONGEST, "{place}: {} bytes", text.len());
}

/// Every text in a document.
fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|v| texts(v, found)),
        Value::Object(fields) => fields.iter().for_each(|(k, v)| {
            found.push(k);
            texts(v, found);
        }),
        _ => {}
    }
}

#[test]
fn planted_text_is_neutral_wherever_it_comes_out() {
    let log = Heard::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let start = at("2026-11-10T22:00:00Z");
    let clock = Arc::new(HeldClock::at(start));
    let settings = WorldSettings {
        rows_per_slot: 150.0,
        mentions_per_row: 0.0,
        hostile: true,
        ..WorldSettings::new(11, start.minus(24 * HOUR))
    };
    let sim = world(settings, &clock);
    let mut rig = Rig::new(&clock, &sim.base_url(), gsi_feeds::default_connectors());
    tracing::subscriber::with_default(subscriber, || rig.run(start, start.plus(6 * HOUR), HOUR / 2));

    let planted = in_store(&*rig.store);
    assert!(planted >= 5, "only {planted} planted texts reached the store: the world is not hostile");
    let mut shown = 0;
    for path in [
        "/v1/conflict?limit=200",
        "/v1/conflict?limit=200&status=unconfirmed",
        "/v1/global-stability",
        "/v1/global-stability/explain",
        "/v1/feeds",
        "/v1/summaries",
        "/v1/briefings?limit=20",
    ] {
        let answer = rig.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.header("content-type").unwrap().starts_with("application/json"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        let document = answer.json();
        let mut found = Vec::new();
        texts(&document, &mut found);
        for text in &found {
            if path.contains("briefings") || path.contains("summaries") {
                // Prose is longer, and made of known names and the service's own words only.
                assert!(!text.chars().any(|c| is_hostile(c) && c != '\n'), "{path}: {text:?}");
                assert!(!PLANTED.iter().any(|p| text.contains(p)), "{path}: {text:?}");
            } else {
                check(text, path);
            }
        }
        shown += found.len();
    }
    assert!(shown > 500, "{shown}");

    // A separate thread writes the request log.
    let begun = std::time::Instant::now();
    while rig.requests.text().is_empty() && begun.elapsed() < std::time::Duration::from_secs(30) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for (place, text) in [("the program's log", log.text()), ("the request log", rig.requests.text())] {
        assert!(!text.is_empty() || place == "the program's log", "{place} is empty");
        for line in text.lines() {
            assert!(!line.chars().any(is_hostile), "{place}: {line:?}");
            assert!(line.len() < 4_096, "{place}: a line of {} bytes", line.len());
            assert!(!PLANTED.iter().any(|p| line.contains(p)), "{place}: {line:?}");
        }
    }
}

/// Checks every text of the news rows and returns how many of them an attacker wrote.
fn in_store(store: &dyn Store) -> usize {
    let mut planted = 0;
    let mut note = |text: &str| {
        check(text, "store");
        planted += usize::from(PLANTED.iter().any(|p| text.contains(p)) || text.contains("AAAAAAAAAAAAAAAA"));
    };
    store
        .rows(Timestamp::MIN, Timestamp::MAX, &mut |row| {
            for actor in [&row.actor1, &row.actor2] {
                for text in [&actor.code, &actor.name, &actor.country, &actor.group] {
                    note(text);
                }
                actor.roles.iter().for_each(|role| note(role));
            }
            if let Some(geo) = &row.geo {
                [&geo.name, &geo.adm1].into_iter().for_each(|t| note(t));
            }
            let address = &row.url;
            note(address);
            let web = address.is_empty() || address.starts_with("http://") || address.starts_with("https://");
            assert!(web && !address.contains(['<', '>', '"', ' ', '\\']), "{address}");
        })
        .unwrap();
    store.observations(Timestamp::MAX, &mut |o| check(&o.entity, "store")).unwrap();
    planted
}
