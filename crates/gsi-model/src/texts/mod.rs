//! Published texts, their corrections, and the cleaning of foreign text.

pub(crate) mod briefing;
pub(crate) mod correction;
pub mod text;
