//! The reconstructed past does not know its future: a file that was cut on a day gives the same result for all days
//! up to it.

use gsi_index::{HistoryFile, Method, Reconstructor};
use gsi_model::{Day, HOUR, Pillar, ReconstructedDay, Reconstruction, TICK};
use std::fmt::Write;

/// Days compared by default; `TEST_TRUNCATION_DAYS=200` compares as many as the protocol requires, in minutes.
const DAYS: usize = 6;

fn bytes(past: &Reconstruction, until: Day) -> Vec<u8> {
    let days = past.days.iter().take_while(|d| d.day <= until);
    days.flat_map(|d| format!("{d:?}\n").into_bytes()).collect()
}

/// Days spread over the file without a pattern (multiples of the golden ratio), the same in every run.
fn scattered(file: &HistoryFile, count: usize) -> impl Iterator<Item = Day> {
    let (first, length) = (file.from.0, f64::from(file.to.0 - file.from.0));
    (1..=count).map(move |n| Day(first + ((n as f64 * 0.618_033_988_75).fract() * length) as i32))
}

#[test]
fn a_cut_file_gives_the_same_past() {
    let whole = HistoryFile::packed().unwrap();
    let reconstructor = Reconstructor::new(Method::default_text(), &whole).unwrap();
    let past = reconstructor.reconstruct(&whole);
    assert_eq!(past.days.len() as i32, whole.to.0 - whole.from.0 + 1);
    let count = std::env::var("TEST_TRUNCATION_DAYS").map_or(DAYS, |n| n.parse().unwrap());
    for day in scattered(&whole, count) {
        let cut = whole.known_by(day);
        assert!(cut.row_count() < whole.row_count());
        let again = reconstructor.reconstruct(&cut);
        assert_eq!(again.days.last().unwrap().day, day);
        assert!(bytes(&again, day) == bytes(&past, day), "cut on {day}");
    }
}

#[test]
fn a_row_that_became_known_later_would_be_noticed() {
    let whole = HistoryFile::packed().unwrap();
    let reconstructor = Reconstructor::new(Method::default_text(), &whole).unwrap();
    let day = Day::parse_iso("2003-06-30").unwrap();
    let honest = reconstructor.reconstruct(&whole.known_by(day));
    let mut early = whole.known_by(day);
    let series = early.series.iter_mut().find(|s| s.name == "ofr.volatility").unwrap();
    let last = series.rows.last_mut().unwrap();
    last.value += 5.0;
    assert!(bytes(&reconstructor.reconstruct(&early), day) != bytes(&honest, day));
}

/// Well-known crises of these years are in the series.
#[test]
fn the_reconstruction_is_plausible() {
    let whole = HistoryFile::packed().unwrap();
    let past = Reconstructor::new(Method::default_text(), &whole).unwrap().reconstruct(&whole);
    let mean = |from: &str, to: &str, pillar: Option<Pillar>| {
        let (from, to) = (Day::parse_iso(from).unwrap(), Day::parse_iso(to).unwrap());
        let days = past.days.iter().filter(|d| from <= d.day && d.day <= to);
        let scores: Vec<f64> = days.filter_map(|d| d.of(pillar).score).collect();
        scores.iter().sum::<f64>() / scores.len() as f64
    };
    let calm = mean("2013-11-01", "2014-01-31", None);
    for (from, to) in
        [("2008-10-01", "2008-10-31"), ("2020-03-05", "2020-04-05"), ("2022-03-01", "2022-03-31")]
    {
        assert!(mean(from, to, None) > calm + 8.0, "{from}: {} against {calm}", mean(from, to, None));
    }
    let macro_stress = mean("2008-10-01", "2008-10-31", Some(Pillar::Macro));
    assert!(macro_stress > 55.0, "{macro_stress}");
    for day in &past.days {
        for s in [day.composite].iter().chain(&day.pillars) {
            assert!((0.0..=1.0).contains(&s.coverage) && s.score.is_none_or(|v| (0.0..=100.0).contains(&v)));
        }
    }
    // Before its first history a pillar has no score, rather than a calm one.
    assert_eq!(past.days[0].of(Some(Pillar::Cyber)).score, None);
    assert!(past.indicators.iter().all(|i| !i.spans.is_empty() && i.live_weight > 0.0));
}

/// A jump that no other feed shares is held back for one tick. A scoring more than a tick after a value finds it
/// released, so a reconstruction with few scorings a day needs no guard as long as no value arrives just before one.
#[test]
fn no_packed_value_becomes_known_within_a_tick_of_a_scoring() {
    let scorings: Vec<i64> = (1..=4).map(|n| n * 6 * HOUR - TICK).collect();
    let mut rows = 0;
    for series in &HistoryFile::packed().unwrap().series {
        for row in &series.rows {
            let known = row.known_at.second_of_day();
            let close = scorings.iter().any(|scoring| *scoring - TICK < known && known <= *scoring);
            assert!(!close, "{} of {} became known at {}", series.name, row.period_end, row.known_at);
            rows += 1;
        }
    }
    assert!(rows > 90_000);
}

#[test]
fn the_method_page_quotes_the_sentence_on_forecasts() {
    let whole = HistoryFile::packed().unwrap();
    let past = Reconstructor::new(Method::default_text(), &whole).unwrap().reconstruct(&whole);
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/method.md")).unwrap();
    let quoted: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    assert_eq!(quoted.join(" "), past.forecast());
}

/// `TEST_BLESS=1` rewrites the file; read the difference before it is committed.
#[test]
fn analogues_of_known_days_match_the_reviewed_ones() {
    let whole = HistoryFile::packed().unwrap();
    let past = Reconstructor::new(Method::default_text(), &whole).unwrap().reconstruct(&whole);
    let mut found = String::new();
    for asked in ["2008-10-10", "2020-03-16", "2022-03-01", "2023-03-13"] {
        let day = past.day(Day::parse_iso(asked).unwrap()).unwrap();
        let pillars = Pillar::ALL.map(|p| day.of(Some(p)).score);
        writeln!(found, "{asked}, {}", line(day)).unwrap();
        for analogue in past.analogues(day.day, pillars, 5) {
            assert!((analogue.day.day.0 - day.day.0).abs() > 60);
            let crisis = analogue.crisis.map_or("no listed crisis", |c| c.name.as_str());
            writeln!(
                found,
                "  {}  {:>4.1} away, {}: {crisis}",
                analogue.day.day,
                analogue.distance,
                line(analogue.day)
            )
            .unwrap();
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/analogues.txt");
    if std::env::var_os("TEST_BLESS").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(path).unwrap());
}

fn line(day: &ReconstructedDay) -> String {
    let one = |score: Option<f64>| score.map_or("-".to_owned(), |s| format!("{s:.0}"));
    let pillars = Pillar::ALL.map(|p| format!("{p} {}", one(day.of(Some(p)).score)));
    format!("score {} ({})", one(day.composite.score), pillars.join(", "))
}
