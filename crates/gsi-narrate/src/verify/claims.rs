//! What each claiming phrase needs: a fact of the right kind, about the right subject, with the right sign or word.

use super::ProblemReason;
use super::lexicon::{Claim, ComparedDays};
use super::reader::TextReader;
use super::tokens::Sort;
use crate::facts::{FactKind, Sign, Subject};
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub start: usize,
    pub end: usize,
    pub claim: Claim,
}

impl TextReader<'_> {
    pub(super) fn check_claim(&mut self, found: Found, clause: &Range<usize>) {
        let words: Vec<String> = self.tokens[found.start..found.end].iter().map(|t| t.low.clone()).collect();
        let text = words.join(" ");
        let bound = self.bound(found.start, clause);
        let of_each = matches!(
            found.claim,
            Claim::Move(_) | Claim::Flat | Claim::Push(_) | Claim::Held | Claim::Thin | Claim::Extreme(_)
        );
        if of_each && self.is_collective(clause) {
            self.add_problem(ProblemReason::Direction, text);
            return;
        }
        match found.claim {
            Claim::Plain => {}
            Claim::Move(sign) => self.check_move(found, clause, sign, &text),
            Claim::Flat => self.check_flat(found, clause, &text),
            Claim::NoMove => self.require_each(found, clause, ProblemReason::Direction, &text, |r, s| {
                r.of(FactKind::Delta, s, |f| !f.news)
            }),
            Claim::NoPillarNews => self.require(ProblemReason::Direction, &text, |r| {
                r.of(FactKind::NoPillarNews, Subject::Global, |_| true)
            }),
            Claim::Push(sign) => {
                let kinds = [FactKind::Push, FactKind::PillarPush, FactKind::CoveragePush];
                self.require(ProblemReason::Direction, &text, |r| {
                    r.any(&kinds, &bound, |f| f.sign == Some(sign))
                });
            }
            Claim::MainPush => {
                self.require(ProblemReason::Rank, &text, |r| r.any(&[FactKind::MainPush], &bound, |_| true))
            }
            Claim::LedBy | Claim::RestsMostOn => {
                let next = self.following(found.end, clause);
                let kinds: &[FactKind] = if found.claim == Claim::LedBy {
                    &[FactKind::Push, FactKind::PillarPush]
                } else {
                    &[FactKind::TopInput]
                };
                self.require(ProblemReason::Rank, &text, |r| r.any(kinds, &next, |_| true));
            }
            Claim::Lead => {
                self.require(ProblemReason::Rank, &text, |r| r.any(&[FactKind::Lead], &bound, |_| true))
            }
            Claim::TopInput => {
                self.require(ProblemReason::Rank, &text, |r| r.any(&[FactKind::TopInput], &bound, |_| true))
            }
            Claim::StandsOut => {
                let near: Vec<Subject> = bound.into_iter().chain(self.following(found.end, clause)).collect();
                self.require(ProblemReason::Rank, &text, |r| r.any(&[FactKind::Theater], &near, |_| true));
            }
            Claim::Extreme(Sign::Flat) => self.add_problem(ProblemReason::Direction, text),
            Claim::Extreme(sign) => {
                let began = self.says(clause, Claim::RecordBegan);
                self.require(ProblemReason::Record, &text, |r| {
                    r.any(&[FactKind::Record], &bound, |f| {
                        f.sign == Some(sign) && (f.word == "began") == began
                    })
                });
            }
            Claim::RecordBegan => {
                self.require(ProblemReason::Record, &text, |r| {
                    r.any(&[FactKind::Record], &bound, |f| f.word == "began")
                });
            }
            Claim::Edge => {
                let word = words[0].clone();
                self.require(ProblemReason::Band, &text, |r| {
                    r.of(FactKind::Edge, Subject::Global, |f| f.word == word)
                });
            }
            Claim::WouldChange => {
                self.require(ProblemReason::Status, &text, |r| r.any(&[FactKind::Theater], &bound, |_| true))
            }
            Claim::Calm => self.add_problem(ProblemReason::Calm, text),
            Claim::Band => self.check_band(&bound, &words[0], &text),
            Claim::IntoBand | Claim::OutOfBand => {
                // `into the high band`, `out of the high band`.
                let band = words[words.len() - 2].clone();
                let into = found.claim == Claim::IntoBand;
                self.require(ProblemReason::Band, &text, |r| {
                    r.any(&[FactKind::BandChange], &bound, |f| {
                        if into { f.word == band } else { f.also.contains(&band.as_str()) }
                    })
                });
            }
            Claim::Grade => self.check_grade(clause, &bound, &text),
            Claim::Partial | Claim::Stale => {
                let word = if found.claim == Claim::Partial { "partial" } else { "stale" };
                self.require(ProblemReason::Status, &text, |r| {
                    r.of(FactKind::Status, Subject::Global, |f| f.word == word)
                });
            }
            Claim::Thin | Claim::Held => {
                let word = if found.claim == Claim::Thin { "thin" } else { "held" };
                self.require_each(found, clause, ProblemReason::Status, &text, |r, s| {
                    r.of(FactKind::Status, s, |f| f.word == word)
                });
            }
            Claim::HeldBack => {
                let near: Vec<Subject> = bound.into_iter().chain(self.following(found.end, clause)).collect();
                self.require(ProblemReason::Status, &text, |r| r.any(&[FactKind::Held], &near, |_| true));
            }
            Claim::Gap => self.check_gap(clause, &text),
            Claim::Nothing => {
                self.require(ProblemReason::Status, &text, |r| {
                    r.any(&[FactKind::FeedGap], &bound, |f| f.word == "never")
                });
            }
            Claim::OnTime => self.require(ProblemReason::Status, &text, |r| {
                r.of(FactKind::AllFeeds, Subject::Global, |_| true)
            }),
            Claim::NoValue => {
                self.require(ProblemReason::Status, &text, |r| r.any(&[FactKind::Missing], &bound, |_| true))
            }
            Claim::NoBaseline => self
                .require(ProblemReason::Status, &text, |r| r.any(&[FactKind::NoBaseline], &bound, |_| true)),
            Claim::Usual | Claim::Unusual => {
                let word = if found.claim == Claim::Usual { "usual" } else { "unusual" };
                self.require(ProblemReason::Rank, &text, |r| {
                    r.of(FactKind::Unusual, Subject::Global, |f| f.word == word)
                });
            }
            Claim::Above => self.require(ProblemReason::Direction, &text, |r| {
                r.of(FactKind::Percentile, Subject::Global, |_| true)
            }),
            Claim::DaysCompared(_) | Claim::LowerOnDays => {
                // The days are named and the share is said: neither stands for itself.
                let whole = self.says(clause, Claim::LowerOnDays);
                let days = self.days_compared(clause).filter(|_| whole);
                self.require(ProblemReason::Rank, &text, |r| {
                    days.and_then(|(place, _)| r.of(place, Subject::Global, |_| true))
                });
            }
            Claim::LastHigh | Claim::NeverHigh | Claim::HighNow | Claim::DayAlone => {
                let fits = |word: &str| match found.claim {
                    Claim::NeverHigh => word == "never",
                    Claim::HighNow => word == "run",
                    Claim::DayAlone => word == "alone",
                    _ => matches!(word, "alone" | "row"),
                };
                let days = self.days_compared(clause);
                self.require(ProblemReason::Record, &text, |r| {
                    days.and_then(|(_, high)| r.of(high, Subject::Global, |f| fits(f.word)))
                });
            }
            Claim::Category => {
                let kinds = [FactKind::Event, FactKind::Theater];
                let word = text.clone();
                self.require(ProblemReason::Category, &text, |r| {
                    r.any(&kinds, &bound, |f| f.word == word || f.also.contains(&word.as_str()))
                });
            }
            Claim::Unconfirmed => {
                self.require(ProblemReason::Status, &text, |r| {
                    r.any(&[FactKind::Event], &bound, |f| f.unit == "unconfirmed")
                });
            }
            Claim::Disagree => {
                let ranged = self.tokens[clause.clone()].iter().any(|t| t.is("fits"));
                let kind = if ranged { FactKind::Range } else { FactKind::Confidence };
                self.require(ProblemReason::Confidence, &text, |r| {
                    r.any(&[kind], &bound, |f| ranged || f.unit == "agreement")
                });
            }
            Claim::ShortHistories | Claim::CoverageLimit => {
                let unit = if found.claim == Claim::CoverageLimit { "coverage" } else { "calibration" };
                self.require(ProblemReason::Confidence, &text, |r| {
                    r.any(&[FactKind::Confidence], &bound, |f| f.unit == unit)
                });
            }
            Claim::SameWay => self.check_same_way(found, clause, &text),
            Claim::Rare => {
                self.require(ProblemReason::Rank, &text, |r| r.any(&[FactKind::Rarity], &bound, |_| true))
            }
            Claim::Scale => self.require(ProblemReason::Direction, &text, |r| {
                r.of(FactKind::Scale, Subject::Global, |_| true)
            }),
            Claim::Simulated => self.require(ProblemReason::Status, &text, |r| {
                r.of(FactKind::Simulated, Subject::Global, |_| true)
            }),
            Claim::WrittenLate => self
                .require(ProblemReason::Status, &text, |r| r.of(FactKind::Late, Subject::Global, |_| true)),
            Claim::Corrects => self.require(ProblemReason::Status, &text, |r| {
                r.of(FactKind::Correction, Subject::Global, |_| true)
            }),
            Claim::CorrectedFor => self.require(ProblemReason::Status, &text, |r| {
                r.of(FactKind::Correction, Subject::Global, |f| f.word == text)
            }),
            Claim::Earlier => self.require(ProblemReason::Status, &text, |r| {
                r.of(FactKind::Earlier, Subject::Global, |_| true)
            }),
        }
    }

    /// The facts of the days that a clause compares the score with: its figures are theirs and nobody else's. None for a clause
    /// that compares with none, or with both.
    pub(super) fn days_compared(&self, clause: &Range<usize>) -> Option<(FactKind, FactKind)> {
        use ComparedDays::{Published, Reconstructed};
        let named = |days: ComparedDays| self.says(clause, Claim::DaysCompared(days));
        match (named(Reconstructed), named(Published)) {
            (true, false) => Some((FactKind::ReconstructedPlace, FactKind::ReconstructedHigh)),
            (false, true) => Some((FactKind::PublishedPlace, FactKind::PublishedHigh)),
            _ => None,
        }
    }

    fn check_move(&mut self, found: Found, clause: &Range<usize>, sign: Sign, text: &str) {
        if self.tokens[clause.clone()].iter().any(|t| t.is("trend")) {
            self.require(ProblemReason::Direction, text, |r| {
                r.of(FactKind::Trend, Subject::Global, |f| f.sign == Some(sign))
            });
            return;
        }
        for subjects in self.group(found, clause) {
            let hit =
                self.any(&[FactKind::Delta, FactKind::Streak], &subjects, |f| f.sign == Some(sign) && f.news);
            let small = self.any(&[FactKind::Delta], &subjects, |f| f.sign == Some(sign)).is_some();
            match hit {
                Some(n) => self.link(n),
                None if small => self.add_problem(ProblemReason::NotNews, text.to_owned()),
                None => self.add_problem(ProblemReason::Direction, text.to_owned()),
            }
        }
    }

    fn check_flat(&mut self, found: Found, clause: &Range<usize>, text: &str) {
        if self.tokens[clause.clone()].iter().any(|t| t.is("trend")) {
            self.require(ProblemReason::Direction, text, |r| {
                r.of(FactKind::Trend, Subject::Global, |f| f.sign == Some(Sign::Flat))
            });
            return;
        }
        if self.partial {
            self.add_problem(ProblemReason::Calm, text.to_owned());
            return;
        }
        self.require_each(found, clause, ProblemReason::Direction, text, |r, s| {
            r.of(FactKind::Delta, s, |f| !f.news)
        });
    }

    /// A country has the band of its own score; every other band is that of the world's.
    fn check_band(&mut self, bound: &[Subject], word: &str, text: &str) {
        if self.partial && matches!(word, "calm" | "guarded") {
            self.add_problem(ProblemReason::Calm, text.to_owned());
        }
        let country = bound.iter().copied().find(|s| matches!(s, Subject::Country(_)));
        let subject = country.unwrap_or(Subject::Global);
        self.require(ProblemReason::Band, text, |r| r.of(FactKind::Level, subject, |f| f.word == word));
    }

    fn check_grade(&mut self, clause: &Range<usize>, bound: &[Subject], word: &str) {
        let about_confidence = self.tokens[clause.clone()].iter().any(|t| t.is("confidence"));
        if about_confidence {
            // The name in the clause decides; without one it is the confidence of the whole.
            let named = self.mentions.iter().any(|m| clause.contains(&m.start));
            let subjects = if named { bound.to_vec() } else { self.whole_of_plan() };
            self.require(ProblemReason::Confidence, word, |r| {
                r.any(&[FactKind::Confidence], &subjects, |f| f.word == word)
            });
        } else {
            self.require(ProblemReason::Band, word, |r| {
                r.of(FactKind::Level, Subject::Global, |f| f.word == word)
            });
        }
    }

    /// The one subject whose confidence the plan tells.
    fn whole_of_plan(&self) -> Vec<Subject> {
        self.facts.iter().filter(|f| f.kind == FactKind::Confidence).map(|f| f.subject).collect()
    }

    fn check_gap(&mut self, clause: &Range<usize>, text: &str) {
        let feeds: Vec<Subject> = self
            .mentions
            .iter()
            .filter(|m| clause.contains(&m.start))
            .flat_map(|m| m.subjects.iter().copied())
            .filter(|s| matches!(s, Subject::Feed(_)))
            .collect();
        if feeds.is_empty() {
            self.require(ProblemReason::Status, text, |r| {
                r.of(FactKind::GapCount, Subject::Global, |_| true)
            });
        }
        for feed in feeds {
            self.require(ProblemReason::Status, text, |r| r.of(FactKind::FeedGap, feed, |_| true));
        }
    }

    fn check_same_way(&mut self, found: Found, clause: &Range<usize>, text: &str) {
        // Of one sort for all of them: a push here and a move there would be no comparison.
        let subjects = self.group(found, clause);
        for kind in [FactKind::Push, FactKind::PillarPush, FactKind::Delta] {
            let hits: Option<Vec<usize>> =
                subjects.iter().map(|s| self.any(&[kind], s, |f| f.sign.is_some())).collect();
            let Some(hits) = hits.filter(|h| !h.is_empty()) else { continue };
            if hits.iter().all(|n| self.facts[*n].sign == self.facts[hits[0]].sign) {
                hits.into_iter().for_each(|n| self.link(n));
                return;
            }
        }
        self.add_problem(ProblemReason::Direction, text.to_owned());
    }

    fn says(&self, clause: &Range<usize>, claim: Claim) -> bool {
        self.phrases.iter().any(|p| clause.contains(&p.start) && p.claim == claim)
    }

    /// The names a claim holds for, each by itself: those listed right before it, else right after it.
    fn group(&self, found: Found, clause: &Range<usize>) -> Vec<Vec<Subject>> {
        let here: Vec<&super::names_in_text::NameMention> =
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
        let before: Vec<&&super::names_in_text::NameMention> =
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
        let after: Vec<&&super::names_in_text::NameMention> =
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

    fn of(
        &self,
        kind: FactKind,
        subject: Subject,
        fits: impl Fn(&crate::facts::Fact) -> bool,
    ) -> Option<usize> {
        self.facts.iter().position(|f| f.kind == kind && f.subject == subject && fits(f))
    }

    fn any(
        &self,
        kinds: &[FactKind],
        subjects: &[Subject],
        fits: impl Fn(&crate::facts::Fact) -> bool,
    ) -> Option<usize> {
        self.facts.iter().position(|f| kinds.contains(&f.kind) && subjects.contains(&f.subject) && fits(f))
    }

    fn require(&mut self, reason: ProblemReason, text: &str, find: impl Fn(&Self) -> Option<usize>) {
        match find(self) {
            Some(n) => self.link(n),
            None => self.add_problem(reason, text.to_owned()),
        }
    }

    fn require_each(
        &mut self,
        found: Found,
        clause: &Range<usize>,
        reason: ProblemReason,
        text: &str,
        find: impl Fn(&Self, Subject) -> Option<usize>,
    ) {
        for subjects in self.group(found, clause) {
            self.require(reason, text, |r| subjects.iter().find_map(|s| find(r, *s)));
        }
    }
}
