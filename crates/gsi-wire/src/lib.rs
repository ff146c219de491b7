//! What callers see: the bodies with their schemas, the same as tables and feeds, the score as a picture. Apart from the domain
//! types, so that neither changes the other by accident. Field order is the order on the wire.

pub mod alerts;
mod beside;
pub mod briefings;
pub mod countries;
pub mod country_features;
pub mod encoding;
pub mod events;
pub mod explain;
pub mod history;
pub mod hooks;
pub mod inputs;
pub mod layers;
pub mod likeness;
pub mod method;
pub mod method_changes;
mod number;
mod outlines;
pub mod picture;
pub mod reconstruction;
mod score_context;
pub mod scores;
pub mod service;
pub mod stream;
pub mod syndication;
pub mod table;

pub use number::Number;

use bytes::Bytes;
use serde::Serialize;

/// The body's bytes. Wire types hold nothing that can fail to serialise; an empty body would be noticed by every test.
pub fn bytes<T: Serialize>(body: &T) -> Bytes {
    // Prepared bodies stay for long: without the room they grew into.
    serde_json::to_vec(body).unwrap_or_default().into_boxed_slice().into()
}
