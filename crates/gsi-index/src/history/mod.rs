//! The packed history and what the method computes from it: the reconstruction of past days.

pub(crate) mod file;
pub(crate) mod reconstruction;
