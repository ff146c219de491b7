//! Every number that can change a score is in the catalogue or in `algebra.rs`, and so in the method's digest. What may stay where
//! it is used is listed here with the reason.

use std::path::{Path, PathBuf};

/// Constants by name.
const MAY_STAY: [(&str, &str); 16] = [
    ("DRIFT_TAU", "what calibration proposes; a baseline's values are in the digest"),
    ("DRIFT_WINDOW_YEARS", "it sets a window, which is in the digest"),
    ("DRIFT_YEARS", "what calibration proposes"),
    ("FAST_SERIES_DAYS", "how much is kept in memory"),
    ("FORMAT", "format of a file"),
    ("JOINED", "format of the stored form"),
    ("LAYOUT", "format of the stored form"),
    ("LEAST", "how memory grows"),
    ("MAX_TEXT_BYTES", "how large a file may be"),
    ("PART", "how memory grows"),
    ("PRIOR_REPLACED_AT", "what calibration proposes"),
    ("PRUNED_AT_ONCE", "how much is kept in memory"),
    ("RARE", "what calibration proposes"),
    ("SLOTS_PER_DAY", "a fact"),
    ("SLOT_HOURS", "how much is kept in memory"),
    ("TOLERANCE", "how exactly golden numbers are met"),
];
const NUMBERS: [&str; 8] = ["f64", "i64", "i32", "u64", "u32", "u8", "usize", "Day"];

/// Source files outside the validation, whose numbers judge scores and do not make them.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources").map(|e| e.expect("an entry").path());
    let below = entries.filter(|path| !path.ends_with("backtest") && !path.ends_with("algebra.rs"));
    below.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn no_number_stays_outside_the_method() {
    let (mut files, mut stayed) = (0, std::collections::BTreeSet::new());
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        files += 1;
        let text = std::fs::read_to_string(&file).expect("a source file");
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in own.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let Some((_, rest)) = line.split_once("const ") else { continue };
            let Some((name, rest)) = rest.split_once(": ") else { continue };
            let is_number = NUMBERS.iter().any(|number| rest.starts_with(&format!("{number} =")));
            let known = MAY_STAY.iter().find(|(known, _)| *known == name);
            let place = file.display();
            assert!(
                !is_number || known.is_some(),
                "{place}: {name} can change a score? Then it belongs in algebra.rs"
            );
            stayed.extend(known.filter(|_| is_number).map(|(name, _)| *name));
        }
    }
    assert!(files > 30, "the sources are read: {files}");
    let gone = MAY_STAY.iter().find(|(name, _)| !stayed.contains(name));
    assert_eq!(gone, None, "it is listed and no longer there");
}
