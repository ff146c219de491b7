//! What each claiming phrase needs: a fact of the right kind, about the right subject, with the right sign or word.

use super::Reason;
use super::lexicon::Claim;
use super::reader::Reader;
use super::tokens::Sort;
use crate::facts::{Kind, Sign, Subject};
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub start: usize,
    pub end: usize,
    pub claim: Claim,
}

impl Reader<'_> {
    pub(super) fn claim(&mut self, found: Found, clause: &Range<usize>) {
        let words: Vec<String> = self.tokens[found.start..found.end].iter().map(|t| t.low.clone()).collect();
        let text = words.join(" ");
        let bound = self.bound(found.start, clause);
        let of_each = matches!(
            found.claim,
            Claim::Move(_) | Claim::Flat | Claim::Push(_) | Claim::Held | Claim::Thin | Claim::Extreme(_)
        );
        if of_each && self.collective(clause) {
            self.problem(Reason::Direction, text);
            return;
        }
        match found.claim {
            Claim::Plain => {}
            Claim::Move(sign) => self.moved(found, clause, sign, &text),
            Claim::Flat => self.flat(found, clause, &text),
            Claim::NoMove => {
                self.each(found, clause, Reason::Direction, &text, |r, s| r.of(Kind::Delta, s, |f| !f.news))
            }
            Claim::NoPillarNews => {
                self.need(Reason::Direction, &text, |r| r.of(Kind::NoPillarNews, Subject::Global, |_| true))
            }
            Claim::Push(sign) => {
                let kinds = [Kind::Push, Kind::PillarPush, Kind::CoveragePush];
                self.need(Reason::Direction, &text, |r| r.any(&kinds, &bound, |f| f.sign == Some(sign)));
            }
            Claim::MainPush => self.need(Reason::Rank, &text, |r| r.any(&[Kind::MainPush], &bound, |_| true)),
            Claim::LedBy | Claim::RestsMostOn => {
                let next = self.following(found.end, clause);
                let kinds: &[Kind] = if found.claim == Claim::LedBy {
                    &[Kind::Push, Kind::PillarPush]
                } else {
                    &[Kind::TopInput]
                };
                self.need(Reason::Rank, &text, |r| r.any(kinds, &next, |_| true));
            }
            Claim::Lead => self.need(Reason::Rank, &text, |r| r.any(&[Kind::Lead], &bound, |_| true)),
            Claim::TopInput => self.need(Reason::Rank, &text, |r| r.any(&[Kind::TopInput], &bound, |_| true)),
            Claim::StandsOut => {
                let near: Vec<Subject> = bound.into_iter().chain(self.following(found.end, clause)).collect();
                self.need(Reason::Rank, &text, |r| r.any(&[Kind::Theater], &near, |_| true));
            }
            Claim::Extreme(Sign::Flat) => self.problem(Reason::Direction, text),
            Claim::Extreme(sign) => {
                let began = self.says(clause, Claim::RecordBegan);
                self.need(Reason::Record, &text, |r| {
                    r.any(&[Kind::Record], &bound, |f| f.sign == Some(sign) && (f.word == "began") == began)
                });
            }
            Claim::RecordBegan => {
                self.need(Reason::Record, &text, |r| r.any(&[Kind::Record], &bound, |f| f.word == "began"));
            }
            Claim::Edge => {
                let word = words[0].clone();
                self.need(Reason::Band, &text, |r| r.of(Kind::Edge, Subject::Global, |f| f.word == word));
            }
            Claim::WouldChange => {
                self.need(Reason::Status, &text, |r| r.any(&[Kind::Theater], &bound, |_| true))
            }
            Claim::Calm => self.problem(Reason::Calm, text),
            Claim::Band => self.band(&words[0], &text),
            Claim::Grade => self.grade(clause, &bound, &text),
            Claim::Partial | Claim::Stale => {
                let word = if found.claim == Claim::Partial { "partial" } else { "stale" };
                self.need(Reason::Status, &text, |r| r.of(Kind::Status, Subject::Global, |f| f.word == word));
            }
            Claim::Thin | Claim::Held => {
                let word = if found.claim == Claim::Thin { "thin" } else { "held" };
                self.each(found, clause, Reason::Status, &text, |r, s| {
                    r.of(Kind::Status, s, |f| f.word == word)
                });
            }
            Claim::HeldBack => {
                let near: Vec<Subject> = bound.into_iter().chain(self.following(found.end, clause)).collect();
                self.need(Reason::Status, &text, |r| r.any(&[Kind::Held], &near, |_| true));
            }
            Claim::Gap => self.gap(clause, &text),
            Claim::Nothing => {
                self.need(Reason::Status, &text, |r| r.any(&[Kind::FeedGap], &bound, |f| f.word == "never"));
            }
            Claim::OnTime => {
                self.need(Reason::Status, &text, |r| r.of(Kind::AllFeeds, Subject::Global, |_| true))
            }
            Claim::NoValue => self.need(Reason::Status, &text, |r| r.any(&[Kind::Missing], &bound, |_| true)),
            Claim::NoBaseline => {
                self.need(Reason::Status, &text, |r| r.any(&[Kind::NoBaseline], &bound, |_| true))
            }
            Claim::Usual | Claim::Unusual => {
                let word = if found.claim == Claim::Usual { "usual" } else { "unusual" };
                self.need(Reason::Rank, &text, |r| r.of(Kind::Unusual, Subject::Global, |f| f.word == word));
            }
            Claim::Above => {
                self.need(Reason::Direction, &text, |r| r.of(Kind::Percentile, Subject::Global, |_| true))
            }
            Claim::Category => {
                let kinds = [Kind::Event, Kind::Theater];
                let word = text.clone();
                self.need(Reason::Category, &text, |r| {
                    r.any(&kinds, &bound, |f| f.word == word || f.also.contains(&word.as_str()))
                });
            }
            Claim::Unconfirmed => {
                self.need(Reason::Status, &text, |r| {
                    r.any(&[Kind::Event], &bound, |f| f.unit == "unconfirmed")
                });
            }
            Claim::Disagree => {
                let ranged = self.tokens[clause.clone()].iter().any(|t| t.is("fits"));
                let kind = if ranged { Kind::Range } else { Kind::Confidence };
                self.need(Reason::Confidence, &text, |r| {
                    r.any(&[kind], &bound, |f| ranged || f.unit == "agreement")
                });
            }
            Claim::ShortHistories | Claim::CoverageLimit => {
                let unit = if found.claim == Claim::CoverageLimit { "coverage" } else { "calibration" };
                self.need(Reason::Confidence, &text, |r| {
                    r.any(&[Kind::Confidence], &bound, |f| f.unit == unit)
                });
            }
            Claim::SameWay => self.same_way(found, clause, &text),
            Claim::Rare => self.need(Reason::Rank, &text, |r| r.any(&[Kind::Rarity], &bound, |_| true)),
            Claim::Scale => {
                self.need(Reason::Direction, &text, |r| r.of(Kind::Scale, Subject::Global, |_| true))
            }
            Claim::Simulated => {
                self.need(Reason::Status, &text, |r| r.of(Kind::Simulated, Subject::Global, |_| true))
            }
            Claim::WrittenLate => {
                self.need(Reason::Status, &text, |r| r.of(Kind::Late, Subject::Global, |_| true))
            }
            Claim::Corrects => {
                self.need(Reason::Status, &text, |r| r.of(Kind::Correction, Subject::Global, |_| true))
            }
            Claim::CorrectedFor => self
                .need(Reason::Status, &text, |r| r.of(Kind::Correction, Subject::Global, |f| f.word == text)),
            Claim::Earlier => {
                self.need(Reason::Status, &text, |r| r.of(Kind::Earlier, Subject::Global, |_| true))
            }
        }
    }

    fn moved(&mut self, found: Found, clause: &Range<usize>, sign: Sign, text: &str) {
        if self.tokens[clause.clone()].iter().any(|t| t.is("trend")) {
            self.need(Reason::Direction, text, |r| {
                r.of(Kind::Trend, Subject::Global, |f| f.sign == Some(sign))
            });
            return;
        }
        for subjects in self.group(found, clause) {
            let hit = self.any(&[Kind::Delta, Kind::Streak], &subjects, |f| f.sign == Some(sign) && f.news);
            let small = self.any(&[Kind::Delta], &subjects, |f| f.sign == Some(sign)).is_some();
            match hit {
                Some(n) => self.link(n),
                None if small => self.problem(Reason::NotNews, text.to_owned()),
                None => self.problem(Reason::Direction, text.to_owned()),
            }
        }
    }

    fn flat(&mut self, found: Found, clause: &Range<usize>, text: &str) {
        if self.tokens[clause.clone()].iter().any(|t| t.is("trend")) {
            self.need(Reason::Direction, text, |r| {
                r.of(Kind::Trend, Subject::Global, |f| f.sign == Some(Sign::Flat))
            });
            return;
        }
        if self.partial {
            self.problem(Reason::Calm, text.to_owned());
            return;
        }
        self.each(found, clause, Reason::Direction, text, |r, s| r.of(Kind::Delta, s, |f| !f.news));
    }

    fn band(&mut self, word: &str, text: &str) {
        if self.partial && matches!(word, "calm" | "guarded") {
            self.problem(Reason::Calm, text.to_owned());
        }
        self.need(Reason::Band, text, |r| r.of(Kind::Level, Subject::Global, |f| f.word == word));
    }

    fn grade(&mut self, clause: &Range<usize>, bound: &[Subject], word: &str) {
        let about_confidence = self.tokens[clause.clone()].iter().any(|t| t.is("confidence"));
        if about_confidence {
            // The name in the clause decides; without one it is the confidence of the whole.
            let named = self.mentions.iter().any(|m| clause.contains(&m.start));
            let subjects = if named { bound.to_vec() } else { self.whole_of_plan() };
            self.need(Reason::Confidence, word, |r| {
                r.any(&[Kind::Confidence], &subjects, |f| f.word == word)
            });
        } else {
            self.need(Reason::Band, word, |r| r.of(Kind::Level, Subject::Global, |f| f.word == word));
        }
    }

    /// The one subject whose confidence the plan tells.
    fn whole_of_plan(&self) -> Vec<Subject> {
        self.facts.iter().filter(|f| f.kind == Kind::Confidence).map(|f| f.subject).collect()
    }

    fn gap(&mut self, clause: &Range<usize>, text: &str) {
        let feeds: Vec<Subject> = self
            .mentions
            .iter()
            .filter(|m| clause.contains(&m.start))
            .flat_map(|m| m.subjects.iter().copied())
            .filter(|s| matches!(s, Subject::Feed(_)))
            .collect();
        if feeds.is_empty() {
            self.need(Reason::Status, text, |r| r.of(Kind::GapCount, Subject::Global, |_| true));
        }
        for feed in feeds {
            self.need(Reason::Status, text, |r| r.of(Kind::FeedGap, feed, |_| true));
        }
    }

    fn same_way(&mut self, found: Found, clause: &Range<usize>, text: &str) {
        // Of one sort for all of them: a push here and a move there would be no comparison.
        let subjects = self.group(found, clause);
        for kind in [Kind::Push, Kind::PillarPush, Kind::Delta] {
            let hits: Option<Vec<usize>> =
                subjects.iter().map(|s| self.any(&[kind], s, |f| f.sign.is_some())).collect();
            let Some(hits) = hits.filter(|h| !h.is_empty()) else { continue };
            if hits.iter().all(|n| self.facts[*n].sign == self.facts[hits[0]].sign) {
                hits.into_iter().for_each(|n| self.link(n));
                return;
            }
        }
        self.problem(Reason::Direction, text.to_owned());
    }

    fn says(&self, clause: &Range<usize>, claim: Claim) -> bool {
        self.phrases.iter().any(|p| clause.contains(&p.start) && p.claim == claim)
    }

    /// The names a claim holds for, each by itself: those listed right before it, else right after it.
    fn group(&self, found: Found, clause: &Range<usize>) -> Vec<Vec<Subject>> {
        let here: Vec<&super::names_in_text::Mention> =
            self.mentions.iter().filter(|m| clause.contains(&m.start)).collect();
        // `a rise in macro` speaks of macro, whatever came before.
        let led = self.tokens.get(found.end).is_some_and(|t| t.is("in") || t.is("of"));
        if led && let Some(next) = here.iter().find(|m| m.start == found.end + 1) {
            return vec![next.subjects.clone()];
        }
        let listed = |from: usize, to: usize| {
            self.tokens[from..to].iter().all(|t| {
                t.sort == Sort::Number
                    || matches!(t.low.as_str(), "," | "and" | "both" | "(" | ")" | "at" | "the")
            })
        };
        let before: Vec<&&super::names_in_text::Mention> =
            here.iter().filter(|m| m.end <= found.start).collect();
        let mut group: Vec<Vec<Subject>> = Vec::new();
        if let Some(last) = before.last() {
            group.push(last.subjects.clone());
            for pair in before.windows(2).rev() {
                if !listed(pair[0].end, pair[1].start) || pair[0].end == pair[1].start {
                    break;
                }
                group.push(pair[0].subjects.clone());
            }
            return group;
        }
        let after: Vec<&&super::names_in_text::Mention> =
            here.iter().filter(|m| m.start >= found.end).collect();
        if let Some(first) = after.first() {
            group.push(first.subjects.clone());
            for pair in after.windows(2) {
                if !listed(pair[0].end, pair[1].start) {
                    break;
                }
                group.push(pair[1].subjects.clone());
            }
            return group;
        }
        vec![self.bound(found.start, clause)]
    }

    fn following(&self, from: usize, clause: &Range<usize>) -> Vec<Subject> {
        self.mentions
            .iter()
            .find(|m| m.start >= from && clause.contains(&m.start))
            .map_or(Vec::new(), |m| m.subjects.clone())
    }

    fn of(&self, kind: Kind, subject: Subject, fits: impl Fn(&crate::facts::Fact) -> bool) -> Option<usize> {
        self.facts.iter().position(|f| f.kind == kind && f.subject == subject && fits(f))
    }

    fn any(
        &self,
        kinds: &[Kind],
        subjects: &[Subject],
        fits: impl Fn(&crate::facts::Fact) -> bool,
    ) -> Option<usize> {
        self.facts.iter().position(|f| kinds.contains(&f.kind) && subjects.contains(&f.subject) && fits(f))
    }

    fn need(&mut self, reason: Reason, text: &str, find: impl Fn(&Self) -> Option<usize>) {
        match find(self) {
            Some(n) => self.link(n),
            None => self.problem(reason, text.to_owned()),
        }
    }

    fn each(
        &mut self,
        found: Found,
        clause: &Range<usize>,
        reason: Reason,
        text: &str,
        find: impl Fn(&Self, Subject) -> Option<usize>,
    ) {
        for subjects in self.group(found, clause) {
            self.need(reason, text, |r| subjects.iter().find_map(|s| find(r, *s)));
        }
    }
}
