//! Feeds, their observations, and what is refused or rejected of their payloads.

pub(crate) mod feed;
pub(crate) mod map_layer;
pub(crate) mod observation;
pub(crate) mod refusal;
