//! An indicator's value at a tick: its formula, over series or over coded news, and how fresh the result is.

pub(crate) mod freshness;
pub(crate) mod news;
pub(crate) mod reading;
pub(crate) mod tallies;
pub(crate) mod weekday;
pub(crate) mod windowed;
