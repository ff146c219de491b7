//! The state in memory: the published snapshot, the keys, and this replica's part among the others.

pub(crate) mod published;
pub(crate) mod replica;
pub(crate) mod service;
