//! Compares a rephrased sentence with the template's sentence.
//!
//! A false noun is as bad as a false number, so every word has to be there, in the template's order. Only
//! [`NEUTRAL_WORDS`] and commas may be added or left out, and a word of direction may be another one of the same row of
//! [`DIRECTIONS`].

/// Words that state nothing. Prepositions are not among them: `points of that` and `until 3 November` state something.
const NEUTRAL_WORDS: [&str; 22] = [
    "a",
    "an",
    "the",
    "it",
    "its",
    "which",
    "and",
    "also",
    "while",
    "meanwhile",
    "is",
    "are",
    "has",
    "have",
    "been",
    "stands",
    "stand",
    "sits",
    "reads",
    "now",
    "overall",
    "reading",
];

/// Words of direction. Those in one row may stand for each other.
const DIRECTIONS: [&[&str]; 10] = [
    &["rose", "rise", "rises", "risen", "climbed", "increased", "gained"],
    &["fell", "fall", "falls", "fallen", "dropped", "declined", "decreased"],
    &["added", "adds", "adding"],
    &["took", "takes", "taking"],
    &["up"],
    &["down"],
    &["higher"],
    &["lower"],
    &["highest"],
    &["lowest"],
];

const NEGATIONS: [&str; 12] = [
    "no", "not", "never", "neither", "nor", "without", "hardly", "scarcely", "cannot", "none", "nobody",
    "barely",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Marks that may end a word.
const CLOSING_MARKS: [char; 5] = [',', ';', ':', '.', ')'];

/// How a rephrased sentence differs. Where several kinds apply, the first one is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    Negation,
    /// The sentence has fewer words that state something.
    LeftOut,
    Number,
    Date,
    Name,
    Direction,
    Word,
}

impl DifferenceKind {
    /// A bounded label, as used in metrics and in a briefing's `generated_by`.
    pub const fn code(self) -> &'static str {
        match self {
            DifferenceKind::Negation => "negation",
            DifferenceKind::LeftOut => "must_say_missing",
            DifferenceKind::Number => "unsupported_number",
            DifferenceKind::Date => "unsupported_date",
            DifferenceKind::Name => "unsupported_name",
            DifferenceKind::Direction => "wrong_direction",
            DifferenceKind::Word => "unsupported_word",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// The candidate's word; the template's where the candidate left it out.
    pub word: String,
}

/// A word or mark that states something.
struct Statement {
    /// In lower case; words of one direction are the same word here.
    word: String,
    kind: DifferenceKind,
}

/// Returns the first difference between the template's sentence and a candidate's, or `None` if both state the same.
pub fn first_difference(template: &str, candidate: &str) -> Option<Difference> {
    let expected = statements(template);
    let found = statements(candidate);
    if negations(&expected).ne(negations(&found)) {
        let word = negations(&found).chain(negations(&expected)).next().unwrap_or_default().to_owned();
        return Some(Difference { kind: DifferenceKind::Negation, word });
    }
    let longest = expected.len().max(found.len());
    for n in 0..longest {
        let (wanted, given) = (expected.get(n), found.get(n));
        if wanted.map(|s| &s.word) == given.map(|s| &s.word) {
            continue;
        }
        if let Some(wanted) = wanted
            && found.len() < expected.len()
        {
            return Some(Difference { kind: DifferenceKind::LeftOut, word: wanted.word.clone() });
        }
        let kind = [wanted, given].into_iter().flatten().map(|s| s.kind).min()?;
        let word = given.or(wanted).map(|s| s.word.clone())?;
        return Some(Difference { kind, word });
    }
    None
}

fn negations(statements: &[Statement]) -> impl Iterator<Item = &str> {
    let negating = statements.iter().filter(|s| s.kind == DifferenceKind::Negation);
    negating.map(|s| s.word.as_str())
}

fn statements(sentence: &str) -> Vec<Statement> {
    let tokens = tokens(sentence);
    let lower: Vec<String> = tokens.iter().map(|t| normalised(t)).collect();
    let mut statements = Vec::with_capacity(tokens.len());
    for (n, word) in lower.iter().enumerate() {
        let is_mark_without_meaning = matches!(word.as_str(), "," | ".");
        if is_mark_without_meaning || NEUTRAL_WORDS.contains(&word.as_str()) {
            continue;
        }
        let opens_sentence = n == 0 || tokens[n - 1] == ":";
        let has_capital = tokens[n].starts_with(char::is_uppercase);
        let direction = DIRECTIONS.into_iter().find(|row| row.contains(&word.as_str()));
        let kind = if is_negation(word) {
            DifferenceKind::Negation
        } else if is_part_of_date(&lower, n) {
            DifferenceKind::Date
        } else if word.contains(|c: char| c.is_ascii_digit()) {
            DifferenceKind::Number
        } else if has_capital && !opens_sentence {
            DifferenceKind::Name
        } else if direction.is_some() {
            DifferenceKind::Direction
        } else {
            DifferenceKind::Word
        };
        let word = direction.map_or(word.as_str(), |row| row[0]).to_owned();
        statements.push(Statement { word, kind });
    }
    statements
}

/// Splits a sentence into words and marks: `(+11.3),` gives `(`, `+11.3`, `)` and `,`.
fn tokens(sentence: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for part in sentence.split_whitespace() {
        let opened = part.trim_start_matches('(');
        let word = opened.trim_end_matches(CLOSING_MARKS);
        let opening_marks = &part[..part.len() - opened.len()];
        let closing_marks = &opened[word.len()..];
        tokens.extend(opening_marks.split("").filter(|mark| !mark.is_empty()));
        if !word.is_empty() {
            tokens.push(word);
        }
        tokens.extend(closing_marks.split("").filter(|mark| !mark.is_empty()));
    }
    tokens
}

/// In lower case, with the typographic minus and apostrophe replaced by the plain ones.
fn normalised(token: &str) -> String {
    token.to_lowercase().replace('−', "-").replace('’', "'")
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

/// `3`, `November` and `2024` in `3 November 2024`; `09:30` and `UTC`.
fn is_part_of_date(words: &[String], n: usize) -> bool {
    let is_month = |at: usize| words.get(at).is_some_and(|w| MONTHS.contains(&w.as_str()));
    let word = words[n].as_str();
    let is_digits = word.bytes().all(|b| b.is_ascii_digit());
    let follows_month = n > 0 && is_month(n - 1);
    let is_time = word.contains(':') && word.len() > 1 || word == "utc";
    is_month(n) || is_time || is_digits && (is_month(n + 1) || follows_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, candidate: &str, want: Option<(DifferenceKind, &str)>) {
        let got = first_difference(template, candidate);
        let got = got.as_ref().map(|d| (d.kind, d.word.as_str()));
        assert_eq!(got, want, "{candidate}");
    }

    #[test]
    fn words_that_state_nothing_may_change() {
        let template =
            "Macro is the main driver and added 6.1 points, led by volatility; conflict rose 2.1 points.";
        for same in [
            template,
            "Macro, the main driver, has added 6.1 points led by volatility; meanwhile conflict climbed 2.1 points.",
            "macro which is now the main driver added 6.1 points and, led by volatility; conflict has risen 2.1 points.",
        ] {
            check(template, same, None);
        }
        check("Cyber fell 3.2 points (-3.2).", "Cyber has dropped 3.2 points (−3.2).", None);
    }

    #[test]
    fn each_kind_of_difference_is_named() {
        use DifferenceKind::*;
        let template = "In 24 hours the global score rose 9.4 points to 57, its highest since 29 June.";
        for (from, to, kind, word) in [
            ("9.4", "9.5", Number, "9.5"),
            ("rose 9.4", "rose more than 9.4", Number, "more"),
            ("29 June", "29 July", Date, "july"),
            ("29 June", "28 June", Date, "28"),
            ("29 June", "09:30 UTC on 29 June", Date, "09:30"),
            ("score", "Russia", Name, "russia"),
            ("rose", "fell", Direction, "fell"),
            ("rose", "never rose", Negation, "never"),
            ("highest", "lowest", Direction, "lowest"),
            ("since", "until", Word, "until"),
            (" since 29 June", "", LeftOut, "since"),
            ("24 hours", "24 hours;", Word, ";"),
        ] {
            assert!(template.contains(from), "{from}");
            let candidate = template.replacen(from, to, 1);
            check(template, &candidate, Some((kind, word)));
        }
        check("There is no pillar.", "There is a pillar.", Some((Negation, "no")));
        check("Conflict added 2.1 points.", "Conflict added 2.1 points of that.", Some((Word, "of")));
    }

    #[test]
    fn a_true_number_in_another_place_is_a_difference() {
        let template = "By pillar: macro 72 (+11.3), conflict 54 (+4.2).";
        check(
            template,
            "By pillar: macro 54 (+4.2), conflict 72 (+11.3).",
            Some((DifferenceKind::Number, "54")),
        );
    }
}
