//! Every number that can change a score is in the catalogue or in `algebra.rs`, and so in the method's digest.
//! Numbers that may stay where they are used are listed here with the reason.

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
/// Numbers inside the arithmetic that are part of its form.
const FORM: [(&str, &str); 8] = [
    ("0.0", "nothing"),
    ("1.0", "the whole"),
    ("0.5", "a tie counts half, and half of the error function"),
    ("1e-9", "how exactly weights add up to one"),
    ("6.0", "pairs of four pillars"),
    ("7.0", "days of a week"),
    ("100.0", "percent"),
    ("1000.0", "quality is kept in thousandths"),
];
/// Files whose numbers change no score.
const MAKE_NO_SCORE: [(&str, &str); 4] = [
    ("golden.rs", "what other code has computed"),
    ("calibrate.rs", "what calibration proposes; a baseline's values are in the digest"),
    ("catalogue/formula.rs", "bounds of what a catalogue may say"),
    ("catalogue/mod.rs", "bounds of what a catalogue may say"),
];
const NUMBERS: [&str; 8] = ["f64", "i64", "i32", "u64", "u32", "u8", "usize", "Day"];

/// Source files outside the validation, whose numbers judge scores and do not compute them.
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

#[test]
fn no_number_stays_inside_the_arithmetic() {
    let (mut lines, mut met) = (0, std::collections::BTreeSet::<(&str, &str)>::new());
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let place = file.display().to_string();
        if MAKE_NO_SCORE.iter().any(|(other, _)| place.ends_with(other)) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file");
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_code = |line: &&str| !line.trim_start().starts_with("//") && !line.contains("const ");
        for line in own.lines().filter(is_code) {
            lines += 1;
            let quoted: String = line.split('"').step_by(2).collect();
            for word in quoted.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))) {
                let word = word.trim_matches(['-', '.']);
                let begins_as_one = word.starts_with(|c: char| c.is_ascii_digit());
                if !begins_as_one || word.parse::<u64>().is_ok() || word.parse::<f64>().is_err() {
                    continue;
                }
                let known = FORM.iter().find(|(known, _)| *known == word);
                assert!(
                    known.is_some(),
                    "{place}: {word} can change a score? Then it belongs in algebra.rs: {line}"
                );
                met.extend(known.copied());
            }
        }
    }
    assert!(lines > 3_000, "the sources are read: {lines}");
    let gone = FORM.iter().find(|known| !met.contains(*known));
    assert_eq!(gone, None, "it is listed and no longer there");
}
