//! `GET /stream`: publications as server-sent events.
//!
//! A publication is written once and kept for a day in a bounded ring. All subscribers get the same bytes, and a
//! subscriber only keeps its position in the ring.

mod announce;
pub(crate) mod body;
pub(crate) mod endpoint;
mod hub;
mod message;
mod place;
mod subscriber;

pub use hub::StreamHub;
pub use message::read_id;
pub use place::StreamPlace;
pub use subscriber::Subscription;
