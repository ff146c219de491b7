//! The protocol on real history, where it is at hand: at least the floors that were set, point in time.

use gsi_index::SeriesTable;
use gsi_index::backtest::{Crisis, History, Report, method_on, run};
use gsi_model::{Day, FeedId, Observation, Timestamp};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn real_data() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("GSI_REAL_DATA").map_or(default, PathBuf::from);
    let given = std::env::var_os("GSI_REAL_DATA").is_some();
    (given || path.is_dir()).then_some(path)
}

fn load(folder: &Path) -> SeriesTable {
    let mut table = SeriesTable::new();
    let mut additions: Vec<Observation> = Vec::new();
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
    assert!(!files.is_empty(), "there is real data, but nothing in {}", folder.display());
    for entry in files {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let at = |n: usize| cells[n].parse::<Timestamp>().unwrap();
            let row = Observation {
                series: cells[0].to_owned(),
                entity: String::new(),
                period_start: at(1),
                period_end: at(2),
                value: cells[4].parse().unwrap(),
                known_at: at(3),
                ingested_at: at(3),
                revision: 0,
                quality: 1.0,
                feed: FeedId::new("history"),
                raw: String::new(),
            };
            if row.series == "kev.added" || row.series == "kev.added_ransomware" {
                additions.push(row.clone());
            }
            table.insert(&row);
        }
    }
    // Ransomware use counts double; which entries were old is not in this history.
    for row in additions.iter().filter(|o| o.series == "kev.added") {
        let double = additions.iter().find(|o| o.series != "kev.added" && o.period_end == row.period_end);
        let value = row.value + double.map_or(0.0, |o| o.value);
        table.insert(&Observation { series: "kev.weighted".to_owned(), value, ..row.clone() });
    }
    table
}

fn is_rival(arm: &str) -> bool {
    !arm.starts_with("ours")
}

fn day(text: &str) -> Day {
    Day::parse_iso(text).unwrap()
}

fn history(table: &SeriesTable, with_vix: bool) -> History {
    let method = method_on(table, &|i| with_vix || i.feeds[0] != "vix");
    History::compute(Arc::new(method.unwrap()), table, day("2008-01-01"), day("2024-12-31"))
}

/// What a release must reach on the whole span, and what on each half of it, where fewer crises leave more to chance.
const WHOLE: [(&str, f64); 4] =
    [("macro", 0.92), ("conflict", 0.76), ("supply_chain", 0.79), ("composite", 0.79)];
const EACH_HALF: [(&str, f64); 4] =
    [("macro", 0.92), ("conflict", 0.74), ("supply_chain", 0.79), ("composite", 0.78)];

fn check_floors(report: &Report, floors: [(&str, f64); 4], span: &str) {
    for (subject, floor) in floors {
        let auc = report.pillars.get(subject).unwrap_or(&report.composite).auc.unwrap();
        assert!(auc >= floor, "{subject} on {span}: {auc}");
    }
}

#[test]
fn real_crises_stand_out() {
    let Some(data) = real_data() else {
        println!("skipped: no real data");
        return;
    };
    let table = load(&data.join("observations"));
    let text = std::fs::read_to_string(data.join("crises/crises.json")).unwrap();
    let crises = Crisis::parse_list(&text).unwrap();
    let clean = history(&table, false);
    let whole = run(&clean, &table, &crises);
    println!("{}", serde_json::to_string_pretty(&whole).unwrap());
    for (from, to) in [("2008-01-01", "2019-12-31"), ("2020-01-01", "2024-12-31")] {
        let half = run(&clean.between(day(from), day(to)), &table, &crises);
        let figures =
            half.pillars.values().chain([&half.composite]).map(|s| (s.auc, s.lo, s.hi, s.negatives));
        println!("{from} to {to}: {:?}", figures.collect::<Vec<_>>());
        check_floors(&half, EACH_HALF, from);
        for (name, arm) in half.arms.iter().filter(|(name, _)| is_rival(name)) {
            assert!(arm.composite_auc.unwrap() < half.composite.auc.unwrap(), "{name} is ahead since {from}");
        }
    }
    check_floors(&whole, WHOLE, "the whole span");
    for (name, arm) in whole.arms.iter().filter(|(name, _)| is_rival(name)) {
        assert!(arm.composite_auc.unwrap() < whole.composite.auc.unwrap(), "{name} is ahead");
    }
    let with_vix = run(&history(&table, true), &table, &crises);
    println!("with VIX: macro {:?}, composite {:?}", with_vix.pillars["macro"].auc, with_vix.composite.auc);
    assert!(with_vix.pillars["macro"].auc.unwrap() >= 0.95);
    for (pillar, tested) in whole.tested_weight.iter().filter(|(pillar, _)| *pillar != "cyber") {
        assert!(*tested >= 0.7, "only {tested} of the live weight of {pillar} is tested on history");
    }
    let moves = &whole.stability;
    assert!(moves.daily_move_median.unwrap() <= 1.0 && moves.daily_move_p95.unwrap() <= 3.5);
    assert!(moves.trend_changes_per_week.unwrap() <= 1.0);
}
