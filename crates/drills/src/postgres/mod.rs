//! Temporary PostgreSQL servers, and small disks for them that a test can fill.

mod binaries;
mod server;
mod small_disk;

pub use server::PostgresServer;
pub use small_disk::SmallDisk;
