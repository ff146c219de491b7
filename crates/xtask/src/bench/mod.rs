//! Measurements that set other programs beside ours. Everything stays on loopback and ends by itself.

mod caller;
pub mod decode;
mod median;
pub mod replicas;
mod server;
pub mod service;
