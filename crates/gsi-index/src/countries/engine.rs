//! One tick of all countries: readings, scores, pillars, and the day's closes.

use super::catalogue::{CountryFormula, CountryIndicatorRule, CountryMethod};
use super::counts;
use super::currency::CurrencyPast;
use super::past::{CountryPast, DayOfCountry, DayOfWorld};
use super::score::{CountrySamples, blend};
use super::{
    ATTENTION_BY_COUNTRY_SERIES, COUNTRY_FEED, INTENSITY_SERIES, PEAK_SERIES, SCORE_SERIES,
    VIOLENCE_SHARE_SERIES, VIOLENT_EVENTS_SERIES,
};
use crate::catalogue::Parameters;
use crate::composite::attribution::{PillarSquare, WeightedScore, level_in_composite};
use crate::composite::compose::{IndicatorInput, PillarNow, pillar};
use crate::indicators::freshness::{business_hours, freshness, holding};
use crate::indicators::news::LastDay;
use crate::method::algebra::{
    DAY_AGO_TOLERANCE, DECIMALS, DIGITS, MIN_ARTICLES_SHARE, MIN_FRESHNESS, MIN_SLOTS, NEWS_AGE, YEAR_CLOSES,
};
use crate::rarity::survival::score_from_survival;
use crate::series::table::SeriesTable;
use gsi_model::{
    CountryCode, CountryEvents, CountryIndicator, CountryPillar, CountryScore, CountrySnapshot,
    CountryStanding, DAY, Day, FeedId, HOUR, IndicatorLeft, Observation, Pillar, TICK, Timestamp, Trend,
    round_half_away, round_significant,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The inputs of one tick.
pub struct CountryInputs<'a> {
    pub tick: Timestamp,
    pub simulated: bool,
    pub table: &'a SeriesTable,
    pub events: &'a BTreeMap<CountryCode, CountryEvents>,
    /// The last published snapshot. Its readings are held where there are no newer ones.
    pub previous: Option<&'a CountrySnapshot>,
    /// What was published a day ago.
    pub day_ago: Option<&'a CountrySnapshot>,
}

/// What a tick yields.
#[derive(Clone, Debug)]
pub struct CountryComputed {
    pub snapshot: CountrySnapshot,
    /// The day's closes, at its last tick: to be stored and inserted like any observation.
    pub derived: Vec<Observation>,
}

/// Computes the countries by one method, with what it has learnt kept from tick to tick.
pub struct CountryEngine {
    method: Arc<CountryMethod>,
    /// Parameters of the world's method: how rarity is read, how values age and how pillars are combined.
    world: Parameters,
    past: CountryPast,
    currencies: CurrencyPast,
    samples: CountrySamples,
    learnt: Option<(Day, u64)>,
}

/// A reading of one indicator.
#[derive(Clone, Copy, Debug)]
struct CountryReading {
    value: f64,
    period_end: i64,
    held: bool,
}

/// A pillar while the score is computed.
struct ScoredPillar {
    part: CountryPillar,
    /// Before the weights of all pillars are made to add to 1.
    weight: f64,
    /// The share of its weight that is current, and the share that is current or held.
    coverage: f64,
    holding: f64,
}

/// The last 24 h of the world's files, if there are enough of them.
struct NewsNow {
    last: LastDay,
    newest: i64,
    world: DayOfWorld,
    of_day: f64,
}

impl CountryEngine {
    pub fn new(method: Arc<CountryMethod>, world: Parameters) -> CountryEngine {
        CountryEngine {
            past: CountryPast::new(&method),
            currencies: CurrencyPast::default(),
            samples: CountrySamples::default(),
            learnt: None,
            method,
            world,
        }
    }

    pub fn method(&self) -> &Arc<CountryMethod> {
        &self.method
    }

    pub fn compute(&mut self, inputs: &CountryInputs<'_>) -> CountryComputed {
        let tick = inputs.tick;
        self.learn(inputs.table, tick);
        let news = self.news_now(inputs.table, tick);
        let same = |s: &&CountrySnapshot| s.method_digest == self.method.digest();
        let previous = inputs.previous.filter(|s| same(s) && s.tick < tick);
        let day_ago = inputs
            .day_ago
            .filter(|s| same(s) && (DAY..=DAY + DAY_AGO_TOLERANCE).contains(&tick.since(s.tick)));
        let mut countries = Vec::new();
        let mut closes = Vec::new();
        for country in self.method.countries() {
            let now = self.day_now(country, news.as_ref(), inputs);
            let before = previous.and_then(|s| s.country(country));
            let score = self.score(country, now, news.as_ref(), inputs, before);
            let Some(mut score) = score else { continue };
            if let Some(then) = day_ago.and_then(|s| s.country(country)) {
                explain_change(&mut score, then);
            }
            closes.push((country, now, score.score));
            countries.push(score);
        }
        let snapshot = CountrySnapshot {
            tick,
            simulated: inputs.simulated,
            method_version: self.method.version().to_owned(),
            method_digest: self.method.digest().to_owned(),
            countries,
            events: inputs.events.clone(),
        };
        let mut derived = previous.map(|last| self.missed_closes(last, inputs)).unwrap_or_default();
        if tick.is_last_tick_of_day() {
            derived.extend(self.closes(tick.day(), tick, news.as_ref(), &closes));
        }
        CountryComputed { snapshot, derived }
    }

    /// The closes of the day that was published last, if its last tick was missed: from the events and scores of that
    /// day's last published tick, and from its files.
    fn missed_closes(&self, last: &CountrySnapshot, inputs: &CountryInputs<'_>) -> Vec<Observation> {
        let day = last.tick.day();
        if day >= inputs.tick.day() || last.tick.is_last_tick_of_day() {
            return Vec::new();
        }
        let news = self.news_now(inputs.table, day.end().minus(TICK));
        let at_the_end = CountryInputs { events: &last.events, ..*inputs };
        let of_country = |country: CountryCode| {
            let now = self.day_now(country, news.as_ref(), &at_the_end);
            (country, now, last.country(country).and_then(|c| c.score))
        };
        let countries: Vec<_> = self.method.countries().map(of_country).collect();
        self.closes(day, inputs.tick, news.as_ref(), &countries)
    }

    /// Advances everything learnt from the past to the tick's day.
    fn learn(&mut self, table: &SeriesTable, tick: Timestamp) {
        let day = tick.day();
        let rows = [ATTENTION_BY_COUNTRY_SERIES, crate::CONFLICT_BY_COUNTRY_SERIES, crate::ARTICLES_SERIES]
            .into_iter()
            .flat_map(|series| table.entities(series))
            .map(|(_, column)| column.insertions())
            .sum();
        if self.learnt != Some((day, rows)) {
            self.learnt = Some((day, rows));
            self.past.learn(&self.method, table, day);
            let monitored = |country: CountryCode| self.is_monitored(country, None);
            self.samples = CountrySamples::learn(&self.method, &self.world.rarity, &self.past, &monitored);
        }
        self.currencies.learn(&self.method, &self.world.rarity, table, tick);
    }

    /// Whether a country has enough articles in thirty days at the rate of the known days, and enough articles
    /// actually seen on those: a rate of two articles on the first day is not enough.
    fn is_monitored(&self, country: CountryCode, articles_now: Option<f64>) -> bool {
        let p = self.method.parameters();
        let days = p.monitored_days as usize;
        let past = self.past.countries.get(&country).and_then(|past| past.articles_a_day(days));
        let seen = past.unwrap_or_default() * self.past.world.len().min(days) as f64;
        self.articles_30d(country, articles_now) >= p.monitored_articles_30d
            && seen + articles_now.unwrap_or_default() >= p.monitored_articles_seen
    }

    /// Articles located in the country over thirty days, at the rate of the known days, the last 24 h among them.
    fn articles_30d(&self, country: CountryCode, now: Option<f64>) -> f64 {
        let days = self.method.parameters().monitored_days as usize;
        let past = self.past.countries.get(&country).and_then(|past| past.articles_a_day(days));
        let known = self.past.world.len().min(days) as f64;
        let a_day = match (past, now) {
            (Some(past), Some(now)) => (past * known + now) / (known + 1.0),
            (past, now) => past.or(now).unwrap_or_default(),
        };
        a_day * days as f64
    }

    fn news_now(&self, table: &SeriesTable, tick: Timestamp) -> Option<NewsNow> {
        let newest = table.newest_stamp(tick.unix()).filter(|stamp| tick.unix() - stamp <= NEWS_AGE)?;
        let last = LastDay::ending(table, tick.unix());
        let usual = self.past.usual_articles().unwrap_or_default();
        let enough = last.news.slots >= MIN_SLOTS && last.news.articles as f64 >= MIN_ARTICLES_SHARE * usual;
        if !enough || last.news.articles == 0 {
            return None;
        }
        let world = DayOfWorld { day: tick.day().0, articles: last.news.articles as f64 };
        let of_day = tick.second_of_day() as f64 / DAY as f64;
        Some(NewsNow { last, newest, world, of_day })
    }

    fn day_now(
        &self,
        country: CountryCode,
        news: Option<&NewsNow>,
        inputs: &CountryInputs<'_>,
    ) -> DayOfCountry {
        let events = inputs.events.get(&country).copied().unwrap_or_default();
        let mut now = DayOfCountry {
            intensity: events.intensity,
            peak: events.peak_escalation,
            violence_share: self.violence_share(events.violence, inputs),
            violent_events: f64::from(events.violent_events),
            ..DayOfCountry::default()
        };
        if let Some(news) = news
            && let Some(day) = news.last.countries.get(&country)
        {
            now.attention = 100.0 * day.articles as f64 / news.world.articles;
            now.violence = 100.0 * day.conflict / news.world.articles;
        }
        now
    }

    /// Percent of the violence of all events. A little is added to the whole, so that in a calm world one event is
    /// not all.
    fn violence_share(&self, violence: f64, inputs: &CountryInputs<'_>) -> f64 {
        let whole: f64 = inputs.events.values().map(|events| events.violence).sum();
        100.0 * violence / (whole + self.method.parameters().violence_added)
    }

    /// `None` for a country without any data.
    fn score(
        &self,
        country: CountryCode,
        now: DayOfCountry,
        news: Option<&NewsNow>,
        inputs: &CountryInputs<'_>,
        before: Option<&CountryScore>,
    ) -> Option<CountryScore> {
        let silent =
            news.is_some_and(|news| self.past.is_silent(&self.method, country, now, news.world.articles));
        let rules = self.method.indicators();
        let readings: Vec<Option<CountryReading>> = rules
            .iter()
            .enumerate()
            .map(|(position, rule)| {
                let fresh = self.read((position, rule), country, now, news.filter(|_| !silent), inputs);
                fresh.or_else(|| held(rule, before))
            })
            .collect();
        let scored: Vec<ScoredPillar> = Pillar::ALL
            .into_iter()
            .filter_map(|which| self.pillar(which, country, &readings, inputs))
            .collect();
        let total: f64 = scored.iter().map(|p| p.weight).sum();
        if total <= 0.0 {
            return None;
        }
        let share = |p: &ScoredPillar| self.method.pillar_weight(p.part.pillar);
        let coverage: f64 = scored.iter().map(|p| share(p) * p.coverage).sum();
        let known: f64 = scored.iter().map(|p| share(p) * p.holding).sum();
        let mut pillars: Vec<CountryPillar> =
            scored.into_iter().map(|p| CountryPillar { weight: p.weight / total, ..p.part }).collect();
        let score = self.world.composite_power.mean(pillars.iter().map(|p| (p.weight, p.score)));
        distribute_points(&mut pillars, score, self.world.composite_power);
        let attention = news.map(|news| now.attention / 100.0 * news.world.articles);
        let standing = self.standing(country, attention, &pillars, known);
        let score = (standing == CountryStanding::Scored).then(|| round_half_away(score, DECIMALS));
        let (trend, year_share_below) =
            score.map_or((Trend::Flat, None), |s| self.against_closes(inputs, country, s));
        Some(CountryScore {
            country,
            standing,
            score,
            delta_24h: None,
            trend,
            coverage: round_half_away(coverage, DECIMALS),
            year_share_below,
            silent,
            pillars,
            left: Vec::new(),
        })
    }

    fn standing(
        &self,
        country: CountryCode,
        articles_now: Option<f64>,
        pillars: &[CountryPillar],
        known: f64,
    ) -> CountryStanding {
        let conflict = pillars.iter().find(|p| p.pillar == Pillar::Conflict);
        // Deaths, outages and alerts are counted everywhere. In a country without news they alone would look like
        // calm.
        let has_news = conflict.is_some_and(|p| p.indicators.iter().any(|i| self.is_news(&i.key)));
        if !self.is_monitored(country, articles_now) {
            return CountryStanding::Unmonitored;
        }
        // A war may be missing from the news of one day, but hardly from counted deaths or from several days of news.
        let p = self.method.parameters();
        let has_counts = conflict.is_some_and(|c| c.indicators.iter().any(|i| !self.is_news(&i.key)));
        let is_anchored = has_counts || self.past.world.len() >= p.min_news_days as usize;
        // Held values count: a publisher that falls silent does not remove a score at once.
        let enough = pillars.len() > 1 || known >= p.min_coverage;
        if has_news && is_anchored && enough { CountryStanding::Scored } else { CountryStanding::Thin }
    }

    fn is_news(&self, key: &str) -> bool {
        self.method.indicators().iter().any(|rule| rule.key == key && rule.formula.is_news())
    }

    /// The newest reading of an indicator; `None` when its source is silent or never had data.
    fn read(
        &self,
        (position, rule): (usize, &CountryIndicatorRule),
        country: CountryCode,
        now: DayOfCountry,
        news: Option<&NewsNow>,
        inputs: &CountryInputs<'_>,
    ) -> Option<CountryReading> {
        let reading = |value: f64, period_end: i64| {
            // Removes the sign of zero, and rounds the stored value to its significant digits.
            Some(CountryReading { value: round_significant(value, DIGITS) + 0.0, period_end, held: false })
        };
        match &rule.formula {
            CountryFormula::WindowSum { .. } | CountryFormula::Departure { .. } => {
                let (value, end) = counts::read(&rule.formula, inputs.table, country, inputs.tick)?;
                reading(value, end)
            }
            CountryFormula::CurrencyDeparture { .. } | CountryFormula::CurrencyVolatility { .. } => {
                let currency = self.method.currency(country)?;
                let ((end, value), _) = self.currencies.read(currency, position)?;
                reading(*value, *end)
            }
            _ => {
                let news = news?;
                let value = self.past.value_now(position, country, now, news.of_day)?;
                reading(value, news.newest)
            }
        }
    }

    fn survival(
        &self,
        position: usize,
        rule: &CountryIndicatorRule,
        country: CountryCode,
        x: f64,
    ) -> (f64, usize) {
        if rule.formula.is_news() {
            return self.samples.survival(&self.method, (position, rule), country, x);
        }
        let prior = rule.prior.survival(x);
        let history = self.method.currency(country).and_then(|c| self.currencies.read(c, position));
        match history.filter(|(_, sample)| !sample.is_empty()) {
            Some((_, sample)) => {
                let strength = self.method.parameters().own_strength_days;
                (blend(sample.survival(x), sample.len(), strength, prior), sample.len())
            }
            None => (prior, 0),
        }
    }

    /// `None` without any value that still counts.
    fn pillar(
        &self,
        which: Pillar,
        country: CountryCode,
        readings: &[Option<CountryReading>],
        inputs: &CountryInputs<'_>,
    ) -> Option<ScoredPillar> {
        let members = self.method.indicators().iter().enumerate().filter(|(_, rule)| rule.pillar == which);
        let mut weights = Vec::new();
        let mut indicator_inputs = Vec::new();
        let mut indicators = Vec::new();
        for (position, rule) in members {
            weights.push(rule.weight);
            let Some(reading) = readings[position] else {
                indicator_inputs.push(IndicatorInput::default());
                indicators.push(None);
                continue;
            };
            let (survival, sample_days) = self.survival(position, rule, country, reading.value);
            let score = round_half_away(score_from_survival(survival), DECIMALS);
            let (fresh, hold) = self.ageing(rule, reading.period_end, inputs.tick);
            let effective = if hold >= MIN_FRESHNESS { rule.weight * hold } else { 0.0 };
            let current = if fresh >= MIN_FRESHNESS { fresh / hold } else { 0.0 };
            indicator_inputs.push(IndicatorInput { score: Some(score), effective, current });
            indicators.push(Some(CountryIndicator {
                key: rule.key.clone(),
                value: reading.value,
                score,
                period_end: Timestamp::from_unix(reading.period_end),
                freshness: round_half_away(fresh, DECIMALS),
                weight: 0.0,
                contribution: 0.0,
                change_24h: None,
                held: reading.held,
                sample_days: sample_days as u32,
            }));
        }
        let PillarNow { coverage, weights, carried, holding, .. } =
            pillar(&self.world, &weights, &indicator_inputs);
        let score = carried.filter(|_| holding > 0.0)?;
        let members = indicators.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
        let members =
            members.filter_map(|(indicator, weight)| Some(CountryIndicator { weight, ..indicator? }));
        let share = self.method.pillar_weight(which);
        let part = CountryPillar {
            pillar: which,
            score,
            weight: 0.0,
            coverage: round_half_away(coverage, DECIMALS),
            indicators: members.collect(),
        };
        let weight = share * (holding / self.world.coverage_ok).min(1.0);
        Some(ScoredPillar { part, weight, coverage, holding })
    }

    /// How fresh a value is, and how much of its weight it still has.
    fn ageing(&self, rule: &CountryIndicatorRule, period_end: i64, tick: Timestamp) -> (f64, f64) {
        let end = Timestamp::from_unix(period_end);
        let hours = if rule.business_days {
            business_hours(end, tick)
        } else {
            tick.since(end).max(0) as f64 / HOUR as f64
        };
        let (cadence, lag) = (rule.cadence_hours, rule.lag_hours + rule.slack_hours);
        let (full, half_life) = (self.world.held_full_hours, self.world.held_half_life_hours);
        (freshness(hours, cadence, lag), holding(hours, cadence, lag, full, half_life))
    }

    /// The direction against the last closes, and the share of the own year's closes below this score.
    fn against_closes(
        &self,
        inputs: &CountryInputs<'_>,
        country: CountryCode,
        score: f64,
    ) -> (Trend, Option<f64>) {
        let p = self.method.parameters();
        let today = inputs.tick.day().start().unix();
        let Some(column) = inputs.table.column(SCORE_SERIES, country.as_str()) else {
            return (Trend::Flat, None);
        };
        let oldest = today - i64::from(p.window_days) * DAY;
        let year: Vec<f64> = column
            .rows()
            .iter()
            .filter(|r| r.end() > oldest && r.end() <= today && r.known_at() < inputs.tick.unix())
            .map(|r| r.value)
            .collect();
        let recent = &year[year.len().saturating_sub(p.trend_days as usize)..];
        let trend = match recent.len() as u32 == p.trend_days {
            true => match score - recent.iter().sum::<f64>() / recent.len() as f64 {
                rise if rise > p.trend_points => Trend::Up,
                rise if rise < -p.trend_points => Trend::Down,
                _ => Trend::Flat,
            },
            false => Trend::Flat,
        };
        let below = || year.iter().filter(|close| **close < score).count() as f64 / year.len() as f64;
        (trend, (year.len() >= YEAR_CLOSES).then(below).map(|share| round_half_away(share, DECIMALS)))
    }

    /// The day's closes, only of days with enough files.
    fn closes(
        &self,
        day: Day,
        known_at: Timestamp,
        news: Option<&NewsNow>,
        countries: &[(CountryCode, DayOfCountry, Option<f64>)],
    ) -> Vec<Observation> {
        let mut closes = Vec::new();
        let mut close = |series: &str, country: CountryCode, value: f64| {
            closes.push(Observation {
                series: series.to_owned(),
                entity: country.as_str().to_owned(),
                period_start: day.start(),
                period_end: day.end(),
                value: round_significant(value, DIGITS),
                known_at,
                ingested_at: known_at,
                revision: 0,
                quality: 1.0,
                feed: FeedId::new(COUNTRY_FEED),
                raw: String::new(),
            });
        };
        for (country, now, score) in countries {
            if news.is_some() {
                let parts = [
                    (ATTENTION_BY_COUNTRY_SERIES, now.attention),
                    (INTENSITY_SERIES, now.intensity),
                    (PEAK_SERIES, now.peak),
                    (VIOLENCE_SHARE_SERIES, now.violence_share),
                    (VIOLENT_EVENTS_SERIES, now.violent_events),
                ];
                parts
                    .into_iter()
                    .filter(|(_, v)| *v > 0.0)
                    .for_each(|(series, v)| close(series, *country, v));
            }
            if let Some(score) = score {
                close(SCORE_SERIES, *country, *score);
            }
        }
        closes
    }
}

/// The reading that was published last.
fn held(rule: &CountryIndicatorRule, before: Option<&CountryScore>) -> Option<CountryReading> {
    let before = before?.indicators().find(|i| i.key == rule.key)?;
    Some(CountryReading { value: before.value, period_end: before.period_end.unix(), held: true })
}

/// Distributes the score's points over the indicators.
fn distribute_points(pillars: &mut [CountryPillar], score: f64, power: crate::catalogue::power::Power) {
    for pillar in pillars {
        let whole = PillarSquare { weight: pillar.weight, square: pillar.score * pillar.score };
        for indicator in &mut pillar.indicators {
            let part = WeightedScore { weight: indicator.weight, score: indicator.score };
            indicator.contribution = round_half_away(level_in_composite(power, part, whole, score), DECIMALS);
            indicator.weight = round_half_away(indicator.weight, DECIMALS);
        }
        pillar.score = round_half_away(pillar.score, DECIMALS);
        pillar.weight = round_half_away(pillar.weight, DECIMALS);
    }
}

/// Every indicator's part of the change since a day ago: the difference of its points.
fn explain_change(score: &mut CountryScore, then: &CountryScore) {
    let Some((now, before)) = score.score.zip(then.score) else { return };
    score.delta_24h = Some(round_half_away(now - before, DECIMALS));
    let mut gone: BTreeMap<&str, f64> = then.indicators().map(|i| (i.key.as_str(), i.contribution)).collect();
    for indicator in score.pillars.iter_mut().flat_map(|p| &mut p.indicators) {
        let before = gone.remove(indicator.key.as_str()).unwrap_or_default();
        indicator.change_24h = Some(round_half_away(indicator.contribution - before, DECIMALS));
    }
    let left = gone.into_iter().filter(|(_, points)| *points != 0.0);
    score.left =
        left.map(|(key, points)| IndicatorLeft { key: key.to_owned(), change_24h: 0.0 - points }).collect();
}
