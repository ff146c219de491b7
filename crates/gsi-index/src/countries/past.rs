//! History of every country, learnt once a day from what was known before the day began: its usual share of the news,
//! on which days it was silent, and the values of its indicators.

use super::catalogue::{CountryFormula, CountryMethod, EventMeasure, NewsOf};
use super::share::{DailyShares, DecayWeights, UsualWindow};
use super::{
    ATTENTION_BY_COUNTRY_SERIES, INTENSITY_SERIES, PEAK_SERIES, VIOLENCE_SHARE_SERIES, VIOLENT_EVENTS_SERIES,
};
use crate::method::algebra::LEARNED_MONTHS;
use crate::series::derived::{ARTICLES_SERIES, CONFLICT_BY_COUNTRY_SERIES};
use crate::series::growth::{make_room, make_room_behind};
use crate::series::table::{Column, SeriesTable};
use gsi_model::{CountryCode, Day, Timestamp, round_half_away};
use std::collections::{BTreeMap, VecDeque};

/// One day's news of one country.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DayOfCountry {
    /// Percent of all articles.
    pub attention: f64,
    pub violence: f64,
    pub intensity: f64,
    pub peak: f64,
    /// Percent of the violence in the world's events.
    pub violence_share: f64,
    pub violent_events: f64,
}

impl DayOfCountry {
    /// Violence relative to attention. With half the world's press watching a country, more of everything is
    /// reported, violence too.
    fn violence_against_attention(self, added: f64) -> f64 {
        self.violence_share / (self.attention + added)
    }
}

/// The world's news of one complete day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DayOfWorld {
    pub day: i32,
    pub articles: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PastOfCountry {
    /// Shares of the news; through silent days the last known share is held.
    attention: DailyShares,
    violence: DailyShares,
    /// Of every complete day, whether it had violent events.
    had_events: Vec<bool>,
    /// Articles of every complete day, unsmoothed.
    articles: Vec<f64>,
    /// By position of the rule: (day, value) of complete days that were not silent.
    histories: BTreeMap<usize, VecDeque<(i32, f64)>>,
}

impl PastOfCountry {
    pub fn history(&self, rule: usize) -> impl ExactSizeIterator<Item = f64> + '_ {
        static NONE: VecDeque<(i32, f64)> = VecDeque::new();
        self.histories.get(&rule).unwrap_or(&NONE).iter().map(|(_, value)| *value)
    }

    /// The value of a rule on a complete day of the last year.
    pub fn value_on(&self, rule: usize, day: i32) -> Option<f64> {
        let history = self.histories.get(&rule)?;
        let at = history.binary_search_by_key(&day, |(day, _)| *day).ok()?;
        history.get(at).map(|(_, value)| *value)
    }

    /// Articles a day over the last `days` complete ones; `None` without any.
    pub fn articles_a_day(&self, days: usize) -> Option<f64> {
        let recent = &self.articles[self.articles.len().saturating_sub(days)..];
        (!recent.is_empty()).then(|| recent.iter().sum::<f64>() / recent.len() as f64)
    }
}

/// One rule over coded news, with its parameters precomputed.
#[derive(Clone, Debug, PartialEq)]
enum NewsRule {
    Surprise { of: NewsOf, decay: DecayWeights, window: UsualWindow, offset: f64 },
    Events { measure: EventMeasure, days: usize, added_attention: f64 },
}

impl NewsRule {
    fn from_formula(formula: &CountryFormula) -> Option<NewsRule> {
        let count = |n: u32| n as usize;
        match *formula {
            CountryFormula::Surprise { of, half_life_days, offset, days, min_days, gap_days, mean_days } => {
                let window = UsualWindow {
                    days: count(days),
                    min_days: count(min_days),
                    gap_days: count(gap_days),
                    mean_days: count(mean_days),
                };
                Some(NewsRule::Surprise { of, decay: DecayWeights::new(half_life_days), window, offset })
            }
            CountryFormula::Events { measure, days, added_attention } => {
                Some(NewsRule::Events { measure, days: count(days), added_attention })
            }
            _ => None,
        }
    }
}

/// How far the present is above the usual level. Rounded, because where nothing moves only the last bits would be
/// ranked.
fn surprise(now: f64, usual: f64, offset: f64) -> f64 {
    round_half_away(libm::log((now + offset) / (usual + offset)), 6)
}

/// The state of the inputs that the history was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LearnedInputs {
    first_day: i32,
    days: usize,
    last_day: i32,
    rows: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CountryPast {
    seen: Option<LearnedInputs>,
    rules: Vec<Option<NewsRule>>,
    /// The window of usual attention, from which silence is recognised.
    attention_window: Option<UsualWindow>,
    pub world: Vec<DayOfWorld>,
    pub countries: BTreeMap<CountryCode, PastOfCountry>,
}

impl CountryPast {
    pub fn new(method: &CountryMethod) -> CountryPast {
        let rules: Vec<_> = method.indicators().iter().map(|i| NewsRule::from_formula(&i.formula)).collect();
        let attention_window = rules.iter().flatten().find_map(|rule| match rule {
            NewsRule::Surprise { of: NewsOf::Attention, window, .. } => Some(*window),
            _ => None,
        });
        CountryPast { rules, attention_window, ..CountryPast::default() }
    }

    /// Learns what was known before `day`. Unchanged days that were learnt before are kept.
    pub fn learn(&mut self, method: &CountryMethod, table: &SeriesTable, day: Day) {
        let first_day = day.month_start(-LEARNED_MONTHS).0;
        let log = NewsLog::known_before(table, day.start().unix(), first_day);
        let unchanged = self.seen.is_some_and(|seen| {
            seen.first_day == first_day
                && seen.days <= log.world.len()
                && log.rows_through(seen.days) == seen.rows
                && seen.days.checked_sub(1).is_none_or(|last| log.world[last].day == seen.last_day)
        });
        if !unchanged {
            (self.world, self.countries, self.seen) = (Vec::new(), BTreeMap::new(), None);
        }
        let from = self.world.len();
        for country in method.countries() {
            let past = self.countries.entry(country).or_default();
            for (at, world) in log.world.iter().enumerate().skip(from) {
                past.append(at, *world, log.day_of(country, at), &self.rules, self.attention_window, method);
            }
        }
        self.world = log.world.clone();
        let (days, rows) = (log.world.len(), log.rows_through(log.world.len()));
        let last_day = log.world.last().map_or(first_day, |w| w.day);
        self.seen = Some(LearnedInputs { first_day, days, last_day, rows });
    }

    /// The median number of articles of the last four weeks.
    pub fn usual_articles(&self) -> Option<f64> {
        let recent = &self.world[self.world.len().saturating_sub(28)..];
        crate::arithmetic::median(&mut recent.iter().map(|w| w.articles).collect::<Vec<_>>())
    }

    /// Whether the country's reports have stopped while the world's continue.
    pub fn is_silent(
        &self,
        method: &CountryMethod,
        country: CountryCode,
        now: DayOfCountry,
        articles: f64,
    ) -> bool {
        let Some((past, window)) = self.countries.get(&country).zip(self.attention_window) else {
            return false;
        };
        past.is_silent(self.world.len(), &window, now.attention, articles, method)
    }

    /// The value of a rule over coded news `of_day` into the day after the last complete one; `None` while too little is
    /// known, or for another rule.
    pub fn value_now(
        &self,
        rule: usize,
        country: CountryCode,
        now: DayOfCountry,
        of_day: f64,
    ) -> Option<f64> {
        static NOTHING: std::sync::LazyLock<PastOfCountry> = std::sync::LazyLock::new(PastOfCountry::default);
        let past = self.countries.get(&country).unwrap_or(&NOTHING);
        match self.rules.get(rule)?.as_ref()? {
            NewsRule::Surprise { of, decay, window, offset } => {
                let (shares, last) = match of {
                    NewsOf::Violence => (&past.violence, now.violence),
                    NewsOf::Attention => (&past.attention, now.attention),
                };
                let usual = shares.usual(self.world.len(), window)?;
                let average = shares.average_now(decay, last, of_day);
                Some(surprise(average, usual, *offset))
            }
            NewsRule::Events { measure: EventMeasure::Intensity, .. } => Some(now.intensity),
            NewsRule::Events { measure: EventMeasure::Peak, .. } => Some(now.peak),
            NewsRule::Events { measure: EventMeasure::Violence, added_attention, .. } => {
                Some(now.violence_against_attention(*added_attention))
            }
            NewsRule::Events { measure: EventMeasure::Days, days, .. } => {
                let before =
                    past.had_events.iter().rev().take(days - 1).filter(|had_events| **had_events).count();
                Some(before as f64 + f64::from(u8::from(now.violent_events > 0.0)))
            }
        }
    }
}

impl PastOfCountry {
    fn is_silent(
        &self,
        at: usize,
        window: &UsualWindow,
        attention: f64,
        articles: f64,
        method: &CountryMethod,
    ) -> bool {
        let p = method.parameters();
        self.attention.usual(at, window).is_some_and(|usual| {
            let expected = usual / 100.0 * articles;
            expected >= p.silent_expected_articles && attention < p.silent_share * usual
        })
    }

    /// Adds a complete day at position `at`.
    fn append(
        &mut self,
        at: usize,
        world: DayOfWorld,
        day: DayOfCountry,
        rules: &[Option<NewsRule>],
        window: Option<UsualWindow>,
        method: &CountryMethod,
    ) {
        let silent = window.is_some_and(|w| self.is_silent(at, &w, day.attention, world.articles, method));
        let held =
            |shares: &DailyShares, value: f64| if silent { shares.last().unwrap_or(value) } else { value };
        let (attention, violence) =
            (held(&self.attention, day.attention), held(&self.violence, day.violence));
        self.attention.push(attention);
        self.violence.push(violence);
        make_room(&mut self.had_events);
        self.had_events.push(if silent {
            self.had_events.last().copied().unwrap_or_default()
        } else {
            day.violent_events > 0.0
        });
        make_room(&mut self.articles);
        self.articles.push(day.attention / 100.0 * world.articles);
        if silent {
            return;
        }
        let oldest = world.day - method.parameters().window_days as i32;
        for (position, rule) in rules.iter().enumerate() {
            let Some(value) = rule.as_ref().and_then(|rule| self.value_of_day(rule, at, day)) else {
                continue;
            };
            let history = self.histories.entry(position).or_default();
            while history.front().is_some_and(|(day, _)| *day <= oldest) {
                history.pop_front();
            }
            make_room_behind(history);
            history.push_back((world.day, value));
        }
    }

    fn value_of_day(&self, rule: &NewsRule, at: usize, day: DayOfCountry) -> Option<f64> {
        Some(match rule {
            NewsRule::Surprise { of, decay, window, offset } => {
                let shares = match of {
                    NewsOf::Violence => &self.violence,
                    NewsOf::Attention => &self.attention,
                };
                let usual = shares.usual(at, window)?;
                surprise(shares.average(decay, at), usual, *offset)
            }
            NewsRule::Events { measure: EventMeasure::Intensity, .. } => day.intensity,
            NewsRule::Events { measure: EventMeasure::Peak, .. } => day.peak,
            NewsRule::Events { measure: EventMeasure::Violence, added_attention, .. } => {
                day.violence_against_attention(*added_attention)
            }
            NewsRule::Events { measure: EventMeasure::Days, days, .. } => {
                self.had_events.iter().rev().take(*days).filter(|had_events| **had_events).count() as f64
            }
        })
    }
}

/// The complete days known before a moment, with what was recorded of each country on them.
struct NewsLog {
    world: Vec<DayOfWorld>,
    countries: BTreeMap<CountryCode, BTreeMap<i32, DayOfCountry>>,
    /// Rows up to and with each day, so that a reader can detect changes in the past.
    rows: Vec<usize>,
}

type Part = fn(&mut DayOfCountry) -> &mut f64;

const PARTS: [(&str, Part); 6] = [
    (ATTENTION_BY_COUNTRY_SERIES, |day| &mut day.attention),
    (CONFLICT_BY_COUNTRY_SERIES, |day| &mut day.violence),
    (INTENSITY_SERIES, |day| &mut day.intensity),
    (PEAK_SERIES, |day| &mut day.peak),
    (VIOLENCE_SHARE_SERIES, |day| &mut day.violence_share),
    (VIOLENT_EVENTS_SERIES, |day| &mut day.violent_events),
];

impl NewsLog {
    fn known_before(table: &SeriesTable, horizon: i64, first_day: i32) -> NewsLog {
        let day_of = |end: i64| Timestamp::from_unix(end - 1).day().0;
        let from = Day(first_day).start().unix();
        let rows_of = |column: &Column| -> Vec<(i32, f64)> {
            let begin = column.rows().partition_point(|r| r.end() <= from);
            let known = column.rows()[begin..].iter().filter(|r| r.known_at() < horizon);
            known.map(|r| (day_of(r.end()), r.value)).collect()
        };
        let mut countries: BTreeMap<CountryCode, BTreeMap<i32, DayOfCountry>> = BTreeMap::new();
        let mut rows_on: BTreeMap<i32, usize> = BTreeMap::new();
        let mut attended = std::collections::BTreeSet::new();
        for (series, part) in PARTS {
            for (name, column) in table.entities(series) {
                let Some(country) = CountryCode::from_iso2(name) else { continue };
                let days = countries.entry(country).or_default();
                for (day, value) in rows_of(column) {
                    *part(days.entry(day).or_default()) = value;
                    *rows_on.entry(day).or_default() += 1;
                    if series == ATTENTION_BY_COUNTRY_SERIES {
                        attended.insert(day);
                    }
                }
            }
        }
        let articles = table.column(ARTICLES_SERIES, "").map(rows_of).unwrap_or_default();
        let complete =
            articles.into_iter().filter(|(day, articles)| *articles > 0.0 && attended.contains(day));
        let world: Vec<DayOfWorld> = complete.map(|(day, articles)| DayOfWorld { day, articles }).collect();
        let mut total = 0;
        let rows = world
            .iter()
            .map(|w| {
                total += rows_on.get(&w.day).copied().unwrap_or_default();
                total
            })
            .collect();
        NewsLog { world, countries, rows }
    }

    /// Rows of the first `days` complete days.
    fn rows_through(&self, days: usize) -> usize {
        days.checked_sub(1).and_then(|last| self.rows.get(last)).copied().unwrap_or_default()
    }

    fn day_of(&self, country: CountryCode, at: usize) -> DayOfCountry {
        let days = self.countries.get(&country);
        days.and_then(|days| days.get(&self.world[at].day)).copied().unwrap_or_default()
    }
}
