//! The protocol on real history: at least the required separation, point in time. It runs on the history that comes
//! with the program. Series that may not be redistributed (market values, coded events of other projects) are added
//! where they are available.

use gsi_index::backtest::{BacktestReport, History, method_on, run};
use gsi_index::{HistoryFile, Method, SeriesTable};
use gsi_model::{Crisis, Day, FeedId, Observation, Timestamp};
use std::path::Path;
use std::sync::Arc;

/// The series of a folder that the packed history does not hold.
fn load_unpacked(folder: &Path, packed: &HistoryFile, table: &mut SeriesTable) {
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
    assert!(!files.is_empty(), "there is real data, but nothing in {}", folder.display());
    for entry in files {
        let name = entry.path().file_stem().unwrap().to_string_lossy().into_owned();
        if packed.series.iter().any(|s| s.name == name) {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let at = |n: usize| cells[n].parse::<Timestamp>().unwrap();
            Observation {
                series: cells[0].to_owned(),
                entity: String::new(),
                period_start: at(1),
                period_end: at(2),
                value: cells[4].parse().unwrap(),
                known_at: at(3),
                ingested_at: at(3),
                revision: 0,
                quality: 0.8,
                feed: FeedId::new("history"),
                raw: String::new(),
            }
        };
        table.insert_all(&text.lines().skip(1).map(row).collect::<Vec<_>>());
    }
}

fn is_rival(arm: &str) -> bool {
    !arm.starts_with("ours")
}

fn day(text: &str) -> Day {
    Day::parse_iso(text).unwrap()
}

fn history(table: &SeriesTable, with_vix: bool) -> History {
    let method = method_on(Method::default_text(), table, &|i| with_vix || i.feeds[0] != "vix");
    History::compute(Arc::new(method.unwrap()), table, day("2008-01-01"), day("2024-12-31"))
}

fn judge(history: &History, table: &SeriesTable, crises: &[Crisis]) -> BacktestReport {
    run(Method::default_text(), history, table, crises)
}

/// The minimum on the whole span and on each half of it, where fewer crises leave more to chance.
const WHOLE: [(&str, f64); 4] =
    [("macro", 0.92), ("conflict", 0.76), ("supply_chain", 0.79), ("composite", 0.79)];
const EACH_HALF: [(&str, f64); 4] =
    [("macro", 0.92), ("conflict", 0.74), ("supply_chain", 0.79), ("composite", 0.78)];

fn check_floors(report: &BacktestReport, floors: [(&str, f64); 4], span: &str) {
    for (subject, floor) in floors {
        let auc = report.pillars.get(subject).unwrap_or(&report.composite).auc.unwrap();
        assert!(auc >= floor, "{subject} on {span}: {auc}");
    }
    for (name, arm) in report.arms.iter().filter(|(name, _)| is_rival(name)) {
        assert!(arm.composite_auc.unwrap() < report.composite.auc.unwrap(), "{name} is ahead on {span}");
    }
}

fn check(table: &SeriesTable, crises: &[Crisis]) -> BacktestReport {
    let clean = history(table, false);
    let whole = judge(&clean, table, crises);
    println!("{}", serde_json::to_string_pretty(&whole).unwrap());
    for (from, to) in [("2008-01-01", "2019-12-31"), ("2020-01-01", "2024-12-31")] {
        check_floors(&judge(&clean.between(day(from), day(to)), table, crises), EACH_HALF, from);
    }
    check_floors(&whole, WHOLE, "the whole span");
    let moves = &whole.stability;
    assert!(moves.daily_move_median.unwrap() <= 1.0 && moves.daily_move_p95.unwrap() <= 3.5);
    assert!(moves.trend_changes_per_week.unwrap() <= 1.0);
    whole
}

#[test]
fn packed_crises_stand_out() {
    let packed = HistoryFile::packed().unwrap();
    let report = check(&packed.table(), &packed.crises);
    for subject in
        report.pillars.iter().filter(|(name, _)| *name != "cyber").map(|(_, s)| s).chain([&report.composite])
    {
        let onsets = subject.onsets.as_ref().unwrap();
        assert!(onsets.onsets >= 10 && onsets.mean > 0.5 && onsets.low <= onsets.mean, "{onsets:?}");
    }
}

#[test]
fn crises_stand_out_with_what_may_not_be_packed() {
    let Some(data) = drills::real_data::folder() else { return };
    let packed = HistoryFile::packed().unwrap();
    let mut table = packed.table();
    load_unpacked(&data.join("observations"), &packed, &mut table);
    let whole = check(&table, &packed.crises);
    let with_vix = judge(&history(&table, true), &table, &packed.crises);
    println!("with VIX: macro {:?}, composite {:?}", with_vix.pillars["macro"].auc, with_vix.composite.auc);
    assert!(with_vix.pillars["macro"].auc.unwrap() >= 0.95);
    for (pillar, tested) in whole.tested_weight.iter().filter(|(pillar, _)| *pillar != "cyber") {
        assert!(*tested >= 0.7, "only {tested} of the live weight of {pillar} is tested on history");
    }
}
