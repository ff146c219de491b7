//! Countries: the same algebra for each country.
//!
//! [`CountryEngine::compute`] is a function of the two methods, the rows known by the tick, the events of the tick,
//! and the last published snapshot. What the engine keeps between calls only saves work.

mod catalogue;
mod counts;
mod currency;
mod daily;
mod engine;
mod past;
mod score;
mod share;

pub use catalogue::{
    ComparedWith, CountryCatalogue, CountryFormula, CountryIndicatorRule, CountryMethod, CountryParameters,
    EventMeasure, NewsOf,
};
pub use daily::conflict_by_day;
pub use engine::{CountryComputed, CountryEngine, CountryInputs};

/// The feed id of observations that are derived for countries.
pub const COUNTRY_FEED: &str = "countries";

/// Of all articles of a UTC day, the percentage with a row located in one country; the entity is its ISO 3166 alpha-2 code.
/// A country without a row on a day that has any had none.
pub const ATTENTION_BY_COUNTRY_SERIES: &str = "news.articles_by_country";

/// At the close of a day, by country: conflict intensity, highest escalation, share of the world's violence, violent events,
/// and the score.
pub(crate) const INTENSITY_SERIES: &str = "countries.intensity";
pub(crate) const PEAK_SERIES: &str = "countries.peak_escalation";
pub(crate) const VIOLENCE_SHARE_SERIES: &str = "countries.violence_share";
pub(crate) const VIOLENT_EVENTS_SERIES: &str = "countries.violent_events";
pub(crate) const SCORE_SERIES: &str = "countries.score";

/// The series that the engine reads with every catalogue: tallies of news and its own closes.
const NEWS_AND_CLOSES: [&str; 8] = [
    ATTENTION_BY_COUNTRY_SERIES,
    crate::CONFLICT_BY_COUNTRY_SERIES,
    crate::ARTICLES_SERIES,
    INTENSITY_SERIES,
    PEAK_SERIES,
    VIOLENCE_SHARE_SERIES,
    VIOLENT_EVENTS_SERIES,
    SCORE_SERIES,
];
