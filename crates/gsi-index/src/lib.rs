//! The index: observations and coded news into indicators, pillars and the composite, with their explanation.
//!
//! Pure: no I/O, no clock, no randomness. A [`Method`] is read from the reviewed catalogue, a [`SeriesTable`] mirrors
//! what the store knows, and an [`Engine`] turns both into a snapshot per tick. The same rows, states and tick give
//! the same bytes, whatever was computed before.

#![cfg_attr(
    not(test),
    warn(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::iter_over_hash_type,
        clippy::unwrap_used
    )
)]

mod arithmetic;
pub mod backtest;
mod catalogue;
mod composite;
mod countries;
mod engine;
mod history;
mod indicators;
mod method;
mod rarity;
mod series;

pub use arithmetic::{jackknife, quadratic_mean};
pub use catalogue::power::Power;
pub use catalogue::{
    AlertRule, AlertRules, Catalogue, ContentFade, Formula, Indicator, MethodError, NewsParameters,
    NewsTopic, Parameters, Scale, Spikes, TestedOn,
};
pub use composite::state::join_states;
pub use countries::{
    ATTENTION_BY_COUNTRY_SERIES, COUNTRY_FEED, ComparedWith, CountryCatalogue, CountryComputed,
    CountryEngine, CountryFormula, CountryIndicatorRule, CountryInputs, CountryMethod, CountryParameters,
    EventMeasure, NewsOf, conflict_by_day,
};
pub use engine::{Computed, Engine};
pub use history::file::{HistoryFile, HistoryFileError, PackedRow, PackedSeries, SeriesOrigin};
pub use history::reconstruction::Reconstructor;
pub use indicators::freshness::{business_hours, freshness};
pub use indicators::tallies::tallies_of_day;
pub use method::Method;
pub use method::baseline_file::{BaselineFile, Calibration, Manifest};
pub use method::changes::method_changes;
pub use rarity::calibrate::calibrate;
pub use rarity::survival::{Prior, PriorKind, Rarity, Sample, SampleWorth, Tail, score_from_survival};
pub use series::derived::{ARTICLES_SERIES, CONFLICT_BY_COUNTRY_SERIES, DERIVED_FEED};
pub use series::row::Vintage;
pub use series::table::{SeriesTable, TableLoader};
