//! The whole service in one process, on a clock that the test sets: simulated publishers, and the real fetcher, pipeline, store and
//! HTTP interface.

mod backfill;
mod cadence;
mod hostile;
mod method_versions;
mod network;
mod outside_ticks;
mod publisher_ahead;
mod refused;
mod rig;
mod silence;
