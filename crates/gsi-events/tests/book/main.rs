//! The event book through its own door: the rules one by one, and the properties over random worlds.

mod clustering;
mod heat;
mod judging;
mod properties;
mod world;
