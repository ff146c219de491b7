//! How rare a value is: an indicator's history and prior, and the survival probability that becomes a score.

pub(crate) mod baseline;
pub(crate) mod calibrate;
pub(crate) mod survival;
