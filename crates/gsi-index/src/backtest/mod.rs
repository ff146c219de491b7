//! The validation protocol: does the index rise in the days after known crises, and how often does it rise otherwise?
//!
//! Every value is used only from its `known_at` on. Days are scored at their last tick. The module takes a table and
//! a list of crises and returns a report and the daily series; the caller reads files and draws.

mod alerts;
mod arms;
pub mod coded;
mod labels;
mod lists;
mod metrics;
mod paired;
mod report;
mod series;

pub(crate) use alerts::spells;
pub use labels::{CrisisError, parse_crises};
pub use lists::{CrisisList, ListReport, ListSeparation, by_list};
pub use paired::{PairedSeparation, compare};
pub use report::{Alerts, Arm, BacktestReport, Half, Separation, Stability, WithoutFeed, run};
pub use series::{DailyPoint, History, method_on, tested_weight};
