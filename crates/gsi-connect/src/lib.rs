//! Connections: listening, accepting up to a limit, TLS, HTTP/1.1 and HTTP/2, closing the idle and the slow, finishing what is
//! open at the end. What the answers say is a [`Responder`]'s business.
//!
//! A crate of its own because the HTTP library is generic: its code is compiled where its services are named, which is here and
//! once, for every listener, and built for speed while the endpoints are built small.

mod acceptor;
mod in_use;
mod listen;
mod places;
mod responder;
mod tls;

pub use acceptor::{Acceptor, ConnectionSettings};
pub use listen::listen;
pub use places::{ConnectionPlaces, SharedAddresses};
pub use responder::{ConnectionEvent, Responder, ResponseBody, ResponseFuture};
pub use tls::{Certificates, TlsError, TlsSettings, check_tls};
