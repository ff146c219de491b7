//! Temporary PostgreSQL servers.

mod binaries;
mod server;
mod small_disk;

pub use server::PostgresServer;
pub use small_disk::SmallDisk;
