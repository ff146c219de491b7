//! Parses an operator's rule (`--when`): clauses joined by `and`, all of which must hold.
//!
//! ```text
//! score >= 50
//! pillar.conflict rises 8 in 24h
//! country.UA >= 60 and country.UA rises 5 in 24h
//! feed.gdelt stale
//! ```

use gsi_model::{CountryCode, Pillar};
use std::fmt;

/// An error in a rule, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n  {rule}\n  {}^", " ".repeat(*.column))]
pub struct WhenError {
    pub rule: String,
    /// In characters, from 0.
    pub column: usize,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    Score,
    Pillar(Pillar),
    Country(CountryCode),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelComparison {
    AtLeast,
    Above,
    AtMost,
    Below,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    Level {
        of: Watched,
        comparison: LevelComparison,
        value: f64,
    },
    /// A rise or fall by at least `points` since `hours` ago.
    Change {
        of: Watched,
        upwards: bool,
        points: f64,
        hours: u32,
    },
    Stale {
        feed: String,
    },
}

/// The longest time span of a `rises` or `falls` clause.
const MOST_HOURS: u32 = 31 * 24;

/// Parses a rule. A feed that is not in `feeds` is an error, because a rule about a misspelt feed would never hold.
pub fn parse(rule: &str, feeds: &[&str]) -> Result<Vec<Clause>, WhenError> {
    let mut reader = RuleReader { rule, words: words(rule), next: 0 };
    let mut clauses = vec![reader.clause(feeds)?];
    while let Some(word) = reader.take() {
        if word.text != "and" {
            return Err(reader.wrong(word.column, "here the rule should end, or go on with `and`"));
        }
        clauses.push(reader.clause(feeds)?);
    }
    Ok(clauses)
}

#[derive(Clone, Copy)]
struct RuleWord<'a> {
    column: usize,
    text: &'a str,
}

/// Splits a rule at white space, and before and after comparison signs: `score>=50` gives three words.
fn words(rule: &str) -> Vec<RuleWord<'_>> {
    let mut found = Vec::new();
    let kind = |c: char| {
        if c.is_whitespace() {
            0
        } else if "<>=".contains(c) {
            1
        } else {
            2
        }
    };
    // The column, the byte offset and the kind of the current word. The space after the end completes the last word.
    let mut begin: Option<(usize, usize, u8)> = None;
    for (column, (byte, c)) in rule.char_indices().chain([(rule.len(), ' ')]).enumerate() {
        let now = kind(c);
        if let Some((at, from, was)) = begin.filter(|(_, _, was)| *was != now) {
            if was != 0 {
                found.push(RuleWord { column: at, text: &rule[from..byte] });
            }
            begin = None;
        }
        begin = begin.or(Some((column, byte, now)));
    }
    found
}

struct RuleReader<'a> {
    rule: &'a str,
    words: Vec<RuleWord<'a>>,
    next: usize,
}

impl<'a> RuleReader<'a> {
    fn take(&mut self) -> Option<RuleWord<'a>> {
        let word = self.words.get(self.next).copied();
        self.next += 1;
        word
    }

    fn wrong(&self, column: usize, what: impl fmt::Display) -> WhenError {
        WhenError { rule: self.rule.to_owned(), column, what: what.to_string() }
    }

    fn need(&mut self, what: &str) -> Result<RuleWord<'a>, WhenError> {
        let end = self.rule.chars().count();
        self.take().ok_or_else(|| self.wrong(end, format!("the rule ends where {what} should follow")))
    }

    fn clause(&mut self, feeds: &[&str]) -> Result<Clause, WhenError> {
        let subject = self.need("score, pillar.NAME, country.XX or feed.NAME")?;
        if let Some(feed) = subject.text.strip_prefix("feed.") {
            if !feeds.contains(&feed) {
                let what = format!("there is no feed `{feed}`; there are {}", feeds.join(", "));
                return Err(self.wrong(subject.column + 5, what));
            }
            let word = self.need("`stale`")?;
            if word.text != "stale" {
                return Err(self.wrong(word.column, "of a feed only `stale` can be asked"));
            }
            return Ok(Clause::Stale { feed: feed.to_owned() });
        }
        let of = self.watched(subject)?;
        let verb = self.need("a comparison such as >=, or `rises` or `falls`")?;
        let comparison = match verb.text {
            ">=" => LevelComparison::AtLeast,
            ">" => LevelComparison::Above,
            "<=" => LevelComparison::AtMost,
            "<" => LevelComparison::Below,
            "rises" | "falls" => return self.change(of, verb.text == "rises"),
            _ => return Err(self.wrong(verb.column, "expected >=, >, <=, <, `rises` or `falls`")),
        };
        let (column, value) = self.number("a number of points")?;
        if !(0.0..=100.0).contains(&value) {
            return Err(self.wrong(column, "scores lie between 0 and 100"));
        }
        Ok(Clause::Level { of, comparison, value })
    }

    fn watched(&self, word: RuleWord<'_>) -> Result<Watched, WhenError> {
        if word.text == "score" {
            return Ok(Watched::Score);
        }
        if let Some(name) = word.text.strip_prefix("pillar.") {
            let what = "the pillars are conflict, cyber, supply_chain and macro";
            return Pillar::from_key(name)
                .map(Watched::Pillar)
                .ok_or_else(|| self.wrong(word.column + 7, what));
        }
        if let Some(code) = word.text.strip_prefix("country.") {
            let what = "countries are named by ISO 3166-1 alpha-2 in capitals, such as UA";
            return CountryCode::from_iso2(code)
                .map(Watched::Country)
                .ok_or_else(|| self.wrong(word.column + 8, what));
        }
        let what = "a rule is about score, pillar.NAME, country.XX or feed.NAME";
        Err(self.wrong(word.column, what))
    }

    fn change(&mut self, of: Watched, upwards: bool) -> Result<Clause, WhenError> {
        let (column, points) = self.number("a number of points")?;
        if !(points > 0.0 && points <= 100.0) {
            return Err(self.wrong(column, "a change has more than 0 and at most 100 points"));
        }
        let word = self.need("`in`")?;
        if word.text != "in" {
            return Err(self.wrong(word.column, "expected `in` and a time, such as 24h"));
        }
        let span = self.need("a time such as 24h")?;
        let (number, unit) =
            span.text.split_at(span.text.len() - span.text.chars().last().map_or(0, char::len_utf8));
        let hours = match (number.parse::<u32>(), unit) {
            (Ok(n), "h") => Some(n),
            (Ok(n), "d") => n.checked_mul(24),
            _ => None,
        };
        match hours {
            Some(hours) if (1..=MOST_HOURS).contains(&hours) => {
                Ok(Clause::Change { of, upwards, points, hours })
            }
            _ => Err(self.wrong(span.column, "a time is 1h to 744h, or 1d to 31d")),
        }
    }

    fn number(&mut self, what: &str) -> Result<(usize, f64), WhenError> {
        let word = self.need(what)?;
        match word.text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok((word.column, value)),
            _ => Err(self.wrong(word.column, format!("expected {what}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEEDS: [&str; 2] = ["gdelt", "kev"];

    #[test]
    fn rules_are_read() {
        let ua = CountryCode::from_iso2("UA").unwrap();
        let read = |text: &str| parse(text, &FEEDS).unwrap();
        let level = |of, comparison, value| Clause::Level { of, comparison, value };
        assert_eq!(read("score>=50"), [level(Watched::Score, LevelComparison::AtLeast, 50.0)]);
        assert_eq!(
            read(" country.UA  < 60.5 and feed.gdelt stale"),
            [
                level(Watched::Country(ua), LevelComparison::Below, 60.5),
                Clause::Stale { feed: "gdelt".to_owned() },
            ]
        );
        let conflict = Watched::Pillar(Pillar::Conflict);
        let change = |upwards, hours| Clause::Change { of: conflict, upwards, points: 8.0, hours };
        assert_eq!(read("pillar.conflict rises 8 in 24h"), [change(true, 24)]);
        assert_eq!(read("pillar.conflict falls 8 in 7d"), [change(false, 168)]);
    }

    #[test]
    fn a_bad_rule_is_refused_and_the_error_names_the_place() {
        for (rule, column, part) in [
            ("", 0, "the rule ends"),
            ("skore >= 50", 0, "a rule is about"),
            ("score = 50", 6, ">=, >"),
            ("score >= fifty", 9, "a number"),
            ("score >= 150", 9, "between 0 and 100"),
            ("score >= 50 or score <= 3", 12, "`and`"),
            ("score >= 50 and", 15, "the rule ends"),
            ("pillar.war >= 50", 7, "the pillars are"),
            ("country.ua >= 50", 8, "in capitals"),
            ("country.Ü rises 3 in 24h", 8, "in capitals"),
            ("score rises 8", 13, "the rule ends"),
            ("score rises 8 in 24", 17, "a time is"),
            ("score rises 8 in 9999h", 17, "a time is"),
            ("score rises -8 in 24h", 12, "more than 0"),
            ("score rises nan in 24h", 12, "a number"),
            ("feed.gdlet stale", 5, "there are gdelt, kev"),
            ("feed.gdelt late", 11, "only `stale`"),
        ] {
            let refused = parse(rule, &FEEDS).unwrap_err();
            assert_eq!(refused.column, column, "{refused}");
            assert!(refused.what.contains(part), "{refused}");
        }
        let shown = parse("score = 50", &FEEDS).unwrap_err().to_string();
        assert!(shown.ends_with("\n  score = 50\n        ^"), "{shown}");
    }
}
