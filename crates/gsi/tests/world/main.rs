//! The whole service in one process on a clock that the test turns: simulated publishers, the real fetcher, pipeline and
//! store, and the HTTP room in front.

mod backfill;
mod beside;
mod cadence;
mod hostile;
mod method_versions;
mod network;
mod publisher_ahead;
mod refused;
mod rig;
mod silence;
