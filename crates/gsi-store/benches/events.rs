//! Reads a page of a million events with every combination of filters: `cargo bench -p gsi-store --bench events`.

use gsi_model::{Category, EventStatus, Timestamp};
use gsi_store::conformance::sample::{event, iso, put, quiet, tick};
use gsi_store::{EventQuery, ReadStore, SqliteStore, TickCommit, TickStore};
use std::time::Instant;

const EVENTS: u64 = 1_000_000;
/// Similar to the events of the real publisher.
const PER_DAY: u64 = 2_000;
const WINDOW_DAYS: i64 = 7;
const LIMIT_MS: f64 = 10.0;
const COUNTRIES: [&str; 12] = ["UA", "UA", "RU", "IL", "SD", "MM", "US", "US", "IR", "YE", "FR", "NZ"];
const ACTORS: [&str; 4] = ["Ukraine (military)", "Sudan (rebels)", "Protesters", "Iran (military)"];

fn noise(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^= z >> 29;
    z.wrapping_mul(0x94d0_49bb_1331_11eb) >> 11
}

fn main() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("events.db")).expect("a store");
    let begun = Instant::now();
    let mut last = tick(0);
    for batch in 0..EVENTS / PER_DAY {
        last = tick(96 * batch as i64);
        let events = (0..PER_DAY).map(|i| put(made(batch * PER_DAY + i, last))).collect();
        store.commit_tick(&TickCommit { events, ..quiet(last) }).expect("a commit");
    }
    println!("{EVENTS} events stored in {:.0} s", begun.elapsed().as_secs_f64());
    let mut took: Vec<f64> = Vec::new();
    for query in queries(last) {
        let begun = Instant::now();
        let page = store.events(&query).expect("a page");
        took.push(begun.elapsed().as_secs_f64() * 1e3);
        assert!(page.len() <= query.limit);
    }
    took.sort_by(f64::total_cmp);
    let at = |share: f64| took[((share * took.len() as f64) as usize).min(took.len() - 1)];
    println!(
        "{} combinations of filters, {WINDOW_DAYS} days: p50 {:.2} ms, p99 {:.2} ms, worst {:.2} ms (p99 limit {LIMIT_MS})",
        took.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

fn made(n: u64, at: Timestamp) -> gsi_model::Event {
    let mut e = event(n, at.minus((noise(n) % 96) as i64 * 900));
    let pick = noise(n ^ 0xabcd);
    e.last_activity = at;
    e.category = Category::ALL[(pick % 5) as usize];
    e.status = EventStatus::ALL[(pick / 5 % 3) as usize];
    e.country = Some(iso(COUNTRIES[(pick / 15 % 12) as usize]));
    e.escalation = (pick / 180 % 1000) as f64 / 1000.0;
    e.lat = (pick / 7 % 130) as f64 - 60.0;
    e.lon = (pick / 11 % 360) as f64 - 180.0;
    e.actors = vec![ACTORS[(pick / 13 % 4) as usize].to_owned()];
    e
}

/// The newest page of the default window under every combination of: category, status, country, actor, escalation, box.
fn queries(as_of: Timestamp) -> Vec<EventQuery> {
    let mut all = Vec::new();
    for categories in [vec![], vec![Category::Kinetic], vec![Category::Threat, Category::Unrest]] {
        for statuses in [vec![EventStatus::Confirmed, EventStatus::Reported], vec![EventStatus::Unconfirmed]]
        {
            for countries in [vec![], vec![iso("UA")], vec![iso("NZ"), iso("IS")]] {
                for actor in [None, Some("military"), Some("nobody")] {
                    for min_escalation in [None, Some(0.5), Some(0.995)] {
                        for bbox in [None, Some([20.0, 30.0, 40.0, 60.0]), Some([179.0, -10.0, -179.0, -9.0])]
                        {
                            all.push(EventQuery {
                                as_of,
                                since: as_of.minus(WINDOW_DAYS * gsi_model::DAY),
                                until: Timestamp::MAX,
                                categories: categories.clone(),
                                countries: countries.clone(),
                                statuses: statuses.clone(),
                                actor: actor.map(str::to_owned),
                                min_escalation,
                                bbox,
                                active_since: None,
                                after: None,
                                limit: 51,
                            });
                        }
                    }
                }
            }
        }
    }
    all
}
