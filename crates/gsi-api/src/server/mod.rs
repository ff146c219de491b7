//! Connections: listening, accepting up to a limit, TLS, HTTP/1.1 and HTTP/2, closing idle and slow connections, and finishing open
//! requests at shutdown. A [`Responder`] answers the requests.

mod acceptor;
mod in_use;
mod interface;
mod listen;
mod metrics_listener;
mod places;
mod responder;
mod tls;

pub use interface::serve;
pub use listen::listen;
pub use metrics_listener::serve_metrics;
pub use tls::{TlsError, TlsSettings, check_tls};
