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

mod alerts;
mod algebra;
mod arithmetic;
mod attribution;
pub mod backtest;
mod baseline;
mod baseline_file;
mod calibrate;
mod catalogue;
mod closes;
mod compose;
mod countries;
mod derived_series;
mod engine;
mod freshness;
#[cfg(test)]
mod golden;
mod growth;
mod history_file;
mod method;
mod method_changes;
mod news;
mod power;
mod publish;
mod reading;
mod reconstruction;
mod record;
mod row;
mod snapshot;
mod state;
mod survival;
mod table;
mod tallies;
mod weekday;
mod windowed;

pub use arithmetic::{jackknife, quadratic_mean};
pub use baseline_file::{BaselineFile, Calibration, Manifest};
pub use calibrate::calibrate;
pub use catalogue::{
    AlertRule, AlertRules, Catalogue, ContentFade, Formula, Indicator, MethodError, NewsParameters,
    NewsTopic, Parameters, Scale, Spikes, TestedOn,
};
pub use countries::{
    ATTENTION_BY_COUNTRY_SERIES, COUNTRY_FEED, ComparedWith, CountryCatalogue, CountryComputed,
    CountryEngine, CountryFormula, CountryIndicatorRule, CountryInputs, CountryMethod, CountryParameters,
    EventMeasure, NewsOf, conflict_by_day,
};
pub use derived_series::{ARTICLES_SERIES, CONFLICT_BY_COUNTRY_SERIES, DERIVED_FEED};
pub use engine::{Computed, Engine};
pub use freshness::{business_hours, freshness};
pub use history_file::{HistoryFile, HistoryFileError, PackedRow, PackedSeries, SeriesOrigin};
pub use method::Method;
pub use method_changes::method_changes;
pub use power::Power;
pub use reconstruction::Reconstructor;
pub use row::Vintage;
pub use state::join_states;
pub use survival::{Prior, PriorKind, Rarity, Sample, SampleWorth, Tail, score_from_survival};
pub use table::{SeriesTable, TableLoader};
pub use tallies::tallies_of_day;
