//! Compares a text with the world it was made from. The checker has its own formats, names and thresholds: it shares no code
//! with the templates and does not know their facts.

use super::worlds::{FEEDS, World, indicators};
use gsi_model::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tag {
    Global,
    Coverage,
    Pillar(usize),
    Indicator(usize, usize),
    /// A country, a place or an actor.
    Name,
    Feed(usize),
    /// A country's score.
    Country(CountryCode),
}

#[derive(Clone, Debug)]
enum Item {
    Tag(Tag, String),
    Word(String),
}

impl Item {
    fn word(&self) -> &str {
        match self {
            Item::Word(w) => w,
            Item::Tag(..) => "",
        }
    }
}

const PILLARS: [&str; 4] = ["conflict", "cyber", "supply chain", "macro"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const CATEGORY: [&str; 5] = ["violence", "military moves", "threats", "coercive measures", "unrest"];
const RISE: [&str; 6] = ["rose", "rises", "risen", "up", "climbed", "rising"];
const FALL: [&str; 6] = ["fell", "falls", "fallen", "down", "dropped", "falling"];
const RESTFUL: [&str; 9] = [
    "calm",
    "quiet",
    "stable",
    "steady",
    "unchanged",
    "little changed",
    "guarded band",
    "settled",
    "is flat",
];

const ROLES: [&str; 6] = ["military", "government", "rebels", "armed group", "police", "insurgents"];

pub struct Checker<'w> {
    world: &'w World,
    names: Vec<(String, Tag)>,
    partial: bool,
    /// The publication time of the briefing that the text corrects.
    pub corrected: Option<Timestamp>,
    pub errors: Vec<String>,
}

fn half_away(v: f64, places: i32) -> f64 {
    let scale = 10f64.powi(places);
    ((v.abs() * scale + 0.5 + 1e-9).floor() / scale).copysign(v)
}

fn whole(v: f64) -> String {
    format!("{}", half_away(v, 0).abs() as i64)
}

fn tenth(v: f64) -> String {
    let v = half_away(v, 1).abs();
    format!("{}.{}", v as i64, (v * 10.0 + 0.5) as i64 % 10)
}

fn close(text: &str, value: f64, relative: f64) -> bool {
    text.parse::<f64>().is_ok_and(|t| (t - value).abs() <= relative * value.abs() + 1e-9)
}

/// Returns the names that a sentence about an event may use: the first part of its place, its actors with or without role.
fn said_names(e: &Event) -> Vec<String> {
    let tidy = |raw: &str| {
        let words: Vec<&str> = raw.split_whitespace().collect();
        words.join(" ").trim_matches(|c: char| !c.is_alphanumeric() && c != ')').to_owned()
    };
    let town = tidy(e.place.split(',').next().unwrap_or(""));
    let mut names = vec![town.trim_start_matches("The ").to_owned(), town];
    for a in &e.actors {
        names.push(tidy(a));
        names.push(tidy(a.split('(').next().unwrap_or("")));
        // `Police (France)` may be phrased as police in France.
        let bracketed = a.split_once('(').map_or("", |(_, inside)| inside.trim_end_matches(')'));
        if bracketed.starts_with(char::is_uppercase) {
            names.push(bracketed.to_owned());
        }
    }
    names.retain(|n| !n.is_empty() && !MONTHS.contains(&n.as_str()));
    names
}

fn plain(country: CountryCode) -> String {
    country.name().trim_start_matches("The ").replace('.', "")
}

impl<'w> Checker<'w> {
    pub fn new(world: &'w World) -> Self {
        let mut names: Vec<(String, Tag)> =
            vec![("global score".into(), Tag::Global), ("data coverage".into(), Tag::Coverage)];
        names.extend(PILLARS.iter().enumerate().map(|(n, p)| ((*p).to_owned(), Tag::Pillar(n))));
        for (p, pillar) in Pillar::ALL.into_iter().enumerate() {
            for (i, indicator) in indicators(pillar).enumerate() {
                let prose = indicator.words.as_ref().map_or("novel thing measure", |w| &w.name);
                names.push((prose.trim_start_matches("the ").to_owned(), Tag::Indicator(p, i)));
            }
        }
        names.extend(
            FEEDS
                .iter()
                .enumerate()
                .map(|(n, f)| (f.1.split(':').next().unwrap_or("").to_owned(), Tag::Feed(n))),
        );
        for e in &world.events {
            if let Some(c) = e.country {
                names.push((plain(c), Tag::Name));
            }
            for name in said_names(e) {
                names.push((name, Tag::Name));
            }
        }
        for c in world.countries.iter().flat_map(|s| &s.countries) {
            for article in ["", "the "] {
                let name = format!("score of {article}{}", plain(c.country));
                names.push((format!("country {name}"), Tag::Country(c.country)));
                names.push((name, Tag::Country(c.country)));
            }
        }
        names.retain(|n| !n.0.is_empty());
        names.sort_by_key(|n| std::cmp::Reverse(n.0.len()));
        let s = &world.snapshot;
        let partial = s.status != DataStatus::Ok
            || s.pillars.iter().any(|p| p.status != PillarStatus::Ok)
            || world
                .feeds
                .iter()
                .any(|f| f.feed != "usgs" && matches!(f.health, FeedHealth::Stale | FeedHealth::Never));
        Checker { world, names, partial, corrected: None, errors: Vec::new() }
    }

    fn fail(&mut self, what: impl Into<String>) {
        self.errors.push(what.into());
    }

    pub fn text(&mut self, text: &str) {
        self.grammar(text);
        for line in text.split('\n').filter(|l| !l.is_empty()) {
            for sentence in split_sentences(line) {
                self.sentence(&sentence);
            }
        }
    }

    pub fn summary(&mut self, text: &str) {
        let count = text.split_whitespace().count();
        if !(60..=160).contains(&count) {
            self.fail(format!("{count} words"));
        }
        let low = text.to_lowercase();
        for p in PILLARS {
            if !low.contains(p) {
                self.fail(format!("{p} is not named"));
            }
        }
        if self.world.snapshot.simulated != low.contains("simulated") {
            self.fail("simulated or not");
        }
        let gap = self.world.feeds.iter().any(|f| f.feed != "usgs" && f.health != FeedHealth::Ok);
        if gap != (low.contains("missing or late") || low.contains("gaps in")) {
            self.fail("gaps are stated or not");
        }
        for p in &self.world.snapshot.pillars {
            let held = p.status == PillarStatus::Unavailable;
            if held && !(low.contains("held") && low.contains("fresh data")) {
                self.fail("a pillar without data is not said to be held");
            }
        }
        self.text(text);
    }

    fn grammar(&mut self, text: &str) {
        for slip in [
            "  ",
            " ,",
            " .",
            "..",
            ",,",
            " ;",
            "()",
            "( ",
            " )",
            ",.",
            ";.",
            ":.",
            " and and ",
            " the the ",
            "and .",
            "among them.",
            "(nan",
            " nan ",
            " inf ",
            "-0.0",
            "the The",
        ] {
            if text.to_lowercase().contains(&slip.to_lowercase()) {
                self.fail(format!("slip {slip:?}"));
            }
        }
        if text.matches('(').count() != text.matches(')').count() {
            self.fail("brackets");
        }
        let words: Vec<&str> =
            text.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())).collect();
        let raw: Vec<&str> = text.split_whitespace().collect();
        for (n, pair) in words.windows(2).enumerate() {
            // Words on both sides of a comma are not a pair.
            if raw[n].ends_with([',', '.', ';', ':', ')']) {
                continue;
            }
            let plural =
                ["outlets", "events", "feeds", "days", "pillars", "indicators", "are", "report", "have"];
            if pair[0] == "1" && plural.contains(&pair[1]) {
                self.fail(format!("{} {}", pair[0], pair[1]));
            }
            let first = pair[0].to_lowercase();
            // `The score of the Palestinian Territories is` is singular.
            let of_score = words[n.saturating_sub(5)..n].contains(&"score");
            if first == "territories" && !of_score && ["has", "is", "stands", "counts"].contains(&pair[1]) {
                self.fail(format!("{} {}", pair[0], pair[1]));
            }
            let singular = ["outlet", "event", "feed", "pillar"];
            if pair[0].parse::<u32>().is_ok_and(|n| n != 1) && singular.contains(&pair[1]) {
                self.fail(format!("{} {}", pair[0], pair[1]));
            }
            let next = pair[1].to_lowercase();
            let vowel = next.starts_with(['a', 'e', 'i', 'o']) || next.starts_with("un");
            if (pair[0] == "a" && vowel && pair[1] != "one") || (pair[0] == "an" && !vowel) {
                self.fail(format!("{} {}", pair[0], pair[1]));
            }
            if pair[0] == pair[1] && pair[0].chars().all(char::is_alphabetic) && !pair[0].is_empty() {
                self.fail(format!("{} twice", pair[0]));
            }
        }
        for line in text.split('\n').filter(|l| !l.is_empty()) {
            if !line.ends_with('.') || !line.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) {
                self.fail("a paragraph begins or ends badly");
            }
        }
    }

    /// Splits a clause into tags for names and words without marks.
    fn items(&self, clause: &str) -> Vec<Item> {
        let mut out = Vec::new();
        let mut rest = clause;
        while !rest.is_empty() {
            let first = rest.as_bytes()[0].to_ascii_lowercase();
            let at_word = |n: &str| {
                n.as_bytes()[0].to_ascii_lowercase() == first
                    && rest.get(..n.len()).is_some_and(|head| {
                        head == n
                            || (head.eq_ignore_ascii_case(n)
                                && n.bytes().all(|c| c.is_ascii_lowercase() || c == b' '))
                    })
                    && !rest[n.len()..].starts_with(char::is_alphanumeric)
            };
            if let Some((name, tag)) = self.names.iter().find(|n| at_word(&n.0)) {
                out.push(Item::Tag(*tag, name.clone()));
                rest = &rest[name.len()..];
                continue;
            }
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            // A name may follow an opening bracket.
            let end = if rest.starts_with('(') { 1 } else { end.max(1) };
            let word = rest[..end].trim_matches(|c: char| matches!(c, ',' | '.' | '(' | ')' | ':'));
            if !word.is_empty() {
                out.push(Item::Word(word.to_owned()));
            }
            rest = rest[end..].trim_start();
        }
        out
    }

    fn sentence(&mut self, sentence: &str) {
        let low = sentence.to_lowercase();
        if self.partial {
            for word in RESTFUL
                .iter()
                .filter(|w| low.contains(*w) && !low.contains("less stable") && !low.contains("points"))
            {
                self.fail(format!("{word:?} while data are missing: {sentence}"));
            }
        }
        if low.contains("outlet")
            && low.chars().any(|c| c.is_ascii_digit())
            && low.contains("escalation")
            && !low.contains("active")
        {
            for one in each_event(sentence) {
                self.event(&one);
            }
            return;
        }
        if low.contains(" days") && (low.contains("reconstructed") || low.contains("published")) {
            return self.days(sentence);
        }
        for clause in sentence.split(';') {
            self.clause(clause.trim(), sentence);
        }
    }

    /// Checks that one event has everything that the sentence states.
    fn event(&mut self, sentence: &str) {
        let items = self.items(sentence);
        let words: Vec<&str> = items.iter().map(Item::word).collect();
        let low = sentence.to_lowercase();
        let now = self.world.snapshot.tick;
        let fits = self.world.events.iter().any(|e| {
            let count = e.domains.max(1).to_string();
            let noun = if count == "1" { "outlet" } else { "outlets" };
            let counted = words.windows(2).any(|w| w[0] == count && w[1].starts_with(noun));
            let escalation = format!("{:.2}", half_away(e.escalation, 2));
            let category = CATEGORY[Category::ALL.iter().position(|c| *c == e.category).expect("a category")];
            let named = items.iter().all(|i| match i {
                Item::Tag(Tag::Name, name) => {
                    e.country.is_some_and(|c| plain(c) == *name) || said_names(e).contains(name)
                }
                Item::Tag(..) => false,
                Item::Word(w) => w.parse::<f64>().is_err() || *w == count || *w == escalation,
            });
            let placed = e.country.is_none_or(|c| sentence.contains(&plain(c)));
            // Roles must be the event's, with or without the names they belong to.
            let involved = low.split_once("involving").map_or("", |(_, who)| who);
            let is_role = |role: &&&str| involved.contains(**role);
            let played = |role: &&str| e.actors.iter().any(|a| a.to_lowercase().contains(role));
            let cast = ROLES.iter().filter(is_role).all(played);
            let lone = (e.status == EventStatus::Unconfirmed) == low.contains("unconfirmed");
            now.since(e.last_activity) <= DAY
                && counted
                && words.contains(&escalation.as_str())
                && low.contains(category)
                && named
                && placed
                && cast
                && lone
        });
        if !fits {
            self.fail(format!("no such event: {sentence}"));
        }
        self.capitals(&items, sentence);
    }

    fn capitals(&mut self, items: &[Item], sentence: &str) {
        for (n, item) in items.iter().enumerate().skip(1) {
            let w = item.word();
            let after_colon = sentence.contains(&format!(": {w}"));
            if w.starts_with(char::is_uppercase)
                && w != "UTC"
                && !MONTHS.contains(&w)
                && !after_colon
                && n > 0
            {
                self.fail(format!("name {w}: {sentence}"));
            }
        }
    }

    fn clause(&mut self, clause: &str, sentence: &str) {
        let items = self.items(clause);
        self.capitals(&items, sentence);
        let words: Vec<String> = items.iter().map(|i| i.word().to_lowercase()).collect();
        let low = clause.to_lowercase();
        // A clause without a name is about the first name of its sentence.
        let whole = self.items(sentence);
        let subject = |n: usize| -> (Tag, String) {
            let tag = |i: &Item| if let Item::Tag(t, name) = i { Some((*t, name.clone())) } else { None };
            items[..n]
                .iter()
                .rev()
                .find_map(tag)
                .or_else(|| items[n..].iter().find_map(tag))
                .or_else(|| whole.iter().find_map(tag))
                .unwrap_or((Tag::Global, String::new()))
        };
        for n in 0..items.len() {
            let next = |k: usize| words.get(n + k).map_or("", String::as_str);
            let back = |k: usize| if n >= k { words[n - k].as_str() } else { "" };
            let w = words[n].as_str();
            let is_move =
                (RISE.contains(&w) || FALL.contains(&w)) && next(1) != "to" && !back(1).starts_with("make");
            if is_move && !low.contains("trend") {
                self.motion(subject(n).0, RISE.contains(&w), &low, sentence);
            }
            if !w.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-') {
                continue;
            }
            let ok = self.number(w, n, &words, &low, &subject(n));
            if !ok {
                self.fail(format!("{w} in: {sentence}"));
            }
        }
        let about = subject(0).0;
        self.claims(&items, &low, about, sentence);
    }

    fn country(&self, code: CountryCode) -> Option<&CountryScore> {
        self.world.countries.as_ref()?.countries.iter().find(|c| c.country == code)
    }

    fn delta(&self, tag: Tag) -> Option<f64> {
        let s = &self.world.snapshot;
        let (score, change) = match tag {
            Tag::Global => (s.score, s.delta_24h?),
            Tag::Pillar(p) => (s.pillars[p].score, s.pillars[p].delta_24h?),
            Tag::Country(c) => {
                let country = self.country(c).filter(|c| !c.silent)?;
                (country.score?, country.delta_24h?)
            }
            _ => return None,
        };
        // The change is the difference of the scores rounded to one decimal.
        let tenths = |x: f64| (half_away(x, 1) * 10.0).round();
        Some((tenths(score) - tenths(score - change)) / 10.0)
    }

    fn motion(&mut self, tag: Tag, up: bool, low: &str, sentence: &str) {
        if low.contains("in a row") || low.contains("running") {
            return self.streak(up, sentence);
        }
        let held = matches!(tag, Tag::Pillar(p) if self.world.snapshot.pillars[p].status == PillarStatus::Unavailable);
        let right = self.delta(tag).is_some_and(|d| half_away(d.abs(), 1) >= 3.0 && (d > 0.0) == up) && !held;
        if !right {
            self.fail(format!("direction of {tag:?}: {sentence}"));
        }
    }

    fn streak(&mut self, up: bool, sentence: &str) {
        let s = &self.world.snapshot;
        let days: u32 = sentence.split_whitespace().find_map(|w| w.parse().ok()).unwrap_or(0);
        let mut newer = s.score;
        for back in 1..=days {
            let day = s.tick.minus(1).day().0 - back as i32;
            let close =
                self.world.history.iter().rev().find(|(t, _)| t.minus(1).day().0 == day && *t < s.tick);
            let Some((_, value)) = close else {
                return self.fail(format!("streak without closes: {sentence}"));
            };
            if half_away(newer - value, 1) == 0.0 || (newer > *value) != up {
                return self.fail(format!("streak: {sentence}"));
            }
            newer = *value;
        }
        if days < 3 {
            self.fail(format!("short streak: {sentence}"));
        }
    }
}

mod days;
mod figures;

/// Splits a sentence about several events, `outlets report violence involving A near B (…), near C (…)`, into one for each.
fn each_event(sentence: &str) -> Vec<String> {
    let brackets = sentence.matches(", escalation ").count();
    let Some((head, places)) = sentence.split_once(" near ").filter(|_| brackets > 1) else {
        return vec![sentence.to_owned()];
    };
    // The closing bracket ends an entry. Brackets of roles such as `(military)` are in the head.
    places
        .split_inclusive(')')
        .filter(|p| p.contains("escalation"))
        .map(|p| {
            format!(
                "{head} near {}",
                p.trim_start_matches([',', ' ']).trim_start_matches("and ").trim_start_matches("near ")
            )
        })
        .collect()
}

fn split_sentences(line: &str) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let mut out = Vec::new();
    let mut current = String::new();
    for (n, c) in chars.iter().enumerate() {
        current.push(*c);
        let ends = *c == '.' && chars.get(n + 1).is_none_or(|n| n.is_whitespace());
        if ends {
            out.push(current.trim().trim_end_matches('.').to_owned());
            current.clear();
        }
    }
    if !current.trim().is_empty() {
        out.push(current.trim().to_owned());
    }
    out
}
