//! Reports become events: one event as it grows, the index of open events, and the clusterer that updates them.

pub(crate) mod cluster;
pub(crate) mod cluster_index;
pub(crate) mod clusterer;
