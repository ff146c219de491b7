//! What is served and to whom: the publication as prepared bytes, keys and limits, what is known of a request, and the layers
//! around every endpoint. The endpoints themselves are in `gsi-http`.
//!
//! A crate of its own because every request goes through it: it is built for speed, while endpoints and bodies are built small.

mod answers;
mod assets;
pub mod client_address;
pub mod context;
mod cors;
pub mod cursor;
mod digest;
pub mod encoded_body;
pub mod endpoint;
pub mod form;
pub mod formed;
pub mod guarded;
pub mod headers;
pub mod key_ring;
pub mod keys;
pub mod layers;
pub mod log;
mod metrics;
pub mod negotiate;
pub mod pages;
pub mod past;
pub mod prepared;
pub mod problem;
pub mod public;
mod public_reading;
mod published;
pub mod query;
mod rate;
pub mod replica;
pub mod service;
pub mod session;
pub mod settings;
pub mod stream;
