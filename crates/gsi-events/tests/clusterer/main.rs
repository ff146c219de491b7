//! The event clusterer through its public interface: the rules one by one, and the properties over random worlds.

mod clustering;
mod conflict_intensity;
mod judging;
mod properties;
mod world;
