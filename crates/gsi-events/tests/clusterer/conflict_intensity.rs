//! Conflict intensity, theaters, peaks and derived observations, against values computed by hand.

use crate::world::*;
use gsi_events::{Advance, derived};
use gsi_model::{DAY, NewsRow};

const WAR: (&str, &str) = ("RUS", "UKR");
/// Stories in different words that share the names of the place.
fn slug(nth: usize, spot: Spot) -> String {
    let kinds = ["drones-burn-depot", "artillery-duel-overnight", "governor-counts-shells"];
    let town = spot.name.split(',').next().unwrap_or("").to_lowercase();
    format!("{}-{town}-{town}side-{town}land-{town}field", kinds[nth])
}

/// Three outlets of three countries report the same thing.
fn confirmed(first: u64, tick: i64, code: &str, spot: Spot) -> Vec<NewsRow> {
    (0..3)
        .map(|i| {
            let url = format!("https://www.s{i}.{}/world/{}", ["de", "fr", "ie"][i], slug(i, spot));
            row(first + i as u64, tick, code, WAR, spot, &url)
        })
        .collect()
}

fn value(out: &Advance, series: &str, entity: &str) -> Option<f64> {
    out.derived.iter().find(|o| o.series == series && o.entity == entity).map(|o| o.value)
}

#[test]
fn conflict_intensity_halves_in_twelve_hours() {
    let mut clusterer = new_clusterer();
    let out = clusterer.advance(at(0), &confirmed(10, 0, "195", KHARKIV), &[slot(0, 500)]);
    let start = 0.95 * 4f64.ln() / 11f64.ln();
    assert!((out.facts.conflict_intensity - start).abs() < 1e-12, "{}", out.facts.conflict_intensity);
    assert_eq!(value(&out, derived::CONFLICT_INTENSITY, ""), Some(out.facts.conflict_intensity));
    for (ticks, share) in [(48, 0.5), (96, 0.25), (144, 0.125)] {
        let out = clusterer.advance(at(ticks), &[], &[slot(ticks, 500)]);
        assert!((out.facts.conflict_intensity - share * start).abs() < 1e-12, "{ticks}");
    }
    let out = clusterer.advance(at(7 * 96 + 1), &[], &[slot(7 * 96 + 1, 500)]);
    assert_eq!(out.facts.conflict_intensity, 0.0, "beyond the horizon");
}

#[test]
fn only_confirmed_violence_counts() {
    for (why, rows) in [
        ("one source", confirmed(10, 0, "195", KHARKIV)[..1].to_vec()),
        ("two sources", confirmed(10, 0, "195", KHARKIV)[..2].to_vec()),
        ("posture", confirmed(10, 0, "154", KHARKIV)),
    ] {
        let out = new_clusterer().advance(at(0), &rows, &[slot(0, 500)]);
        assert_eq!((out.facts.conflict_intensity, out.facts.theaters.len()), (0.0, 0), "{why}");
    }
}

#[test]
fn a_theater_is_three_events_on_two_days() {
    let mut clusterer = new_clusterer();
    let out = clusterer.advance(at(90), &confirmed(10, 90, "190", KHARKIV), &[slot(90, 500)]);
    assert_eq!((out.facts.theaters[0].events_72h, out.facts.theaters[0].active_days), (1, 1));
    let more = [confirmed(20, 91, "190", KYIV), confirmed(30, 91, "190", DNIPRO)].concat();
    let out = clusterer.advance(at(91), &more, &[slot(91, 500)]);
    assert_eq!((out.facts.theaters[0].events_72h, out.facts.active_theaters), (3, 0), "one day only");
    let next_day = row(40, 100, "190", WAR, KYIV, "https://www.t.it/world/missile-strikes-kyiv-and-kyivside");
    let out = clusterer.advance(at(100), &[next_day], &[slot(100, 500)]);
    let theater = &out.facts.theaters[0];
    assert_eq!((theater.events_72h, theater.active_days, out.facts.active_theaters), (4, 2, 1));
    let smooth = 1.0 / (1.0 + (-(5f64 / 4.0).ln() / 0.35).exp());
    assert!((out.facts.theaters_smooth - smooth).abs() < 1e-12, "the second day of one event counts as well");
    assert_eq!(value(&out, derived::THEATERS, ""), Some(1.0));
    // All reports are older than 72 hours, but not older than seven days.
    let out = clusterer.advance(at(100 + 289), &[], &[slot(389, 500)]);
    assert_eq!((out.facts.theaters[0].events_72h, out.facts.active_theaters), (0, 0));
}

#[test]
fn a_long_battle_stays_hot_and_makes_a_theater() {
    let mut clusterer = new_clusterer();
    clusterer.advance(at(0), &confirmed(10, 0, "190", KHARKIV), &[slot(0, 500)]);
    let report = |n: u64, tick: i64| {
        let url = format!("https://www.s{n}.it/world/{}", slug(n as usize % 3, KHARKIV));
        row(100 + n, tick, "190", WAR, KHARKIV, &url)
    };
    let mut last = None;
    for day in 1..4 {
        // Reported every six hours, so that it never closes.
        for quarter in 0..4 {
            let tick = day * 96 + quarter * 24;
            let out =
                clusterer.advance(at(tick), &[report((day * 4 + quarter) as u64, tick)], &[slot(tick, 500)]);
            last = Some(out.facts);
        }
    }
    let facts = last.unwrap();
    assert_eq!(facts.open_events, 1, "one place, one event");
    assert_eq!((facts.theaters[0].events_72h, facts.active_theaters), (3, 1), "three days of it");
    assert!(
        facts.conflict_intensity > 0.8 * 4f64.ln() / 11f64.ln(),
        "as hot as when it began: {}",
        facts.conflict_intensity
    );
}

#[test]
fn the_peak_is_padded_with_calm() {
    let mut clusterer = new_clusterer();
    let out = clusterer.advance(at(0), &confirmed(10, 0, "195", KHARKIV), &[slot(0, 500)]);
    let escalation = out.changes.iter().find_map(|c| match c {
        gsi_model::EventChange::Put(version) => Some(version.event.escalation),
        gsi_model::EventChange::Merged { .. } => None,
    });
    let peak = out.facts.peak_escalation.unwrap();
    assert!((peak - 100.0 * escalation.unwrap() / 5.0).abs() < 1e-12);
    let out = clusterer.advance(at(97), &[], &[slot(97, 500)]);
    assert_eq!(out.facts.peak_escalation, Some(0.0), "no activity for a day");
}

#[test]
fn without_news_nothing_is_derived() {
    let mut clusterer = new_clusterer();
    let out = clusterer.advance(at(0), &confirmed(10, 0, "195", KHARKIV), &[]);
    assert!(out.derived.is_empty() && out.facts.peak_escalation.is_none() && out.facts.quality == 0.0);
}

#[test]
fn a_silent_publisher_is_not_peace() {
    let mut clusterer = new_clusterer();
    for n in 0..96 * 10 {
        clusterer.advance(at(n), &[], &[slot(n, 100)]);
    }
    // The publisher almost stops: quality falls, then the series end instead of reporting zero.
    let mut qualities = Vec::new();
    for n in 96 * 10..96 * 12 {
        let out = clusterer.advance(at(n), &[], &[slot(n, 3)]);
        if out.facts.quality == 0.0 {
            assert!(!out.derived.iter().any(|o| o.series == derived::CONFLICT_INTENSITY));
        }
        qualities.push((out.facts.quality * 10.0) as i32);
    }
    qualities.dedup();
    assert_eq!(qualities, [10, 5, 0]);
}

#[test]
fn counts_are_scaled_to_a_usual_day_of_news() {
    let run = |last_day: u32| {
        let mut clusterer = new_clusterer();
        for n in 0..96 * 5 {
            clusterer.advance(at(n), &[], &[slot(n, if n < 96 * 4 { 100 } else { last_day })]);
        }
        clusterer.advance(at(480), &confirmed(10, 480, "195", KHARKIV), &[slot(480, last_day)]).facts
    };
    let (usual, double) = (run(100), run(200));
    assert_eq!((usual.articles_24h, double.articles_24h), (9_600, 19_200));
    assert_eq!(usual.article_reference, Some(9_600.0));
    assert!((usual.conflict_intensity - 2.0 * double.conflict_intensity).abs() < 1e-12);
}

#[test]
fn a_day_is_closed_once_with_its_theaters() {
    let mut clusterer = new_clusterer();
    let mut closes = Vec::new();
    for n in 0..=96 * 3 {
        let rows = if n == 10 { confirmed(10, n, "195", KHARKIV) } else { Vec::new() };
        let out = clusterer.advance(at(n), &rows, &[slot(n, 100)]);
        closes.extend(out.derived.into_iter().filter(|o| o.series == derived::THEATER_INTENSITY));
    }
    let world: Vec<_> = closes.iter().filter(|o| o.entity.is_empty()).collect();
    assert_eq!(world.len(), 4, "the midnight the run starts at, and three more");
    for close in &world {
        assert_eq!(close.period_end.since(close.period_start), DAY);
        assert_eq!((close.known_at, close.period_end.second_of_day()), (close.period_end, 0));
    }
    let ukraine: Vec<f64> = closes.iter().filter(|o| o.entity == "UA").map(|o| o.value).collect();
    assert_eq!(ukraine.len(), 3);
    assert!((ukraine[1] / ukraine[0] - 0.25).abs() < 1e-12);
}

#[test]
fn a_sudden_war_in_a_quiet_country_has_tempo_and_departure() {
    let mut clusterer = new_clusterer();
    for n in 0..96 * 40 {
        clusterer.advance(at(n), &[], &[slot(n, 100)]);
    }
    let rows = [
        confirmed(10, 3840, "195", KHARKIV),
        confirmed(20, 3840, "195", KYIV),
        confirmed(30, 3840, "195", DNIPRO),
    ];
    let out = clusterer.advance(at(3840), &rows.concat(), &[slot(3840, 100)]);
    for change in &out.changes {
        let gsi_model::EventChange::Put(version) = change else { continue };
        let event = &version.event;
        let conflict_intensity = 3.0 * 0.95 * 4f64.ln() / 11f64.ln();
        let doublings = ((conflict_intensity + 0.25) / 0.25f64).log2();
        assert!((event.parts.tempo - doublings / 4.0).abs() < 1e-12, "{}", event.parts.tempo);
        assert!(event.parts.departure > 0.6, "{}", event.parts.departure);
        assert_eq!(event.parts.gravity, 0.8, "one nuclear-armed state");
    }
    // An hour later the same rows' escalation has not moved by itself: nothing new was reported.
    assert!(clusterer.advance(at(3844), &[], &[slot(3844, 100)]).changes.is_empty());
}
