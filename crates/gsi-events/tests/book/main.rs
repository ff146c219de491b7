//! The event book through its own door: the rules one by one, the properties over random worlds, and the cost of a tick.

mod clustering;
mod cost;
mod heat;
mod properties;
mod world;
