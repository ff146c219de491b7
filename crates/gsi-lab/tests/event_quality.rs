//! Checks the quality of events on days that the filter was not trained on, and that the shipped weights are the trained ones.
//!
//! Needs the real files and labels (`GSI_REAL_DATA`, else `../shared/data` next to the repository). The figures are the page
//! `docs/event-quality.md`; `TEST_WRITE_DOCS=1` writes it again.

use gsi_lab::event_training::examples::Corpus;
use gsi_lab::event_training::{measure, teach};
use std::path::{Path, PathBuf};

/// Of all judged articles.
const LEAST_PRECISION: f64 = 0.65;
const LEAST_RECALL: f64 = 0.50;
/// Of the kept articles that are real.
const LEAST_RIGHT_COUNTRY: f64 = 0.90;
/// Of the thirty highest escalations.
const LEAST_RIGHT_AT_TOP: usize = 24;

fn corpus() -> Option<Corpus> {
    let data = drills::real_data::folder()?;
    Some(Corpus::load(&data).expect("labels and event files"))
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn events_are_good_on_days_that_the_filter_was_not_trained_on() {
    let Some(corpus) = corpus() else { return };
    let measured = measure::held_out(&corpus);
    let page = measured.page();
    println!("{page}");
    let path = root("docs/event-quality.md");
    if std::env::var_os("TEST_WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(measured.precision().value >= LEAST_PRECISION, "{}", measured.precision());
    assert!(measured.recall().value >= LEAST_RECALL, "{}", measured.recall());
    assert!(measured.right_country().value >= LEAST_RIGHT_COUNTRY, "{}", measured.right_country());
    assert!(measured.right_at_top() >= LEAST_RIGHT_AT_TOP, "{}", measured.right_at_top());
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        page,
        "docs/event-quality.md is not current"
    );
}

#[test]
fn the_shipped_weights_are_what_training_gives() {
    let Some(corpus) = corpus() else { return };
    let shipped = std::fs::read_to_string(root("method/event_filter.tsv")).unwrap();
    assert!(teach::weights_file(&corpus) == shipped, "run `gsi-lab train-events` and review the difference");
}
