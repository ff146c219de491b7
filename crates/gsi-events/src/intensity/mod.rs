//! What events add up to: escalation, conflict intensity, how rare it is, and the series derived from them.

pub(crate) mod conflict_intensity;
pub mod derived;
pub(crate) mod escalation;
pub(crate) mod news;
pub(crate) mod rarity;
