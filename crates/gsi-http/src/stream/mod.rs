//! `GET /stream`: what is published, as server-sent events, while it is published.
//!
//! A publication is written once and sent to all. The HTTP library reads the request and writes the head of the answer;
//! then the connection is taken from it, so that a subscriber costs a small task and no buffers.

mod announce;
mod hub;
mod message;
mod place;
mod subscriber;

pub use hub::Hub;
pub use message::read_id;
pub use place::StreamPlace;
pub use subscriber::Subscription;
