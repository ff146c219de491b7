//! The texts of a tick: which are written when, and the data they use.

pub mod briefings;
pub mod corrections;
pub mod recent_briefings;
pub mod scene;
