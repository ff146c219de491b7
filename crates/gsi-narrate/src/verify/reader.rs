//! Walks a text clause by clause, binds every number and every claim to the subject it stands with, and looks it up.

use super::claims::Found;
use super::figures_in_text::{FigurePlace, Verb};
use super::lexicon::{self, BY_FIRST, Ban, Claim, NEGATORS, NUMBER_WORDS};
use super::names_in_text::{KnownNames, NameMention};
use super::tokens::{Sort, Token, clauses, sentences, tokens};
use super::{ProblemReason, TextProblem, VerifierReport};
use crate::facts::{Fact, FactKey, FactKind, FigureForm, Subject};
use std::ops::Range;

pub struct TextReader<'a> {
    pub(super) facts: &'a [&'a Fact],
    pub(super) partial: bool,
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) mentions: Vec<NameMention>,
    pub(super) phrases: Vec<Found>,
    covered: Vec<bool>,
    /// Facts by position: the first sentence that says them, and whether a figure does.
    linked: Vec<Option<usize>>,
    pub(super) figured: Vec<bool>,
    /// (fact, form, how often).
    pub(super) uses: Vec<(usize, FigureForm, usize)>,
    report: VerifierReport,
    sentence: usize,
    links_here: usize,
    pub(super) events_here: Vec<usize>,
    /// Those whose outlets are counted in this sentence.
    pub(super) told_here: Vec<usize>,
    carry: Vec<Subject>,
    pub(super) first_sentence_words: usize,
}

impl<'a> TextReader<'a> {
    pub fn new(text: &'a str, facts: &'a [&'a Fact], partial: bool) -> Self {
        let tokens = tokens(text);
        let mentions = KnownNames::of(facts).find(&tokens);
        let mut reader = TextReader {
            facts,
            partial,
            covered: vec![false; tokens.len()],
            tokens,
            mentions,
            phrases: Vec::new(),
            linked: vec![None; facts.len()],
            figured: vec![false; facts.len()],
            uses: Vec::new(),
            report: VerifierReport::default(),
            sentence: 0,
            links_here: 0,
            events_here: Vec::new(),
            told_here: Vec::new(),
            carry: Vec::new(),
            first_sentence_words: 0,
        };
        if let Some(mark) = forbidden_mark(text) {
            reader.add_problem(ProblemReason::Format, format!("{mark:?}"));
        }
        reader.find_phrases();
        reader
    }

    pub fn read(&mut self) {
        for mention in &self.mentions {
            self.covered[mention.start..mention.end].fill(true);
        }
        let all = sentences(&self.tokens);
        self.report.sentences = all.len();
        self.report.names = self.mentions.len();
        self.report.claims = self.phrases.iter().filter(|p| p.claim != Claim::Plain).count();
        if let Some(first) = all.first() {
            self.first_sentence_words = self.tokens[first.clone()]
                .iter()
                .filter(|t| matches!(t.sort, Sort::Word | Sort::Number))
                .count();
        }
        for (n, sentence) in all.into_iter().enumerate() {
            self.sentence = n;
            self.links_here = 0;
            self.events_here.clear();
            self.told_here.clear();
            self.check_likelihoods(sentence.clone());
            for clause in clauses(&self.tokens, sentence.clone()) {
                self.check_clause(clause);
            }
            self.check_words(sentence.clone());
            self.check_involved(sentence.clone());
            self.check_whole_sentence(sentence);
        }
    }

    fn find_phrases(&mut self) {
        let mut inside = vec![false; self.tokens.len()];
        for mention in &self.mentions {
            inside[mention.start..mention.end].fill(true);
        }
        // A unit with a number in it (`in 14 days`) belongs to its reading.
        let units: Vec<Vec<Token>> = self
            .facts
            .iter()
            .filter(|f| f.kind == FactKind::Reading)
            .map(|f| tokens(&f.unit))
            .filter(|words| words.len() > 1)
            .collect();
        let mut n = 0;
        while n < self.tokens.len() {
            let rest = &self.tokens[n..];
            let hit = BY_FIRST.get(self.tokens[n].low.as_str()).filter(|_| !inside[n]).and_then(|phrases| {
                phrases
                    .iter()
                    .find(|p| p.words.len() <= rest.len() && p.words.iter().zip(rest).all(|(w, t)| t.is(w)))
            });
            let unit = units.iter().find(|words| {
                words.len() <= rest.len() && words.iter().zip(rest).all(|(w, t)| w.low == t.low)
            });
            let unit = unit.map(Vec::len);
            let step = match (hit, unit) {
                (Some(p), _) => {
                    self.phrases.push(Found { start: n, end: n + p.words.len(), claim: p.claim });
                    p.words.len()
                }
                (None, Some(length)) => {
                    self.phrases.push(Found { start: n, end: n + length, claim: Claim::Plain });
                    length
                }
                (None, None) => 1,
            };
            if step > 1 || hit.is_some() {
                self.covered[n..n + step].fill(true);
            }
            n += step;
        }
    }

    fn check_clause(&mut self, clause: Range<usize>) {
        self.check_places_agree(&clause);
        for n in clause.clone() {
            let word_number = NUMBER_WORDS.iter().any(|w| self.tokens[n].is(w)) && self.counts(n, &clause);
            if self.covered[n] || (self.tokens[n].sort != Sort::Number && !word_number) {
                continue;
            }
            self.report.numbers += 1;
            let numeral = self.place(n, &clause).read(n);
            self.covered[numeral.at..numeral.end].fill(true);
            self.check_number(&numeral, &clause);
        }
        let here: Vec<Found> = self.phrases.iter().copied().filter(|p| clause.contains(&p.start)).collect();
        for found in here {
            self.check_claim(found, &clause);
        }
        if let Some(topic) = self.mentions.iter().find(|m| clause.contains(&m.start)) {
            self.carry = topic.subjects.clone();
        }
    }

    /// `one` is a number only before something that is counted.
    fn counts(&self, n: usize, clause: &Range<usize>) -> bool {
        !self.tokens[n].is("one")
            || (n + 1 < clause.end
                && matches!(
                    self.tokens[n + 1].low.as_str(),
                    "outlet" | "event" | "day" | "feed" | "pillar" | "point" | "points" | "indicator"
                ))
    }

    fn place(&self, n: usize, clause: &Range<usize>) -> FigurePlace<'_, 'a> {
        let before = |p: &&Found| p.end <= n && clause.contains(&p.start);
        let mut verb_at = self.phrases.iter().filter(before).filter_map(|p| match p.claim {
            Claim::Move(_) => Some((p.end, Verb::Move)),
            Claim::Push(_) => Some((p.end, Verb::Push)),
            _ => None,
        });
        let verb = verb_at.next_back();
        FigurePlace {
            tokens: &self.tokens,
            clause: clause.clone(),
            verb: verb.map(|v| v.1),
            verb_adjacent: verb.is_some_and(|v| v.0 == n),
            earlier: self.phrases.iter().any(|p| clause.contains(&p.start) && p.claim == Claim::Earlier),
            indicator: self.bound(n, clause).iter().any(|s| matches!(s, Subject::Indicator(..))),
        }
    }

    /// Whom the token at `n` speaks of: the nearest name before it in its clause, narrowed by what stands around it;
    /// else the nearest after it; else the topic before, or the whole.
    pub(super) fn bound(&self, n: usize, clause: &Range<usize>) -> Vec<Subject> {
        let here: Vec<&NameMention> = self.mentions.iter().filter(|m| clause.contains(&m.start)).collect();
        let mut current: Vec<Subject> = Vec::new();
        for mention in here.iter().filter(|m| m.end <= n) {
            current = narrowed(&current, &mention.subjects);
        }
        if current.is_empty() {
            for mention in here.iter().filter(|m| m.start > n) {
                if !current.is_empty() && !current.iter().any(|s| mention.subjects.contains(s)) {
                    break;
                }
                current = narrowed(&current, &mention.subjects);
            }
        } else if current.len() > 1 {
            // `In Ukraine, 12 outlets report … near Kharkiv`: what follows may still tell which one.
            for mention in here.iter().filter(|m| m.start > n) {
                let both: Vec<Subject> =
                    current.iter().copied().filter(|s| mention.subjects.contains(s)).collect();
                if !both.is_empty() {
                    current = both;
                }
            }
        }
        if current.is_empty() {
            current = self.carry.clone();
            current.push(Subject::Global);
        }
        current
    }

    /// The names of one event belong together: a place, its country and its actors. Where several events follow each
    /// other, each closed by a bracket, all of them share what was said before the first place.
    fn check_places_agree(&mut self, clause: &Range<usize>) {
        let event = |s: &Subject| matches!(s, Subject::Event(_) | Subject::Theater(_));
        let here: Vec<NameMention> = self
            .mentions
            .iter()
            .filter(|m| clause.contains(&m.start) && m.subjects.iter().all(event))
            .cloned()
            .collect();
        let outside = |n: usize| !self.mentions.iter().any(|m| (m.start..m.end).contains(&n));
        let first_place = clause.clone().find(|&n| outside(n) && self.tokens[n].is("near"));
        let closings: Vec<usize> =
            clause.clone().filter(|&n| outside(n) && self.tokens[n].raw == ")").collect();
        let shared: Vec<Subject> = here
            .iter()
            .filter(|m| first_place.is_some_and(|at| m.end <= at))
            .fold(Vec::new(), |all, m| narrowed(&all, &m.subjects));
        let part = |n: usize| closings.iter().filter(|c| **c < n).count();
        let mut current: Vec<Subject> = Vec::new();
        let mut last = 0;
        for mention in here {
            if part(mention.start) > last && !shared.is_empty() {
                last = part(mention.start);
                current = shared.clone();
            }
            if !current.is_empty() && !current.iter().any(|s| mention.subjects.contains(s)) {
                let words: Vec<&str> =
                    self.tokens[mention.start..mention.end].iter().map(|t| t.raw).collect();
                self.add_problem(ProblemReason::Name, format!("{} does not belong here", words.join(" ")));
                return;
            }
            current = narrowed(&current, &mention.subjects);
        }
    }

    /// Nobody is named: what is claimed here is claimed of all, and the facts speak of each by itself.
    pub(super) fn is_collective(&self, clause: &Range<usize>) -> bool {
        let all =
            ["pillar", "pillars", "all", "every", "each", "both", "others", "rest", "they", "these", "those"];
        !self.mentions.iter().any(|m| clause.contains(&m.start))
            && self.tokens[clause.clone()].iter().any(|t| all.contains(&t.low.as_str()))
    }

    /// Who is involved is said to be involved. `Violence by A`, `A brought violence` and `macro added points to conflict`
    /// say who did what to whom, and no source of ours knows that.
    fn check_involved(&mut self, sentence: Range<usize>) {
        let here: Vec<NameMention> =
            self.mentions.iter().filter(|m| sentence.contains(&m.start)).cloned().collect();
        let inside = |n: usize| here.iter().any(|m| (m.start..m.end).contains(&n));
        for mention in &here {
            let words: Vec<&str> = self.tokens[mention.start..mention.end].iter().map(|t| t.raw).collect();
            let same = |name: &String| {
                let bare = name.strip_prefix("the ").unwrap_or(name);
                tokens(bare).iter().map(|t| t.raw).eq(words.iter().copied())
            };
            let facts = || self.facts.iter().filter(|f| mention.subjects.contains(&f.subject));
            let side = facts().any(|f| f.sides.iter().any(same));
            let place = facts().any(|f| f.names.iter().any(|n| same(n) && !f.sides.contains(n)));
            let before = mention.start.checked_sub(1).filter(|n| sentence.contains(n));
            let word = before.map_or("", |n| self.tokens[n].low.as_str());
            let named = words.join(" ");
            if side && !place {
                let mut n = mention.start;
                while n > sentence.start
                    && (inside(n - 1)
                        || matches!(self.tokens[n - 1].low.as_str(), "," | "and" | "both" | "the"))
                {
                    n -= 1;
                }
                let said =
                    n > sentence.start && matches!(self.tokens[n - 1].low.as_str(), "involving" | "between");
                if !said {
                    self.add_problem(ProblemReason::Blame, named);
                }
            } else if side && matches!(word, "by" | "against" | "for" | "with") {
                self.add_problem(ProblemReason::Blame, format!("{word} {named}"));
            } else if mention
                .subjects
                .iter()
                .any(|s| matches!(s, Subject::Pillar(_) | Subject::Indicator(..)))
            {
                let pushed = self.phrases.iter().any(|p| {
                    sentence.contains(&p.start)
                        && p.end <= mention.start
                        && matches!(p.claim, Claim::Push(_) | Claim::Move(_))
                });
                if pushed && matches!(word, "to" | "into" | "from" | "through" | "against") {
                    self.add_problem(ProblemReason::Causal, format!("{word} {named}"));
                }
            }
        }
        let since: Vec<usize> = sentence.clone().filter(|n| self.tokens[*n].is("since")).collect();
        for n in since {
            let next = self.tokens.get(n + 1);
            let dated = next.is_some_and(|t| {
                t.sort == Sort::Number || lexicon::MONTHS.contains(&t.low.as_str()) || t.is("the")
            });
            if !dated {
                self.add_problem(ProblemReason::Causal, "since".to_owned());
            }
        }
    }

    /// Every word that is no name, no number and no known phrase.
    fn check_words(&mut self, sentence: Range<usize>) {
        for n in sentence.clone() {
            let token = &self.tokens[n];
            if self.covered[n] || token.sort != Sort::Word {
                continue;
            }
            let low = token.low.clone();
            let opens = n == sentence.start || self.tokens[n - 1].raw == ":";
            // Nearly every word of an honest text ends here; the vocabulary holds no word of the other lists.
            if lexicon::is_known(&low) && (opens || !token.is_capital() || low == "utc") {
                continue;
            }
            let reason = match lexicon::ban(&low) {
                Some(Ban::Causal) => Some(ProblemReason::Causal),
                Some(Ban::Advice) => Some(ProblemReason::Advice),
                Some(Ban::Future) => Some(ProblemReason::Future),
                Some(Ban::Blame) => Some(ProblemReason::Blame),
                Some(Ban::Vague) => Some(ProblemReason::Number),
                None if lexicon::LOOSE_LIKELIHOOD.contains(&low.as_str()) => Some(ProblemReason::Likelihood),
                None if NEGATORS.contains(&low.as_str()) || low.ends_with("n't") || low.ends_with("n’t") => {
                    Some(ProblemReason::Negation)
                }
                None if lexicon::LIKELIHOOD.iter().any(|l| l.0.split(' ').any(|w| w == low))
                    && !lexicon::is_known(&low) =>
                {
                    None
                }
                None if token.is_capital() && !opens && low != "utc" => Some(ProblemReason::Name),
                None if !lexicon::is_known(&low) => {
                    Some(if token.is_capital() { ProblemReason::Name } else { ProblemReason::Word })
                }
                None => None,
            };
            if let Some(reason) = reason {
                self.add_problem(reason, low);
            }
        }
    }

    /// Words of likelihood need a calibrated probability, and stay out of sentences about confidence.
    fn check_likelihoods(&mut self, sentence: Range<usize>) {
        let words: Vec<&str> = self.tokens[sentence.clone()].iter().map(|t| t.low.as_str()).collect();
        let mut taken = vec![false; words.len()];
        let mut found: Vec<(&str, f64, f64)> = Vec::new();
        for entry in lexicon::LIKELIHOOD {
            let parts: Vec<&str> = entry.0.split(' ').collect();
            for start in 0..words.len().saturating_sub(parts.len() - 1) {
                let range = start..start + parts.len();
                if words[range.clone()] == parts[..] && !taken[range.clone()].contains(&true) {
                    taken[range].fill(true);
                    found.push(entry);
                }
            }
        }
        if found.is_empty() {
            return;
        }
        for (n, taken) in taken.iter().enumerate() {
            if *taken {
                self.covered[sentence.start + n] = true;
            }
        }
        if words.contains(&"confidence") {
            self.add_problem(ProblemReason::LikelihoodWithConfidence, found[0].0.to_owned());
        }
        for (word, low, high) in found {
            let supported = self.facts.iter().any(|f| f.probability.is_some_and(|p| p >= low && p <= high));
            if !supported {
                self.add_problem(ProblemReason::Likelihood, word.to_owned());
            }
        }
    }

    fn check_whole_sentence(&mut self, sentence: Range<usize>) {
        let says = |reader: &Self, claim: Claim| {
            reader.phrases.iter().any(|p| sentence.contains(&p.start) && p.claim == claim)
        };
        let lone = self.events_here.iter().any(|e| self.facts[*e].unit == "unconfirmed");
        if lone && !says(self, Claim::Unconfirmed) {
            self.add_problem(ProblemReason::Status, "unconfirmed".to_owned());
        }
        // Each event told is told as what it is.
        let kinds = self.kinds(&sentence);
        let mistold = |e: &usize| !kinds.iter().any(|k| k == self.facts[*e].word);
        if self.told_here.iter().any(mistold) {
            self.add_problem(ProblemReason::Category, kinds.join(", "));
        }
        let assessed = self.mentions.iter().any(|m| {
            sentence.contains(&m.start)
                && m.subjects.iter().any(|s| matches!(s, Subject::Global | Subject::Pillar(_)))
        });
        if assessed && !self.events_here.is_empty() {
            self.add_problem(ProblemReason::MixedReporting, String::new());
        }
        if self.links_here == 0 {
            let opening: Vec<&str> = self.tokens[sentence].iter().take(6).map(|t| t.raw).collect();
            self.add_problem(ProblemReason::Unlinked, opening.join(" "));
        }
    }

    pub(super) fn link(&mut self, fact: usize) {
        self.linked[fact].get_or_insert(self.sentence);
        self.links_here += 1;
    }

    fn position(&self, key: FactKey) -> Option<usize> {
        self.facts.iter().position(|f| f.kind == key.0 && f.subject == key.1)
    }

    pub fn has_link(&self, key: FactKey) -> bool {
        self.said_in(key).is_some()
    }

    /// The first sentence that says this fact, counted from 0.
    pub fn said_in(&self, key: FactKey) -> Option<usize> {
        self.position(key).and_then(|n| self.linked[n])
    }

    pub fn has_figure(&self, key: FactKey) -> bool {
        self.position(key).is_some_and(|n| self.figured[n])
    }

    pub fn add_problem(&mut self, reason: ProblemReason, detail: String) {
        self.add_problem_at(self.sentence, reason, detail);
    }

    pub fn add_problem_at(&mut self, sentence: usize, reason: ProblemReason, detail: String) {
        // An extract of what may be a hostile text is kept short.
        let detail = detail.chars().take(60).collect();
        self.report.problems.push(TextProblem { reason, sentence, detail });
    }

    /// A problem of the text as a whole, after those of its sentences.
    pub fn add_problem_at_end(&mut self, reason: ProblemReason, detail: String) {
        self.add_problem_at(self.report.sentences, reason, detail);
    }

    pub fn finish(self) -> VerifierReport {
        self.report
    }
}

/// The subjects two names have in common, or the newer name's when they have none.
fn narrowed(current: &[Subject], next: &[Subject]) -> Vec<Subject> {
    let both: Vec<Subject> = current.iter().copied().filter(|s| next.contains(s)).collect();
    if both.is_empty() { next.to_vec() } else { both }
}

fn forbidden_mark(text: &str) -> Option<char> {
    text.chars().find(|c| {
        let plain = c.is_alphanumeric()
            || matches!(
                c,
                ' ' | '\n'
                    | '.'
                    | ','
                    | ';'
                    | ':'
                    | '('
                    | ')'
                    | '%'
                    | '+'
                    | '-'
                    | '−'
                    | '\''
                    | '’'
                    | '/'
                    | '&'
            );
        !plain
    })
}
