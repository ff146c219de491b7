//! Larger scripts of the project: `cargo xtask train-events` trains the event filter and measures it on held-out
//! days; `cargo xtask bench` measures the service; `cargo xtask tidy` checks the repository.

pub mod bench;
pub mod examples;
pub mod fit;
pub mod measure;
pub mod teach;
pub mod tidy;
