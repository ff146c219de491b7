//! One number of a text: which fact it tells, given the subjects it stands with and the words around it.

use super::Reason;
use super::claims::Found;
use super::figures_in_text::Numeral;
use super::lexicon::Claim;
use super::reader::Reader;
use crate::facts::{Fact, Form, Kind, Subject};
use std::ops::Range;

/// Facts about the text itself or about all of the index; their figures need no subject beside them.
fn is_free(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Late | Kind::Correction | Kind::Earlier | Kind::GapCount | Kind::AllFeeds | Kind::Breadth
    )
}

impl Reader<'_> {
    pub(super) fn number(&mut self, numeral: &Numeral, clause: &Range<usize>) {
        let raw = self.tokens[numeral.at].raw.replace('−', "-");
        // The 1 of `1 day in 90`.
        if numeral.forms == [Form::OneIn]
            && numeral.text == "1"
            && self.tokens.get(numeral.at + 1).is_some_and(|t| t.is("day"))
        {
            return;
        }
        if let Some(bent) = self.bent(numeral, clause) {
            let dated = numeral.forms == [Form::Date] || numeral.forms == [Form::Clock];
            self.problem(if dated { Reason::Date } else { Reason::Number }, format!("{bent} {raw}"));
        }
        let subjects = self.bound(numeral.at, clause);
        let gap = self
            .phrases
            .iter()
            .any(|p| clause.contains(&p.start) && matches!(p.claim, Claim::Gap | Claim::Nothing));
        let ranked = self.phrases.iter().any(|p| clause.contains(&p.start) && p.claim == Claim::Above);
        let same = |form: Form, shown: &str| match form {
            Form::Clock => shown == format!("{raw} UTC"),
            Form::Date => shown == numeral.text,
            Form::Delta => shown == raw,
            _ => shown == numeral.text && !raw.starts_with(['+', '-']),
        };
        let fits = |f: &Fact| {
            let about = subjects.contains(&f.subject) || is_free(f.kind);
            let feed_side = !matches!(f.subject, Subject::Feed(_)) || gap == (f.kind == Kind::FeedGap);
            // Two shares of one subject are told apart by the words around them.
            let share_side =
                !numeral.forms.contains(&Form::Percent) || ranked == (f.kind == Kind::Percentile);
            about
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
        let meant =
            |f: &Fact| f.kind != Kind::Event || ((f.unit == "unconfirmed") == lone && !gathered && told(f));
        let hit = self.facts.iter().position(|f| fits(f) && meant(f));
        let hit = hit.or_else(|| self.facts.iter().position(|f| fits(f)));
        let Some(hit) = hit else {
            let shown: Vec<&str> = self.tokens[numeral.at..numeral.end].iter().map(|t| t.raw).collect();
            let dated = numeral.forms == [Form::Date] || raw.contains(':');
            let reason = if dated { Reason::Date } else { Reason::Number };
            self.problem(reason, shown.join(" "));
            return;
        };
        let fact = self.facts[hit];
        if fact.kind == Kind::Delta && !fact.news {
            self.problem(Reason::NotNews, raw.clone());
        }
        self.link(hit);
        self.figured[hit] = true;
        if fact.kind == Kind::Event {
            self.events_here.push(hit);
            if numeral.forms == [Form::Count("outlets")] {
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
        if numeral.forms == [Form::OneIn] {
            return None;
        }
        if numeral.forms == [Form::Date] || numeral.forms == [Form::Clock] {
            return ["until", "before", "from", "by", "through"].contains(&word).then(|| word.to_owned());
        }
        if word == "to" && before(2) == "up" && numeral.forms != [Form::Escalation] {
            return Some("up to".to_owned());
        }
        let run = self.tokens[clause.clone()].iter().any(|t| t.is("row") || t.is("running"));
        if numeral.forms == [Form::Count("days")] && !run {
            return Some("days".to_owned());
        }
        let bends = ["over", "past", "within", "beyond", "more", "fewer", "near", "less", "least", "most"];
        bends.contains(&word).then(|| word.to_owned())
    }
}
