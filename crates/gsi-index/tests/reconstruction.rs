//! The reconstructed past knows nothing of its future: a file that was cut on a day says the same about all days up to it.

use gsi_index::{HistoryFile, Method, Reconstructor};
use gsi_model::{Day, Pillar, Reconstruction};

/// Days compared by default; `GSI_TRUNCATION_DAYS=200` compares as many as the protocol asks for, in minutes.
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
fn a_cut_file_tells_the_same_past() {
    let whole = HistoryFile::packed().unwrap();
    let reconstructor = Reconstructor::new(Method::default_text(), &whole).unwrap();
    let past = reconstructor.reconstruct(&whole);
    assert_eq!(past.days.len() as i32, whole.to.0 - whole.from.0 + 1);
    let count = std::env::var("GSI_TRUNCATION_DAYS").map_or(DAYS, |n| n.parse().unwrap());
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

/// What everybody knows about these years is in the line.
#[test]
fn the_line_is_plausible() {
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
