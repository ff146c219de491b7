//! The daily closes of all that moves tick by tick, written down as observations so that history outlives the ticks.

use crate::baseline::close_series;
use crate::catalogue::{Formula, NewsTopic};
use crate::method::Method;
use crate::news::{ARTICLES_SERIES, COUNTRY_SERIES, DayOfNews, HEAT_SERIES, country_shares, newest};
use crate::record::{COMPOSITE_SERIES, PILLAR_SERIES};
use crate::state::State;
use crate::table::SeriesTable;
use gsi_model::{Day, FeedId, Observation, Pillar, Timestamp};

/// The feed id of observations that the index derives.
pub const DERIVED_FEED: &str = "index";

/// The closes of the day of `state`'s tick, as known at that tick.
pub(crate) fn of_day(
    method: &Method,
    table: &SeriesTable,
    state: &State,
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
    }
    for (pillar, kept) in Pillar::ALL.iter().zip(&state.pillars) {
        if let Some(kept) = kept {
            close(PILLAR_SERIES.to_owned(), pillar.key(), kept.score, 1.0);
        }
    }
    let mut countries = None;
    let mut heat = None;
    for (indicator, kept) in method.indicators().iter().zip(&state.indicators) {
        match &indicator.formula {
            Formula::ConflictSpread { min_articles, .. } => countries = Some(*min_articles),
            Formula::EventVelocity { series } => heat = Some(series),
            _ => {}
        }
        // A reading held over from another day says nothing about this one.
        let today = kept.reading.as_ref().filter(|r| r.taken_at > day.start().unix());
        if let Some(reading) = today.filter(|_| indicator.formula.is_fast()) {
            close(close_series(&indicator.key), "", reading.scored, reading.quality);
        }
    }
    let news = DayOfNews::ending(table, tick, tick);
    if news.newest <= day.start().unix() || news.articles == 0 {
        return closes;
    }
    close(ARTICLES_SERIES.to_owned(), "", news.articles as f64, 1.0);
    for topic in NewsTopic::ALL {
        if let Some(share) = news.share(topic) {
            close(topic.close_series().to_owned(), "", share, 1.0);
        }
    }
    if let Some((value, (end, _))) = heat.and_then(|series| newest(table, series, tick))
        && end > day.start().unix()
    {
        close(HEAT_SERIES.to_owned(), "", value, 1.0);
    }
    for (country, share) in countries.map(|min| country_shares(table, tick, tick, min)).unwrap_or_default() {
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
