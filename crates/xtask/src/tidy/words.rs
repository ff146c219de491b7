//! Words that made earlier texts hard to read. Each has a limit: its remaining uses, most of them in published texts and field names.

use super::{Finding, TrackedFile};

/// A word's limit in all texts together, and the plain words that are usually meant.
struct Habit {
    word: &'static str,
    plain: &'static str,
    at_most: usize,
}

const HABITS: &[Habit] = &[
    Habit { word: "told", plain: "reported, sent, described, phrased", at_most: 59 },
    Habit { word: "beside", plain: "in parallel, alongside, while", at_most: 47 },
    Habit { word: "nobody", plain: "no client, no reader", at_most: 10 },
    Habit { word: "whoever", plain: "the client, the caller, the server", at_most: 1 },
    Habit { word: "stands", plain: "is, is stored, is listed", at_most: 68 },
    Habit { word: "of its own", plain: "own, separate, private", at_most: 11 },
    Habit { word: "so many", plain: "the limit's name", at_most: 0 },
    Habit { word: "at hand", plain: "available, loaded, cached", at_most: 8 },
    Habit { word: "goes on", plain: "continues", at_most: 5 },
    Habit { word: "lies", plain: "is", at_most: 4 },
    Habit { word: "as it is", plain: "unchanged", at_most: 5 },
    Habit { word: "as they are", plain: "unchanged", at_most: 5 },
];

const READ_BY_PEOPLE: &[&str] = &["rs", "md", "toml", "ts", "svelte", "mjs", "py", "html"];
/// The table itself.
const THIS_FILE: &str = "crates/xtask/src/tidy/words.rs";

pub fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let texts: Vec<String> =
        files.iter().filter(|file| is_for_people(file)).map(|file| file.text.to_lowercase()).collect();
    let mut findings = Vec::new();
    for Habit { word, plain, at_most } in HABITS {
        let found: usize = texts.iter().map(|text| count(text, word)).sum();
        if found > *at_most {
            findings.push(format!("\"{word}\" occurs {found} times, more than {at_most}. Plainer: {plain}"));
        }
    }
    findings
}

/// Scripts have no extension.
fn is_for_people(file: &TrackedFile) -> bool {
    let is_known = match file.path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => READ_BY_PEOPLE.contains(&extension),
        None => file.text.starts_with("#!"),
    };
    is_known && !file.path.ends_with(THIS_FILE)
}

/// How often a word occurs as a whole word in a text of lower case.
fn count(text: &str, word: &str) -> usize {
    let is_in_a_word = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_whole = |start: usize| {
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        !is_in_a_word(before.chars().next_back()) && !is_in_a_word(after.chars().next())
    };
    text.match_indices(word).filter(|(start, _)| is_whole(*start)).count()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn whole_words_are_counted() {
        assert_eq!(count("he was told, and told_apart; untold. told", "told"), 2);
        assert_eq!(count("at hand. at handrails", "at hand"), 1);
    }
}
