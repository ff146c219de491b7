//! Larger scripts of the project: `cargo xtask train-events` teaches the event filter and measures it on what it was not taught;
//! `cargo xtask bench` measures the service; `cargo xtask tidy` checks the repository.

pub mod bench;
pub mod examples;
pub mod fit;
pub mod measure;
pub mod teach;
pub mod tidy;
