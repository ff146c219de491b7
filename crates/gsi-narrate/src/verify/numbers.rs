//! One number of a text: which fact it tells, given the subjects it stands with and the words around it.

use super::ProblemReason;
use super::claims::Found;
use super::figures_in_text::Numeral;
use super::lexicon::Claim;
use super::reader::TextReader;
use crate::facts::{Fact, FactKind, FigureForm, Subject};
use std::ops::Range;

/// Facts about the text itself or about all of the index; their figures need no subject beside them.
fn is_free(kind: FactKind) -> bool {
    matches!(
        kind,
        FactKind::Late
            | FactKind::Correction
            | FactKind::Earlier
            | FactKind::GapCount
            | FactKind::AllFeeds
            | FactKind::Breadth
    )
}

/// The score's place among days.
fn is_of_days(kind: FactKind) -> bool {
    matches!(
        kind,
        FactKind::ReconstructedPlace
            | FactKind::PublishedPlace
            | FactKind::ReconstructedHigh
            | FactKind::PublishedHigh
    )
}

impl TextReader<'_> {
    pub(super) fn check_number(&mut self, numeral: &Numeral, clause: &Range<usize>) {
        let raw = self.tokens[numeral.at].raw.replace('−', "-");
        // The 1 of `1 day in 90`.
        if numeral.forms == [FigureForm::OneIn]
            && numeral.text == "1"
            && self.tokens.get(numeral.at + 1).is_some_and(|t| t.is("day"))
        {
            return;
        }
        if let Some(bent) = self.bent(numeral, clause) {
            let dated = numeral.forms == [FigureForm::Date] || numeral.forms == [FigureForm::Clock];
            self.add_problem(
                if dated { ProblemReason::Date } else { ProblemReason::Number },
                format!("{bent} {raw}"),
            );
        }
        let subjects = self.bound(numeral.at, clause);
        let gap = self
            .phrases
            .iter()
            .any(|p| clause.contains(&p.start) && matches!(p.claim, Claim::Gap | Claim::Nothing));
        let ranked = self.phrases.iter().any(|p| clause.contains(&p.start) && p.claim == Claim::Above);
        let of_days = self.days_compared(clause);
        let same = |form: FigureForm, shown: &str| match form {
            FigureForm::Clock => shown == format!("{raw} UTC"),
            FigureForm::Date => shown == numeral.text,
            FigureForm::Delta => shown == raw,
            FigureForm::Value if raw.starts_with('-') => shown == raw,
            _ => shown == numeral.text && !raw.starts_with(['+', '-']),
        };
        let fits = |f: &Fact| {
            let about = subjects.contains(&f.subject) || is_free(f.kind);
            let feed_side = !matches!(f.subject, Subject::Feed(_)) || gap == (f.kind == FactKind::FeedGap);
            // Two shares of one subject are told apart by the words around them.
            let share_side =
                !numeral.forms.contains(&FigureForm::Percent) || ranked == (f.kind == FactKind::Percentile);
            // A date of the past is told where the past is, and nowhere else: `highest since` has a date of its own.
            let days_side = match of_days {
                Some((place, high)) => [place, high].contains(&f.kind),
                None => !is_of_days(f.kind),
            };
            about
                && days_side
                && feed_side
                && share_side
                && f.figures.iter().any(|g| numeral.forms.contains(&g.form) && same(g.form, &g.text))
        };
        // Two events of one place can share a figure: the one whose standing is as the clause says is meant.
        let lone = self.phrases.iter().any(|p| clause.contains(&p.start) && p.claim == Claim::Unconfirmed);
        // `5 events active`, `5 active events` and what follows speak of the theater, not of one event in it.
        let gathered = self.tokens[clause.clone()].iter().any(|t| t.is("active"));
        let kinds = self.kinds(clause);
        let told = |f: &Fact| kinds.is_empty() || kinds.iter().any(|k| k == f.word);
        let meant = |f: &Fact| {
            f.kind != FactKind::Event || ((f.unit == "unconfirmed") == lone && !gathered && told(f))
        };
        let hit = self.facts.iter().position(|f| fits(f) && meant(f));
        let hit = hit.or_else(|| self.facts.iter().position(|f| fits(f)));
        let Some(hit) = hit else {
            let shown: Vec<&str> = self.tokens[numeral.at..numeral.end].iter().map(|t| t.raw).collect();
            let dated = numeral.forms == [FigureForm::Date] || raw.contains(':');
            let reason = if dated { ProblemReason::Date } else { ProblemReason::Number };
            self.add_problem(reason, shown.join(" "));
            return;
        };
        let fact = self.facts[hit];
        if fact.kind == FactKind::Delta && !fact.news {
            self.add_problem(ProblemReason::NotNews, raw.clone());
        }
        self.link(hit);
        self.figured[hit] = true;
        if fact.kind == FactKind::Event {
            self.events_here.push(hit);
            if numeral.forms == [FigureForm::Count("outlets")] {
                self.told_here.push(hit);
            }
        }
        let form = numeral.forms[0];
        match self.uses.iter_mut().find(|u| u.0 == hit && u.1 == form) {
            Some(u) => u.2 += 1,
            None => self.uses.push((hit, form, 1)),
        }
    }

    /// The kinds of event that are named in a part of the text.
    pub(super) fn kinds(&self, part: &Range<usize>) -> Vec<String> {
        let named = |p: &&Found| part.contains(&p.start) && p.claim == Claim::Category;
        let words = |p: &Found| {
            let words: Vec<&str> = self.tokens[p.start..p.end].iter().map(|t| t.low.as_str()).collect();
            words.join(" ")
        };
        self.phrases.iter().filter(named).map(words).collect()
    }

    /// The word before a number that makes another one of it: `more than 12`, `until 3 November`, `in 3 days`.
    fn bent(&self, numeral: &Numeral, clause: &Range<usize>) -> Option<String> {
        let before = |by: usize| {
            let n = numeral.at.checked_sub(by).filter(|n| clause.contains(n));
            n.map_or("", |n| self.tokens[n].low.as_str())
        };
        let word = before(1);
        if numeral.forms == [FigureForm::OneIn] {
            return None;
        }
        if numeral.forms == [FigureForm::Date] || numeral.forms == [FigureForm::Clock] {
            return ["until", "before", "from", "by", "through"].contains(&word).then(|| word.to_owned());
        }
        if word == "to" && before(2) == "up" && numeral.forms != [FigureForm::Escalation] {
            return Some("up to".to_owned());
        }
        let run = self.tokens[clause.clone()].iter().any(|t| t.is("row") || t.is("running"));
        if numeral.forms == [FigureForm::Count("days")] && !run {
            return Some("days".to_owned());
        }
        let bends = ["over", "past", "within", "beyond", "more", "fewer", "near", "less", "least", "most"];
        bends.contains(&word).then(|| word.to_owned())
    }
}
