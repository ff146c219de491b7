//! The forms of a body: JSON, CSV, Atom and JSON Feed, compressed or plain, and how a client and the service agree on one.

pub(crate) mod encoded_body;
pub(crate) mod encoding;
pub(crate) mod form;
pub(crate) mod headers;
pub(crate) mod negotiate;
mod number;
pub(crate) mod syndication;
pub(crate) mod table;

pub(crate) use number::{Number, apportion};

use bytes::Bytes;
use serde::Serialize;

/// Serialises a body. Wire types have no value that fails to serialise; an empty body fails every contract test.
pub(crate) fn json_bytes<T: Serialize>(body: &T) -> Bytes {
    // Prepared bodies stay in memory, so spare capacity is released.
    serde_json::to_vec(body).unwrap_or_default().into_boxed_slice().into()
}
