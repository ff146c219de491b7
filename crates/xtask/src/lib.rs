//! Larger scripts of the project: `cargo xtask bench` measures the service, and `cargo xtask tidy` checks the repository.

pub mod bench;
pub mod tidy;
