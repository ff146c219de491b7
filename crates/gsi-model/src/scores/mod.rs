//! What the method publishes: snapshots of the world and of countries, their context, and the reconstructed past.

pub(crate) mod analogue;
pub(crate) mod band;
pub(crate) mod country_score;
pub(crate) mod method_change;
pub(crate) mod pillar;
pub(crate) mod reconstruction;
pub(crate) mod round;
pub(crate) mod score_context;
pub(crate) mod snapshot;
pub(crate) mod words;
