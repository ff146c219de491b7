//! The rules of clustering, one situation each, through the public interface.

use crate::world::*;
use gsi_events::Advance;
use gsi_model::{Event, EventChange, EventId, EventStatus, EventVersion, GeoPrecision, NewsRow};

fn puts(out: &Advance) -> Vec<Event> {
    out.changes
        .iter()
        .filter_map(|c| match c {
            EventChange::Put(version) => Some(version.event.clone()),
            EventChange::Merged { .. } => None,
        })
        .collect()
}

/// Advances over the ticks of `rows`, one by one, and returns the last version of every event in order of first row.
fn run(rows: &[NewsRow]) -> Vec<Event> {
    run_to_versions(rows).into_iter().map(|version| version.event).collect()
}

fn run_to_versions(rows: &[NewsRow]) -> Vec<EventVersion> {
    let mut clusterer = new_clusterer();
    let mut ticks: Vec<_> = rows.iter().map(|r| r.added).collect();
    ticks.sort();
    ticks.dedup();
    let mut latest = std::collections::BTreeMap::new();
    for tick in ticks {
        let now: Vec<NewsRow> = rows.iter().filter(|r| r.added == tick).cloned().collect();
        for change in clusterer.advance(tick, &now, &[]).changes {
            match change {
                EventChange::Put(version) => drop(latest.insert(version.event.first_row, *version)),
                EventChange::Merged { gone, .. } => {
                    latest.retain(|_, v: &mut EventVersion| v.event.id != gone)
                }
            }
        }
    }
    latest.into_values().collect()
}

fn url(domain: &str, slug: &str) -> String {
    format!("https://www.{domain}/world/{slug}")
}

const WAR: (&str, &str) = ("RUS", "UKR");
const A: &str = "drones-hit-power-station-near-front";
/// Three words of A.
const B: &str = "drones-set-power-station-ablaze-overnight";
/// Two words of A.
const C: &str = "governor-reports-heavy-shelling-of-power-station";
/// None.
const D: &str = "villagers-mourn-four-soldiers";

#[test]
fn which_reports_join() {
    let second = |tick: i64, code: &str, sides: (&str, &str), spot: Spot, slug: &str| {
        run(&[
            row(10, 0, "190", WAR, KHARKIV, &url("a.com", A)),
            row(20, tick, code, sides, spot, &url("b.de", slug)),
        ])
        .len()
    };
    for (why, tick, code, sides, spot, slug, events) in [
        ("same place", 1, "190", WAR, KHARKIV, C, 1),
        ("same place and sides, nothing else in common", 1, "190", WAR, KHARKIV, D, 2),
        ("an address without words", 1, "190", WAR, KHARKIV, "7351", 1),
        ("an address without words, other sides", 1, "190", ("UKRREB", "MIL"), KHARKIV, "7351", 2),
        ("same region, 36 km", 1, "190", WAR, CHUHUIV, C, 1),
        ("other region, far", 1, "190", WAR, DNIPRO, B, 2),
        ("other code of the category", 1, "195", WAR, KHARKIV, C, 1),
        ("other category", 1, "154", WAR, KHARKIV, B, 2),
        ("sides the other way round", 1, "190", ("UKR", "RUS"), KHARKIV, C, 1),
        ("the same countries' forces", 1, "190", ("RUSMIL", "UKRMIL"), KHARKIV, C, 1),
        ("other sides", 1, "190", ("UKRREB", "MIL"), KHARKIV, C, 2),
        ("other sides, but a similar headline", 1, "190", ("UKRREB", "MIL"), KHARKIV, B, 1),
        ("one side missing", 1, "190", ("RUSMIL", ""), KHARKIV, C, 1),
        ("one side missing, the other foreign", 1, "190", ("REB", ""), KHARKIV, C, 2),
        ("23 hours 45 later", 95, "190", WAR, KHARKIV, C, 1),
        ("24 hours later", 96, "190", WAR, KHARKIV, C, 1),
        ("24 hours 15 later", 97, "190", WAR, KHARKIV, C, 2),
        ("somewhere in the country, a similar headline", 1, "190", WAR, UKRAINE, B, 1),
        ("somewhere in the country, two words", 1, "190", WAR, UKRAINE, C, 2),
        ("wire copy filed elsewhere", 1, "190", WAR, DNIPRO, A, 1),
    ] {
        assert_eq!(second(tick, code, sides, spot, slug), events, "{why}");
    }
}

#[test]
fn across_a_region_border_within_fifty_kilometres() {
    let events = run(&[
        row(10, 0, "190", WAR, KYIV, &url("a.com", &format!("{A}-kyiv"))),
        row(20, 1, "190", WAR, BROVARY, &url("b.de", C)),
    ]);
    assert_eq!(events.len(), 1, "20 km apart");
}

#[test]
fn the_event_with_most_words_in_common_takes_the_report_then_the_nearest() {
    let two = |slug: &str, spot: Spot| {
        let events = run(&[
            row(10, 0, "190", WAR, KHARKIV, &url("a.com", A)),
            row(20, 0, "190", WAR, CHUHUIV, &url("a.com", D)),
            row(30, 1, "190", WAR, spot, &url("b.de", slug)),
        ]);
        events.iter().map(|e| (e.first_row, e.reports)).collect::<Vec<_>>()
    };
    assert_eq!(
        two("villagers-mourn-four-after-drones-hit-station", CHUHUIV),
        [(10, 1), (20, 2)],
        "three and three: nearest"
    );
    assert_eq!(
        two("villagers-mourn-as-drones-hit-power-station", CHUHUIV),
        [(10, 2), (20, 1)],
        "four and two: words"
    );
}

#[test]
fn a_report_with_only_a_country_opens_an_event_of_the_country() {
    let events = run(&[row(10, 0, "190", WAR, UKRAINE, &url("a.com", A))]);
    assert_eq!((events[0].precision, events[0].place.as_str()), (GeoPrecision::Country, "Ukraine"));
    // A capital that the headline does not name means the government and not the place.
    let events = run(&[row(10, 0, "190", WAR, KYIV, &url("a.com", A))]);
    assert_eq!((events[0].precision, events[0].place.as_str()), (GeoPrecision::Country, "Ukraine"));
    let events = run(&[row(10, 0, "190", WAR, KYIV, &url("a.com", "drones-hit-kyiv-apartments"))]);
    assert_eq!(
        (events[0].precision, events[0].place.as_str()),
        (GeoPrecision::City, "Kyiv, Kyyiv, Misto, Ukraine")
    );
    // A closer report names the place.
    let events = run(&[
        row(10, 0, "190", WAR, UKRAINE, &url("a.com", A)),
        row(30, 1, "190", WAR, KHARKIV, &url("c.fr", B)),
    ]);
    assert_eq!((events[0].reports, events[0].place.as_str()), (2, "Kharkiv, Kharkivs'ka Oblast', Ukraine"));
}

#[test]
fn corroboration_and_status() {
    let check = |why: &str, sources: &[(&str, &str)], domains: u32, stories: u32, status: EventStatus| {
        let rows: Vec<NewsRow> = sources
            .iter()
            .enumerate()
            .map(|(i, (domain, slug))| row(10 + i as u64, 0, "190", WAR, KHARKIV, &url(domain, slug)))
            .collect();
        let events = run(&rows);
        assert_eq!(events.len(), 1, "{why}");
        assert_eq!(
            (events[0].domains, events[0].stories, events[0].status),
            (domains, stories, status),
            "{why}"
        );
    };
    use EventStatus::{Confirmed, Reported, Unconfirmed};
    check("one source", &[("a.com", A)], 1, 1, Unconfirmed);
    check("one domain twice", &[("a.com", A), ("a.com", B)], 1, 2, Unconfirmed);
    check("a subdomain is no second source", &[("a.com", A), ("news.a.com", B)], 1, 2, Unconfirmed);
    check("two domains", &[("a.com", A), ("b.de", B)], 2, 2, Reported);
    check("three domains, two countries", &[("a.com", A), ("b.de", B), ("c.com", C)], 3, 3, Confirmed);
    check("three domains of one press", &[("a.com", A), ("b.com", B), ("c.com", C)], 3, 3, Reported);
    let copies: Vec<(String, &str)> = (0..9).map(|i| (format!("site{i}.de"), A)).collect();
    let copies: Vec<(&str, &str)> = copies.iter().map(|(d, s)| (d.as_str(), *s)).collect();
    check("wire copy on nine sites of one country", &copies, 3, 1, Reported);
}

#[test]
fn one_article_speaks_once() {
    let article = url("a.com", A);
    let events = run(&[
        row(10, 0, "190", WAR, UKRAINE, &article),
        row(11, 0, "193", WAR, KHARKIV, &article),
        row(12, 0, "195", WAR, KHARKIV, &article),
        row(13, 0, "195", WAR, KYIV, &article),
    ]);
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].first_row, events[0].reports, events[0].intensity), (12, 1, 0.95));
    // In a later file the same row changes nothing, not even the version.
    let mut clusterer = new_clusterer();
    clusterer.advance(at(0), &[row(10, 0, "190", WAR, KHARKIV, &article)], &[]);
    let again = clusterer.advance(at(1), &[row(11, 1, "195", WAR, DNIPRO, &article)], &[]);
    assert!(again.changes.is_empty());
    assert_eq!(again.filtered.get("repeat"), Some(&1));
}

#[test]
fn intensity_needs_two_domains_or_the_most_weight() {
    let intensity = |reports: &[(&str, &str)]| {
        let rows: Vec<NewsRow> = reports
            .iter()
            .enumerate()
            .map(|(i, (domain, code))| {
                row(
                    10 + i as u64,
                    0,
                    code,
                    WAR,
                    KHARKIV,
                    &url(domain, &format!("{A}-number-{}", ["one", "two", "three", "four"][i])),
                )
            })
            .collect();
        run(&rows)[0].intensity
    };
    assert_eq!(intensity(&[("a.com", "195")]), 0.95);
    assert_eq!(intensity(&[("a.com", "195"), ("a.com", "180"), ("a.com", "180")]), 0.60, "the mode");
    assert_eq!(intensity(&[("a.com", "195"), ("b.de", "180")]), 0.60, "the level both reach");
    assert_eq!(intensity(&[("a.com", "195"), ("b.de", "194"), ("c.fr", "180")]), 0.90);
}

#[test]
fn ids_come_from_the_first_row_and_stay() {
    let events = run(&[
        row(77, 0, "190", WAR, KHARKIV, &url("a.com", A)),
        row(12, 1, "195", WAR, CHUHUIV, &url("b.de", B)),
    ]);
    assert_eq!(events[0].id, EventId::derive(b"77"));
    assert_eq!((events[0].first_row, events[0].occurred_at), (77, at(0)));
    assert_eq!(events[0].last_activity, at(1));
}

#[test]
fn a_report_that_bridges_two_events_merges_them() {
    // The story is known from Kharkiv, the place is that of the event in Dnipro: the two are one event.
    let mut clusterer = new_clusterer();
    clusterer.advance(at(0), &[row(10, 0, "190", WAR, KHARKIV, &url("a.com", A))], &[]);
    clusterer.advance(at(1), &[row(20, 1, "190", WAR, DNIPRO, &url("b.de", B))], &[]);
    let out = clusterer.advance(at(2), &[row(30, 2, "190", WAR, DNIPRO, &url("c.fr", A))], &[]);
    let (old, young) = (EventId::derive(b"10"), EventId::derive(b"20"));
    assert!(out.changes.contains(&EventChange::Merged { gone: young.clone(), kept: old.clone() }));
    let kept = puts(&out);
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].id.clone(), kept[0].aliases.clone()), (old, vec![young]));
    assert_eq!((kept[0].reports, kept[0].domains, kept[0].stories, kept[0].occurred_at), (3, 3, 2, at(0)));
    // The merged event stays merged: the next report joins the kept one.
    let next = clusterer.advance(at(3), &[row(40, 3, "190", WAR, KHARKIV, &url("d.it", C))], &[]);
    assert_eq!(puts(&next)[0].first_row, 10);
}

#[test]
fn events_end() {
    let mut clusterer = new_clusterer();
    clusterer.advance(at(0), &[row(10, 0, "190", WAR, KHARKIV, &url("a.com", A))], &[]);
    assert!(clusterer.advance(at(96), &[], &[]).changes.is_empty(), "idle for exactly a day");
    let out = clusterer.advance(at(97), &[], &[]);
    assert!(puts(&out)[0].closed, "idle for longer");
    assert_eq!(clusterer.open_events(), 0);

    // Reported every twelve hours, it still ends after a week.
    let mut clusterer = new_clusterer();
    let mut last = Vec::new();
    for n in 0..=14i64 {
        let report =
            row(10 + n as u64, n * 48, "190", WAR, KHARKIV, &url(&format!("s{n}.com"), &format!("{B}-{n}")));
        last = puts(&clusterer.advance(at(n * 48), &[report], &[]));
    }
    assert_eq!((last.len(), last[0].first_row, last[0].closed), (1, 10, false));
    let out = clusterer.advance(at(14 * 48 + 1), &[], &[]);
    assert!(puts(&out)[0].closed);
}

#[test]
fn limits_hold() {
    let rows: Vec<NewsRow> = (0..200u64)
        .map(|i| {
            let slug: Vec<String> =
                (0..5).map(|w| format!("word{}x{}", (b'a' + (i % 26) as u8) as char, w * 100 + i)).collect();
            row(10 + i, 0, "190", WAR, KHARKIV, &url(&format!("s{i}.de"), &slug.join("-")))
        })
        .collect();
    let versions = run_to_versions(&rows);
    let event = &versions[0].event;
    assert_eq!((versions.len(), event.reports, event.sources.len()), (1, 200, 48));
    let state = &versions[0].cluster_state;
    assert!(state.len() < 4_000, "{}", state.len());
}

#[test]
fn actors_are_listed_once_and_readably() {
    let events = run(&[
        row(10, 0, "190", ("RUSMIL", "UKR"), KHARKIV, &url("a.com", A)),
        row(20, 1, "190", ("UKR", "RUS"), KHARKIV, &url("b.de", B)),
        row(30, 2, "190", ("RUSMIL", "UKR"), KHARKIV, &url("c.fr", C)),
    ]);
    assert_eq!(events[0].actors, ["Ukraine", "Russia (military)"]);
}
