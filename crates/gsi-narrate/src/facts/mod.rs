//! Stage one: facts. A fact is a typed record with its formatted numbers, its names and its sources. Sentences state facts
//! and nothing else.

mod countries;
mod day_place;
mod events;
pub mod feeds;
mod past;
mod scores;
mod sides;
mod word;

pub use countries::CountryNote;
pub use events::{EventNote, TheaterNote};
pub use past::{Past, RECORD_DAYS};
pub use sides::Sides;
pub use word::{ConfidenceLimit, CountedNoun, DailySwing, DataQuality, FactWord, LastHigh, RecordWindow};

use crate::Context;
use gsi_model::{Band, CorrectionReason, CountryCode, Pillar, Timestamp};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The subject of a fact. Numbers are positions in the context's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    Global,
    /// The share of available inputs, when its change moves the score.
    Coverage,
    Pillar(Pillar),
    Indicator(Pillar, u8),
    Event(u16),
    Theater(CountryCode),
    Feed(u16),
    /// A country's score. `Theater` is about the events there.
    Country(CountryCode),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Global => f.write_str("global"),
            Subject::Coverage => f.write_str("coverage"),
            Subject::Pillar(p) => f.write_str(p.key()),
            Subject::Indicator(p, i) => write!(f, "{}.{i}", p.key()),
            Subject::Event(i) => write!(f, "event.{i}"),
            Subject::Theater(c) => write!(f, "theater.{c}"),
            Subject::Feed(i) => write!(f, "feed.{i}"),
            Subject::Country(c) => write!(f, "country.{c}"),
        }
    }
}

impl Serialize for Subject {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// A score, with its band if it has one.
    Level,
    /// A score's change over 24 hours.
    Delta,
    /// There is no score from 24 hours ago.
    NoBaseline,
    /// All pillars can be compared with a day ago, and no move is news.
    NoPillarNews,
    /// A newsworthy move, compared with the usual daily range.
    Unusual,
    Trend,
    /// A pillar's part of the global score.
    Part,
    /// The part of the global score's 24-hour change that new data caused.
    Push,
    /// The part of a pillar's 24-hour change that an indicator caused.
    PillarPush,
    /// The part of a pillar's 24-hour change that gained or lost inputs caused.
    CoveragePush,
    /// The pillar that moved the global score most, in the direction of its change.
    MainPush,
    /// Highest or lowest since a date.
    Record,
    Streak,
    /// The pillar that makes up most of the global score.
    Lead,
    Range,
    Percentile,
    /// The share of days with a lower score, among the reconstructed and among the published days.
    ReconstructedPlace,
    PublishedPlace,
    /// The last time the score was as high on those days.
    ReconstructedHigh,
    PublishedHigh,
    Breadth,
    /// A confidence and the factor that limits it.
    Confidence,
    Coverage,
    /// Incomplete or old data behind a score.
    Status,
    /// An indicator's value.
    Reading,
    /// A value that is rare in the indicator's history.
    Rarity,
    /// The indicator that makes up most of its pillar.
    TopInput,
    /// A jump of an indicator that is not used until it is confirmed.
    Held,
    /// Indicators of a pillar without a value.
    Missing,
    Event,
    Theater,
    FeedGap,
    /// The number of feeds with gaps.
    GapCount,
    AllFeeds,
    Source,
    /// The lower edge of a band near the global score.
    Edge,
    /// The scale of scores.
    Scale,
    /// The global score of the previous briefing.
    Earlier,
    Simulated,
    /// The briefing is written after its day.
    Late,
    /// The briefing corrects an earlier one.
    Correction,
    /// A country's score is in another band than a day ago.
    BandChange,
}

impl FactKind {
    /// The kind's name in ids and in the stored facts of a briefing.
    pub const fn key(self) -> &'static str {
        match self {
            FactKind::Level => "level",
            FactKind::Delta => "delta",
            FactKind::NoBaseline => "no_baseline",
            FactKind::NoPillarNews => "no_pillar_news",
            FactKind::Unusual => "unusual",
            FactKind::Trend => "trend",
            FactKind::Part => "part",
            FactKind::Push => "push",
            FactKind::PillarPush => "pillar_push",
            FactKind::CoveragePush => "coverage_push",
            FactKind::MainPush => "main_push",
            FactKind::Record => "record",
            FactKind::Streak => "streak",
            FactKind::Lead => "lead",
            FactKind::Range => "range",
            FactKind::Percentile => "percentile",
            FactKind::ReconstructedPlace => "reconstructed_place",
            FactKind::PublishedPlace => "published_place",
            FactKind::ReconstructedHigh => "reconstructed_high",
            FactKind::PublishedHigh => "published_high",
            FactKind::Breadth => "breadth",
            FactKind::Confidence => "confidence",
            FactKind::Coverage => "coverage",
            FactKind::Status => "status",
            FactKind::Reading => "reading",
            FactKind::Rarity => "rarity",
            FactKind::TopInput => "top_input",
            FactKind::Held => "held",
            FactKind::Missing => "missing",
            FactKind::Event => "event",
            FactKind::Theater => "theater",
            FactKind::FeedGap => "feed_gap",
            FactKind::GapCount => "gap_count",
            FactKind::AllFeeds => "all_feeds",
            FactKind::Source => "source",
            FactKind::Edge => "edge",
            FactKind::Scale => "scale",
            FactKind::Earlier => "earlier",
            FactKind::Simulated => "simulated",
            FactKind::Late => "late",
            FactKind::Correction => "correction",
            FactKind::BandChange => "band_change",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    Up,
    Down,
    Flat,
}

impl Sign {
    pub fn from_change(shown: f64) -> Sign {
        if shown > 0.0 {
            Sign::Up
        } else if shown < 0.0 {
            Sign::Down
        } else {
            Sign::Flat
        }
    }
}

/// The role of a number in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureForm {
    /// `57`
    Score,
    /// `+9.4`, or the 9.4 of `rose 9.4 points`
    Delta,
    /// the 6.2 of `added 6.2 points`
    Push,
    /// the 31 and the 57 of `31 of the 57 points`
    Part,
    Total,
    /// `from 51 to 63`
    Bound,
    Percent,
    /// the 90 of `1 day in 90`
    OneIn,
    /// `2.3 times`
    Times,
    /// `0.74`, after the word escalation
    Escalation,
    /// a count of a noun
    Count(CountedNoun),
    /// a measured value without a form
    Value,
    /// the 46 of `the high band begins at 46`
    Edge,
    /// a score of an earlier briefing
    Earlier,
    Date,
    Clock,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    pub form: FigureForm,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// A stable id, such as `macro.delta` or `evt_….event`.
    pub id: String,
    pub kind: FactKind,
    pub subject: Subject,
    pub value: Option<f64>,
    pub unit: Cow<'static, str>,
    pub window: &'static str,
    pub sign: Option<Sign>,
    /// Whether a move is large enough to be news.
    pub news: bool,
    /// Whether an indicator may be named as the driver of a move, which depends on its direction.
    pub notable: bool,
    pub word: Option<FactWord>,
    pub figures: Vec<Figure>,
    /// The names that the text may use for the subject.
    pub names: Vec<String>,
    pub confidence: f64,
    /// 0–1, from the survival probability; 0 if unknown.
    pub rarity: f64,
    /// 0–1.
    pub escalation: f64,
    pub sources: Vec<String>,
    pub as_of: Timestamp,
}

impl Fact {
    fn new(kind: FactKind, subject: Subject, id: String, as_of: Timestamp) -> Self {
        Fact {
            id,
            kind,
            subject,
            value: None,
            unit: Cow::Borrowed(""),
            window: "",
            sign: None,
            news: false,
            notable: true,
            word: None,
            figures: Vec::new(),
            names: Vec::new(),
            confidence: 1.0,
            rarity: 0.0,
            escalation: 0.0,
            sources: Vec::new(),
            as_of,
        }
    }

    fn value(mut self, value: f64, unit: impl Into<Cow<'static, str>>) -> Self {
        self.value = Some(value);
        self.unit = unit.into();
        self
    }

    fn figure(mut self, form: FigureForm, text: impl Into<String>) -> Self {
        self.figures.push(Figure { form, text: text.into() });
        self
    }

    fn name(mut self, name: impl Into<String>) -> Self {
        self.names.push(name.into());
        self
    }

    fn word(mut self, word: FactWord) -> Self {
        self.word = Some(word);
        self
    }

    fn sign(mut self, sign: Sign) -> Self {
        self.sign = Some(sign);
        self
    }

    fn news(mut self, news: bool) -> Self {
        self.news = news;
        self
    }

    fn window(mut self, window: &'static str) -> Self {
        self.window = window;
        self
    }

    fn sources(mut self, sources: impl IntoIterator<Item = String>) -> Self {
        self.sources.extend(sources);
        self
    }

    fn sure(mut self, confidence: f64) -> Self {
        self.confidence = confidence;
        self
    }

    /// Returns the text of the first figure of this form; empty if there is none.
    pub fn shown(&self, form: FigureForm) -> &str {
        self.figures.iter().find(|f| f.form == form).map_or("", |f| f.text.as_str())
    }

    pub fn band(&self) -> Option<Band> {
        match self.word {
            Some(FactWord::Band(band)) => Some(band),
            _ => None,
        }
    }

    pub fn data_quality(&self) -> Option<DataQuality> {
        match self.word {
            Some(FactWord::Data(quality)) => Some(quality),
            _ => None,
        }
    }

    pub fn is_held(&self) -> bool {
        self.data_quality() == Some(DataQuality::Held)
    }

    pub fn is_up(&self) -> bool {
        self.sign == Some(Sign::Up)
    }
}

/// A fact's key in [`Facts`]. There is at most one fact of a kind about a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FactKey(pub FactKind, pub Subject);

#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    pub as_of: Timestamp,
    pub list: Vec<Fact>,
    /// Whether too much data is missing to call anything calm or unchanged.
    pub partial: bool,
    #[serde(skip)]
    pub past: Past,
    #[serde(skip)]
    pub events: Vec<EventNote>,
    #[serde(skip)]
    pub theaters: Vec<TheaterNote>,
    /// Countries that texts may mention, the largest move first.
    #[serde(skip)]
    pub countries: Vec<CountryNote>,
}

impl Facts {
    pub fn gather(context: &Context) -> Facts {
        let past = Past::new(context.history, context.snapshot.tick);
        let partial = is_partial(context);
        let mut facts = Facts {
            as_of: context.snapshot.tick,
            list: Vec::with_capacity(96),
            partial,
            past,
            events: Vec::new(),
            theaters: Vec::new(),
            countries: Vec::new(),
        };
        scores::gather(context, &mut facts);
        day_place::gather(context, &mut facts);
        events::gather(context, &mut facts);
        feeds::gather(context, &mut facts);
        countries::gather(context, &mut facts);
        facts
    }

    fn push(&mut self, fact: Fact) {
        debug_assert!(self.get(fact.kind, fact.subject).is_none(), "{} twice", fact.id);
        self.list.push(fact);
    }

    pub fn get(&self, kind: FactKind, subject: Subject) -> Option<&Fact> {
        self.list.iter().find(|f| f.kind == kind && f.subject == subject)
    }

    pub fn has(&self, kind: FactKind, subject: Subject) -> bool {
        self.get(kind, subject).is_some()
    }

    /// Adds a fact about the briefing itself: that it is late, or a correction.
    pub fn with(mut self, fact: Fact) -> Facts {
        self.list.retain(|f| (f.kind, f.subject) != (fact.kind, fact.subject));
        self.list.push(fact);
        self
    }

    pub fn late(&self, published_at: Timestamp) -> Fact {
        use crate::figures;
        Fact::new(FactKind::Late, Subject::Global, "briefing.late".into(), self.as_of)
            .figure(FigureForm::Clock, figures::clock(published_at))
            .figure(FigureForm::Date, figures::date(published_at, self.as_of))
            .figure(FigureForm::Clock, figures::clock(self.as_of))
            .figure(FigureForm::Date, figures::date(self.as_of, self.as_of))
    }

    /// The fact that a briefing corrects the one published at `of`.
    pub fn correction(&self, of: Timestamp, reason: CorrectionReason) -> Fact {
        use crate::figures;
        Fact::new(FactKind::Correction, Subject::Global, "briefing.correction".into(), self.as_of)
            .word(FactWord::Correction(reason))
            .figure(FigureForm::Clock, figures::clock(of))
            .figure(FigureForm::Date, figures::date(of, self.as_of))
            .figure(FigureForm::Clock, figures::clock(self.as_of))
            .figure(FigureForm::Date, figures::date(self.as_of, self.as_of))
    }
}

/// Whether inputs, pillars or feeds are missing.
fn is_partial(context: &Context) -> bool {
    let s = context.snapshot;
    s.status != gsi_model::DataStatus::Ok
        || s.pillars.len() < Pillar::ALL.len()
        || s.pillars.iter().any(|p| p.status != gsi_model::PillarStatus::Ok)
        || context.feeds.iter().any(|f| f.health >= gsi_model::FeedHealth::Stale && context.uses(&f.feed))
}
