//! `GET /stream`: what is published, as server-sent events, while it is published.
//!
//! A publication is written once, kept for a day in a bounded ring, and the same bytes are sent to every subscriber, who
//! keeps a position in the ring and nothing else.

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
