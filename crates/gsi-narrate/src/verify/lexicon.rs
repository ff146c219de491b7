//! The words the verifier knows: phrases that claim something, words that are never used, and a closed vocabulary for
//! the rest. Closed on purpose: an invented actor need not carry a capital letter to be a lie.

use crate::facts::Sign;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The two kinds of days that a score is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedDays {
    Reconstructed,
    Published,
}

/// What a phrase asserts about the subject it stands with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing by itself; the phrase is fixed so that its words cannot be turned around.
    Plain,
    Move(Sign),
    Flat,
    NoMove,
    NoPillarNews,
    Push(Sign),
    MainPush,
    LedBy,
    Lead,
    TopInput,
    /// The next subject is the top input.
    RestsMostOn,
    Extreme(Sign),
    RecordBegan,
    Calm,
    /// A band, named as one.
    Band,
    /// A country's score came into a band, or left one.
    IntoBand,
    OutOfBand,
    /// A word that is a band or a confidence, depending on where it stands.
    Grade,
    Partial,
    Stale,
    Thin,
    Held,
    HeldBack,
    Gap,
    Nothing,
    OnTime,
    NoValue,
    NoBaseline,
    Usual,
    Unusual,
    Above,
    /// `reconstructed days` and `published days`: which days a place is among.
    DaysCompared(ComparedDays),
    /// So many of those days had a lower score.
    LowerOnDays,
    /// The last time it was as high, among the days that the clause names.
    LastHigh,
    NeverHigh,
    /// As high up to now.
    HighNow,
    DayAlone,
    Category,
    Unconfirmed,
    Disagree,
    ShortHistories,
    CoverageLimit,
    SameWay,
    Rare,
    Scale,
    Simulated,
    WrittenLate,
    Corrects,
    /// The reason of a correction, which is the one that was given and no other.
    CorrectedFor,
    Earlier,
    StandsOut,
    /// `the high band begins at`.
    Edge,
    /// What would change the view of a theater.
    WouldChange,
}

const UP: Sign = Sign::Up;
const DOWN: Sign = Sign::Down;

const PHRASES: &[(&str, Claim)] = &[
    ("rose", Claim::Move(UP)),
    ("rise", Claim::Move(UP)),
    ("rises", Claim::Move(UP)),
    ("risen", Claim::Move(UP)),
    ("rising", Claim::Move(UP)),
    ("up", Claim::Move(UP)),
    ("upward", Claim::Move(UP)),
    ("climbed", Claim::Move(UP)),
    ("climb", Claim::Move(UP)),
    ("climbing", Claim::Move(UP)),
    ("increased", Claim::Move(UP)),
    ("increase", Claim::Move(UP)),
    ("gained", Claim::Move(UP)),
    ("gain", Claim::Move(UP)),
    ("higher", Claim::Move(UP)),
    ("worsened", Claim::Move(UP)),
    ("deteriorated", Claim::Move(UP)),
    ("less stable", Claim::Move(UP)),
    ("fell", Claim::Move(DOWN)),
    ("fall", Claim::Move(DOWN)),
    ("falls", Claim::Move(DOWN)),
    ("fallen", Claim::Move(DOWN)),
    ("falling", Claim::Move(DOWN)),
    ("down", Claim::Move(DOWN)),
    ("downward", Claim::Move(DOWN)),
    ("dropped", Claim::Move(DOWN)),
    ("drop", Claim::Move(DOWN)),
    ("declined", Claim::Move(DOWN)),
    ("decline", Claim::Move(DOWN)),
    ("decreased", Claim::Move(DOWN)),
    ("lower", Claim::Move(DOWN)),
    ("eased", Claim::Move(DOWN)),
    ("improved", Claim::Move(DOWN)),
    ("more stable", Claim::Move(DOWN)),
    ("up to", Claim::Plain),
    ("makes up", Claim::Plain),
    ("make up", Claim::Plain),
    ("made up", Claim::Plain),
    ("little changed", Claim::Flat),
    ("unchanged", Claim::Flat),
    ("steady", Claim::Flat),
    ("flat", Claim::Flat),
    ("barely moved", Claim::Flat),
    ("no move of 3 points or more", Claim::NoMove),
    ("no pillar moved by 3 points or more", Claim::NoPillarNews),
    ("added", Claim::Push(UP)),
    ("adding", Claim::Push(UP)),
    ("adds", Claim::Push(UP)),
    ("contributed", Claim::Push(UP)),
    ("contributing", Claim::Push(UP)),
    ("took off", Claim::Push(DOWN)),
    ("taking off", Claim::Push(DOWN)),
    ("takes off", Claim::Push(DOWN)),
    ("subtracted", Claim::Push(DOWN)),
    ("main driver", Claim::MainPush),
    ("led by", Claim::LedBy),
    ("largest share", Claim::Lead),
    ("more than any other pillar", Claim::Lead),
    ("largest single part", Claim::TopInput),
    ("rests most on", Claim::RestsMostOn),
    ("stands out", Claim::StandsOut),
    ("reporting gathers on", Claim::StandsOut),
    ("highest", Claim::Extreme(UP)),
    ("lowest", Claim::Extreme(DOWN)),
    ("record began", Claim::RecordBegan),
    ("calm", Claim::Calm),
    ("quiet", Claim::Calm),
    ("stable", Claim::Calm),
    ("settled", Claim::Calm),
    ("peaceful", Claim::Calm),
    ("tranquil", Claim::Calm),
    ("benign", Claim::Calm),
    ("relaxed", Claim::Calm),
    ("safe", Claim::Calm),
    ("normal", Claim::Calm),
    ("reassuring", Claim::Calm),
    ("uneventful", Claim::Calm),
    ("guarded band begins at", Claim::Edge),
    ("elevated band begins at", Claim::Edge),
    ("high band begins at", Claim::Edge),
    ("severe band begins at", Claim::Edge),
    ("would change it", Claim::WouldChange),
    ("into the high band", Claim::IntoBand),
    ("into the severe band", Claim::IntoBand),
    ("out of the high band", Claim::OutOfBand),
    ("out of the severe band", Claim::OutOfBand),
    ("calm band", Claim::Band),
    ("guarded band", Claim::Band),
    ("elevated band", Claim::Band),
    ("high band", Claim::Band),
    ("severe band", Claim::Band),
    ("guarded", Claim::Grade),
    ("elevated", Claim::Grade),
    ("high", Claim::Grade),
    ("severe", Claim::Grade),
    ("moderate", Claim::Grade),
    ("low", Claim::Grade),
    ("partial data", Claim::Partial),
    ("stale data", Claim::Stale),
    ("thin data", Claim::Thin),
    ("thin", Claim::Thin),
    ("cannot be scored", Claim::Held),
    ("held at", Claim::Held),
    ("too little fresh data", Claim::Held),
    ("want of fresh data", Claim::Held),
    ("held back", Claim::HeldBack),
    ("jump", Claim::HeldBack),
    ("jumped", Claim::HeldBack),
    ("missing or late", Claim::Gap),
    ("missing", Claim::Gap),
    ("late", Claim::Gap),
    ("gaps in", Claim::Gap),
    ("silent", Claim::Gap),
    ("nothing received", Claim::Nothing),
    ("on time", Claim::OnTime),
    ("no value", Claim::NoValue),
    ("no score from 24 hours ago", Claim::NoBaseline),
    ("without a score from 24 hours ago", Claim::NoBaseline),
    ("within the usual daily range", Claim::Usual),
    ("beyond the usual daily range", Claim::Unusual),
    ("usual pace", Claim::Plain),
    ("usual level", Claim::Plain),
    ("would move it most", Claim::Plain),
    ("above its level on", Claim::Above),
    ("was below this", Claim::Above),
    ("above", Claim::Extreme(Sign::Flat)),
    ("below", Claim::Extreme(Sign::Flat)),
    ("reconstructed days", Claim::DaysCompared(ComparedDays::Reconstructed)),
    ("published days", Claim::DaysCompared(ComparedDays::Published)),
    ("the global score was lower", Claim::LowerOnDays),
    ("had a lower global score", Claim::LowerOnDays),
    ("the last as high were", Claim::LastHigh),
    ("the last as high was", Claim::LastHigh),
    ("none was as high", Claim::NeverHigh),
    ("has been this high", Claim::HighNow),
    ("for that day alone", Claim::DayAlone),
    ("ending on", Claim::Plain),
    ("violence", Claim::Category),
    ("military moves", Claim::Category),
    ("threats", Claim::Category),
    ("coercive measures", Claim::Category),
    ("unrest", Claim::Category),
    ("unconfirmed", Claim::Unconfirmed),
    ("disagree", Claim::Disagree),
    ("short histories", Claim::ShortHistories),
    ("limited by inputs at", Claim::CoverageLimit),
    ("the same way", Claim::SameWay),
    ("rare level", Claim::Rare),
    ("higher score is less stable", Claim::Scale),
    ("higher one is less stable", Claim::Scale),
    ("simulated data", Claim::Simulated),
    ("simulated", Claim::Simulated),
    ("written late", Claim::WrittenLate),
    ("corrects the briefing", Claim::Corrects),
    ("a publisher has revised its data", Claim::CorrectedFor),
    ("data that was missing has come in", Claim::CorrectedFor),
    ("its text was not supported by its facts", Claim::CorrectedFor),
    ("the briefing of", Claim::Earlier),
    ("not in the world", Claim::Plain),
    // Words that would compare, order or explain on their own are known only where they stand like this.
    ("a second look", Claim::Plain),
    ("would move it first", Claim::Plain),
    ("wider picture", Claim::Plain),
    ("wider reporting", Claim::Plain),
    ("data behind", Claim::Plain),
    ("inputs behind", Claim::Plain),
    ("histories behind", Claim::Plain),
    ("short histories behind", Claim::ShortHistories),
    ("such as", Claim::Plain),
    ("so much that", Claim::Plain),
    ("so the net change hides both", Claim::Plain),
    ("moved the same way", Claim::SameWay),
    ("point the same way", Claim::SameWay),
    ("reached on", Claim::Plain),
    ("on only", Claim::Plain),
    ("on record", Claim::Plain),
    ("the move is", Claim::Plain),
    ("such a move", Claim::Plain),
    ("of that move", Claim::Plain),
    ("what changed", Claim::Plain),
    ("as too little fresh data", Claim::Held),
    ("no link between them", Claim::Plain),
    // Numbers that belong to the method, not to the day.
    ("24 hours", Claim::Plain),
    ("24 h", Claim::Plain),
    ("24 - hour", Claim::Plain),
    ("3 points or more", Claim::Plain),
    ("90 % range", Claim::Plain),
    ("from 0 to 100", Claim::Plain),
    ("escalation runs from 0 to 1", Claim::Plain),
    ("at 50 or more", Claim::Plain),
    ("all four pillars", Claim::Plain),
    ("the four pillars", Claim::Plain),
];

pub struct Phrase {
    pub words: Vec<&'static str>,
    pub claim: Claim,
}

/// Phrases by their first word, longest first.
pub static BY_FIRST: LazyLock<HashMap<&'static str, Vec<Phrase>>> = LazyLock::new(|| {
    let mut map: HashMap<&'static str, Vec<Phrase>> = HashMap::new();
    for (text, claim) in PHRASES {
        let words: Vec<&str> = text.split(' ').collect();
        map.entry(words[0]).or_default().push(Phrase { words, claim: *claim });
    }
    for phrases in map.values_mut() {
        phrases.sort_by_key(|p| std::cmp::Reverse(p.words.len()));
    }
    map
});

/// Why a word is never used, whatever the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ban {
    Causal,
    Advice,
    Future,
    Blame,
    Vague,
}

const BANNED: &[(Ban, &[&str])] = &[
    (
        Ban::Causal,
        &[
            "because",
            "due",
            "caused",
            "cause",
            "causes",
            "causing",
            "triggered",
            "triggers",
            "sparked",
            "prompted",
            "fuelled",
            "fueled",
            "therefore",
            "hence",
            "consequently",
            "owing",
            "thanks",
            "resulted",
            "resulting",
            "result",
            "provoked",
            "blamed",
            "forced",
            "drove",
        ],
    ),
    (
        Ban::Advice,
        &[
            "should",
            "must",
            "recommend",
            "recommended",
            "advise",
            "advised",
            "ought",
            "urge",
            "urged",
            "avoid",
            "prepare",
            "buy",
            "sell",
            "hedge",
            "consider",
            "beware",
        ],
    ),
    (
        Ban::Future,
        &[
            "will",
            "won't",
            "shall",
            "tomorrow",
            "soon",
            "forecast",
            "forecasts",
            "predict",
            "predicted",
            "expected",
            "expect",
            "imminent",
            "upcoming",
            "going",
            "continue",
            "continues",
            "next",
        ],
    ),
    (
        Ban::Blame,
        &[
            "blame",
            "responsible",
            "guilty",
            "perpetrated",
            "aggressor",
            "aggression",
            "fault",
            "accused",
            "accuses",
            "terrorist",
            "terrorists",
            "war-crimes",
        ],
    ),
    (
        Ban::Vague,
        &[
            "dozens",
            "hundreds",
            "thousands",
            "millions",
            "dozen",
            "hundred",
            "thousand",
            "million",
            "billion",
            "half",
            "twice",
            "double",
            "doubled",
            "triple",
            "tripled",
            "several",
            "many",
            "few",
            "countless",
            "third",
            "quarter",
            "majority",
            "almost",
            "nearly",
            "roughly",
            "around",
        ],
    ),
];

static BAN_OF: LazyLock<HashMap<&'static str, Ban>> =
    LazyLock::new(|| BANNED.iter().flat_map(|(ban, words)| words.iter().map(|w| (*w, *ban))).collect());

pub fn ban(word: &str) -> Option<Ban> {
    BAN_OF.get(word).copied()
}

/// Likelihood in words, one row, with the range of probability each stands for. Longest phrases first.
pub const LIKELIHOOD: [(&str, f64, f64); 7] = [
    ("almost no chance", 0.01, 0.05),
    ("roughly even chance", 0.45, 0.55),
    ("very unlikely", 0.05, 0.20),
    ("very likely", 0.80, 0.95),
    ("almost certain", 0.95, 0.99),
    ("unlikely", 0.20, 0.45),
    ("likely", 0.55, 0.80),
];

/// The word for a calibrated probability; none outside the row.
pub fn likelihood(probability: f64) -> Option<&'static str> {
    let rows = [
        "almost no chance",
        "very unlikely",
        "unlikely",
        "roughly even chance",
        "likely",
        "very likely",
        "almost certain",
    ];
    rows.into_iter().find(|word| {
        LIKELIHOOD.iter().any(|(w, low, high)| w == word && probability >= *low && probability <= *high)
    })
}

/// Words of likelihood that are not in the row, and so never used.
pub const LOOSE_LIKELIHOOD: [&str; 14] = [
    "may",
    "might",
    "could",
    "probably",
    "possibly",
    "perhaps",
    "maybe",
    "chance",
    "certain",
    "certainly",
    "possible",
    "probable",
    "plausible",
    "doubtless",
];

pub const NEGATORS: [&str; 12] = [
    "no", "not", "never", "neither", "nor", "without", "hardly", "scarcely", "cannot", "none", "nobody",
    "barely",
];

pub const NUMBER_WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

static VOCABULARY: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("vocabulary.txt").split_whitespace().collect());

pub fn is_known(word: &str) -> bool {
    VOCABULARY.contains(word)
        || word.contains('-') && word.split('-').all(|part| VOCABULARY.contains(part))
        || word.strip_suffix("'s").is_some_and(|stem| VOCABULARY.contains(stem))
}

pub const MONTHS: [&str; 12] = [
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_of_likelihood() {
        for (p, want) in [
            (0.03, Some("almost no chance")),
            (0.1, Some("very unlikely")),
            (0.3, Some("unlikely")),
            (0.5, Some("roughly even chance")),
            (0.7, Some("likely")),
            (0.9, Some("very likely")),
            (0.97, Some("almost certain")),
            (1.0, None),
        ] {
            assert_eq!(likelihood(p), want, "{p}");
        }
    }

    #[test]
    fn the_lists_do_not_overlap() {
        for word in VOCABULARY.iter() {
            assert_eq!(ban(word), None, "{word}");
            assert!(!LOOSE_LIKELIHOOD.contains(word) && !NEGATORS.contains(word), "{word}");
            assert!(!BY_FIRST.get(word).is_some_and(|p| p.iter().any(|p| p.words.len() == 1)), "{word}");
        }
    }
}
