//! What a number in a text is: its place in the sentence decides which facts may stand behind it.

use super::lexicon::{MONTHS, NUMBER_WORDS};
use super::tokens::{Sort, Token};
use crate::facts::FigureForm;

/// A number with the forms it may have here, and the tokens it covers.
#[derive(Clone, Debug)]
pub struct Numeral {
    pub at: usize,
    pub end: usize,
    pub text: String,
    pub forms: Vec<FigureForm>,
}

/// The nouns that are counted, by the word that follows the number.
const COUNTED: [(&str, &str); 12] = [
    ("outlet", "outlets"),
    ("outlets", "outlets"),
    ("event", "events"),
    ("events", "events"),
    ("day", "days"),
    ("days", "days"),
    ("feed", "feeds"),
    ("feeds", "feeds"),
    ("pillar", "pillars"),
    ("pillars", "pillars"),
    ("indicator", "indicators"),
    ("indicators", "indicators"),
];

/// The verb that stands before a number of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Move,
    Push,
}

pub struct FigurePlace<'a, 't> {
    pub tokens: &'a [Token<'t>],
    pub clause: std::ops::Range<usize>,
    /// The nearest verb of motion or pushing before the number, in its clause.
    pub verb: Option<Verb>,
    /// That verb is the word right before the number.
    pub verb_adjacent: bool,
    /// The clause speaks of an earlier briefing.
    pub earlier: bool,
    /// The number stands with an indicator.
    pub indicator: bool,
}

impl FigurePlace<'_, '_> {
    fn low(&self, n: usize) -> &str {
        if self.clause.contains(&n) { self.tokens[n].low.as_str() } else { "" }
    }

    fn back(&self, n: usize, by: usize) -> &str {
        if n >= self.clause.start + by { self.tokens[n - by].low.as_str() } else { "" }
    }

    fn is_number(&self, n: usize) -> bool {
        self.clause.contains(&n) && self.tokens[n].sort == Sort::Number
    }

    /// Reads the number at `n`.
    pub fn read(&self, n: usize) -> Numeral {
        let token = &self.tokens[n];
        let text = match NUMBER_WORDS.iter().position(|w| token.is(w)) {
            Some(value) => value.to_string(),
            None => token.digits().to_owned(),
        };
        if let Some((text, end)) = self.date(n) {
            return Numeral { at: n, end, text, forms: vec![FigureForm::Date] };
        }
        let forms = self.forms(n, token.sign().is_some());
        Numeral { at: n, end: n + 1, text, forms }
    }

    /// `24 June`, `24 June 2025`, `June 24`, `2025-06-24`, as the formatter spells it.
    fn date(&self, n: usize) -> Option<(String, usize)> {
        let raw = self.tokens[n].raw;
        if let Some(day) = gsi_model::Day::parse_iso(raw) {
            let (year, month, day) = day.ymd();
            return Some((format!("{day} {} {year}", capital(MONTHS[month as usize - 1])), n + 1));
        }
        let month = |at: usize| MONTHS.iter().find(|m| self.low(at) == **m);
        let year = |at: usize| {
            self.is_number(at) && self.tokens[at].raw.len() == 4 && !self.tokens[at].raw.contains('.')
        };
        if let Some(month) = month(n + 1) {
            let with_year = year(n + 2);
            let text = format!("{raw} {}", capital(month));
            return Some(if with_year {
                (format!("{text} {}", self.tokens[n + 2].raw), n + 3)
            } else {
                (text, n + 2)
            });
        }
        if n > self.clause.start
            && let Some(month) = month(n - 1)
            && self.tokens[n - 1].is_capital()
        {
            return Some((format!("{raw} {}", capital(month)), n + 1));
        }
        None
    }

    fn forms(&self, n: usize, signed: bool) -> Vec<FigureForm> {
        let token = &self.tokens[n];
        let (next, after) = (self.low(n + 1), self.low(n + 2));
        if token.raw.contains(':') {
            return if self.tokens.get(n + 1).is_some_and(|t| t.raw == "UTC") {
                vec![FigureForm::Clock]
            } else {
                Vec::new()
            };
        }
        if matches!(next, "%" | "percent") || (next == "per" && after == "cent") {
            return vec![FigureForm::Percent];
        }
        // `1 day in 90`: the 1 belongs to the phrase, the 90 is the figure.
        if matches!(next, "day") && after == "in" && self.is_number(n + 3) {
            return vec![FigureForm::OneIn];
        }
        if self.back(n, 1) == "in" && self.back(n, 2) == "day" {
            return vec![FigureForm::OneIn];
        }
        if next == "times" {
            return vec![FigureForm::Times];
        }
        if next == "of" && after == "them" && self.low(n + 3) == "new" {
            return vec![FigureForm::Count("new")];
        }
        if next == "of" && (self.is_number(n + 2) || (after == "the" && self.is_number(n + 3))) {
            let total = if after == "the" { n + 3 } else { n + 2 };
            return match self.low(total + 1) {
                "indicators" => vec![FigureForm::Count("indicators")],
                _ => vec![FigureForm::Part],
            };
        }
        let of_total = self.back(n, 1) == "of" || (self.back(n, 1) == "the" && self.back(n, 2) == "of");
        if of_total && matches!(next, "points") {
            return vec![FigureForm::Total];
        }
        let pointed = matches!(next, "points" | "point");
        if signed || pointed || (self.verb_adjacent && token.raw.contains('.')) {
            let change = if self.verb == Some(Verb::Push) { FigureForm::Push } else { FigureForm::Delta };
            // A reading may lie below zero; a plus sign is for changes alone.
            let is_reading = self.indicator && !pointed && matches!(token.sign(), Some('-' | '−'));
            return if is_reading { vec![change, FigureForm::Value] } else { vec![change] };
        }
        if matches!(next, "reconstructed" | "published") && after == "days" {
            return vec![FigureForm::Count("days compared")];
        }
        if let Some(noun) = self.counted(n) {
            return vec![FigureForm::Count(noun)];
        }
        let escalation = (1..=4)
            .map(|by| self.back(n, by))
            .find(|w| !matches!(*w, "at" | "of" | "up" | "to" | "is" | "rated"));
        // `peak escalation` is an indicator and has a value of its own.
        if escalation == Some("escalation") && !self.indicator {
            return vec![FigureForm::Escalation];
        }
        if self.back(n, 1) == "at" && self.back(n, 2) == "begins" {
            return vec![FigureForm::Edge];
        }
        let bounds = (self.back(n, 1) == "from" && next == "to" && self.is_number(n + 2))
            || (self.back(n, 1) == "between" && next == "and" && self.is_number(n + 2))
            || (matches!(self.back(n, 1), "to" | "and")
                && matches!(self.back(n, 3), "from" | "between")
                && n >= 2
                && self.is_number(n - 2));
        if bounds {
            return vec![FigureForm::Bound];
        }
        if self.earlier {
            return vec![FigureForm::Earlier];
        }
        if self.indicator {
            return vec![FigureForm::Value];
        }
        vec![FigureForm::Score]
    }

    /// The noun counted, at most one word away: `12 outlets`, `3 active events`.
    fn counted(&self, n: usize) -> Option<&'static str> {
        let noun = |at: usize| COUNTED.iter().find(|(word, _)| *word == self.low(at)).map(|c| c.1);
        noun(n + 1).or_else(|| {
            let plain = self.low(n + 1).chars().all(char::is_alphabetic) && !self.low(n + 1).is_empty();
            let joint =
                matches!(self.low(n + 1), "and" | "or" | "in" | "to" | "on" | "at" | "from" | "with" | "of");
            if plain && !joint { noun(n + 2) } else { None }
        })
    }
}

fn capital(month: &str) -> String {
    crate::names::sentence_case(month)
}
