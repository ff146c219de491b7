//! Authentication: keys, sessions, public reading, rate limits and the client's address.

pub(crate) mod authenticate;
pub(crate) mod client_address;
pub(crate) mod cors;
mod digest;
pub(crate) mod endpoint;
pub(crate) mod key_ring;
pub mod keys;
pub(crate) mod public;
pub(crate) mod public_reading;
mod rate;
pub(crate) mod session;

pub(crate) use digest::{seal, sha256};
