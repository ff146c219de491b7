//! Every number and word that can change an event is in the method's files, and so in its digest. Constants that may
//! stay in the code are listed here with the reason.

use std::path::{Path, PathBuf};

/// Constants by name.
const MAY_STAY: [(&str, &str); 25] = [
    ("ACTOR_SHARE", "which actors are shown"),
    ("ARTICLES_DAY", "name of a series"),
    ("ARTICLES_FILE", "name of a series"),
    ("DEGREE_KM", "a quick test that never decides"),
    ("EARTH_RADIUS_KM", "a fact"),
    ("EMPTY", "nothing yet"),
    ("FEED", "name of a feed"),
    ("CONFLICT_INTENSITY", "name of a series"),
    ("MAX_ACTORS", "how many actors are shown"),
    ("MAX_ADDRESS", "beyond the longest address that is kept"),
    ("MAX_ALIASES", "how many former ids are kept"),
    ("MAX_LABELS", "which actors are shown"),
    ("MAX_NAME", "how a name is shown"),
    ("MAX_PHRASE", "a test compares it with the tables"),
    ("MAX_PLACE", "how a place is shown"),
    ("CLUSTER_STATE_VERSION", "format of the stored form"),
    ("PEAK_ESCALATION", "name of a series"),
    ("PER_TICK", "names of series"),
    ("PLACE_FEATURES", "names; their weights are learned"),
    ("PRIME", "a hash that is looked up and never walked"),
    ("THEATERS", "name of a series"),
    ("THEATERS_SMOOTH", "name of a series"),
    ("THEATER_INTENSITY", "name of a series"),
    ("UNKNOWN", "nothing known"),
    ("Z95", "a fact"),
];
/// Numbers inside the arithmetic that are part of its form.
const FORM: [(&str, &str); 9] = [
    ("0.0", "nothing"),
    ("1.0", "the whole"),
    ("0.5", "a tie counts half, and half of the error function"),
    ("2.0", "of the haversine and of a median"),
    ("10.0", "gravity is kept in tenths"),
    ("100.0", "percent"),
    ("90.0", "degrees of latitude"),
    ("180.0", "degrees of longitude"),
    ("1e-12", "keeps a logarithm finite"),
];

/// The source files of a folder and of the folders in it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources").map(|e| e.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Lines of code outside tests and comments, with their file.
fn code() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut lines = Vec::new();
    for entry in sources(&folder) {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&entry).expect("a source file");
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        lines.extend(own.lines().filter(is_code).map(|line| (name.clone(), line.to_owned())));
    }
    assert!(lines.len() > 2_000, "the sources are read: {}", lines.len());
    lines
}

#[test]
fn no_constant_stays_outside_the_method() {
    for (file, line) in code() {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let Some(at) = words.iter().position(|w| *w == "const") else { continue };
        let Some(name) = words.get(at + 1).filter(|name| **name != "fn") else { continue };
        let is_known = MAY_STAY.iter().any(|(known, _)| known == name);
        assert!(is_known, "{file}: {name} can change an event? Then it belongs in method/events.toml");
    }
}

#[test]
fn no_number_stays_inside_the_arithmetic() {
    for (file, line) in code() {
        let quoted: String = line.split('"').step_by(2).collect();
        if quoted.contains("const ") {
            continue;
        }
        for number in quoted.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))) {
            let number = number.trim_matches(['-', '.']);
            let is_float = number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok();
            let is_whole = number.parse::<u64>().is_ok();
            let is_form = FORM.iter().any(|(known, _)| *known == number);
            assert!(!is_float || is_whole || is_form, "{file}: {number} in {line}");
        }
    }
}
