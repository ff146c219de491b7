//! Daily closes of everything that changes tick by tick, stored as observations so that history outlives the ticks.

use crate::catalogue::{Formula, NewsTopic};
use crate::composite::alerts::subject_key;
use crate::composite::state::EngineState;
use crate::indicators::news::{LastDay, NewsContext, own_shares, shares_of_all};
use crate::method::Method;
use crate::rarity::baseline::close_series;
use crate::series::derived::{
    ARTICLES_SERIES, COMPOSITE_SERIES, CONFLICT_BY_COUNTRY_SERIES, COUNTRY_SERIES, DERIVED_FEED,
    PILLAR_SERIES, UNSMOOTHED_SERIES,
};
use crate::series::table::SeriesTable;
use gsi_model::{Day, FeedId, Observation, Pillar, Timestamp};

/// The closes of the day of `state`'s tick, as known at that tick.
pub(crate) fn of_day(
    method: &Method,
    table: &SeriesTable,
    news: &NewsContext,
    state: &EngineState,
    known_at: Timestamp,
) -> Vec<Observation> {
    let tick = state.tick;
    let day = Timestamp::from_unix(tick).day();
    let mut closes = Vec::new();
    let mut close = |series: String, entity: &str, value: f64, quality: f64| {
        closes.push(observation(series, entity, day, value, quality, known_at));
    };
    if let Some(composite) = &state.composite {
        close(COMPOSITE_SERIES.to_owned(), "", composite.score, 1.0);
        close(UNSMOOTHED_SERIES.to_owned(), subject_key(None), composite.unsmoothed, 1.0);
    }
    for (pillar, kept) in Pillar::ALL.iter().zip(&state.pillars) {
        if let Some(kept) = kept {
            close(PILLAR_SERIES.to_owned(), pillar.key(), kept.score, 1.0);
            close(UNSMOOTHED_SERIES.to_owned(), subject_key(Some(*pillar)), kept.unsmoothed, 1.0);
        }
    }
    let mut spread_over = None;
    for (indicator, kept) in method.indicators().iter().zip(&state.indicators) {
        if let Formula::ConflictSpread { min_articles, .. } = &indicator.formula {
            spread_over = Some(*min_articles);
        }
        // A reading held over from another day is no reading of this day.
        let today = kept.reading.as_ref().filter(|r| r.taken_at > day.start().unix());
        let has_closes = indicator.formula.is_fast() && !indicator.formula.is_over_tallies();
        if let Some(reading) = today.filter(|_| has_closes) {
            close(close_series(&indicator.key), "", reading.scored, reading.quality);
        }
    }
    let last = LastDay::ending(table, tick);
    let says_something = news.volume_quality(&method.parameters().news, &last.news).is_some();
    if last.news.newest <= day.start().unix() || last.news.articles == 0 || !says_something {
        return closes;
    }
    close(ARTICLES_SERIES.to_owned(), "", last.news.articles as f64, 1.0);
    for topic in NewsTopic::ALL {
        if let Some(share) = last.news.share(topic) {
            close(topic.close_series().to_owned(), "", share, 1.0);
        }
    }
    for (country, share) in shares_of_all(&last.countries, last.news.articles) {
        close(CONFLICT_BY_COUNTRY_SERIES.to_owned(), country.as_str(), share, 1.0);
    }
    for (country, share) in spread_over.into_iter().flat_map(|min| own_shares(&last.countries, min)) {
        close(COUNTRY_SERIES.to_owned(), country.as_str(), share, 1.0);
    }
    closes
}

fn observation(
    series: String,
    entity: &str,
    day: Day,
    value: f64,
    quality: f64,
    known_at: Timestamp,
) -> Observation {
    Observation {
        series,
        entity: entity.to_owned(),
        period_start: day.start(),
        period_end: day.end(),
        value,
        known_at,
        ingested_at: known_at,
        revision: 0,
        quality,
        feed: FeedId::new(DERIVED_FEED),
        raw: String::new(),
    }
}
