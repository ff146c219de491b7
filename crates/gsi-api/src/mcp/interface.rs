//! The interface that tools call: in this process or over the network.

use http::Extensions;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// An answer of the public interface.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
    /// `ok`, `degraded` or `stale`, when the answer has it.
    pub data_status: Option<String>,
    pub is_simulated: bool,
}

/// The answer, or why the interface could not be called.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>>;

pub trait Interface: Send + Sync + 'static {
    /// Sends `GET target`, a path with its query. `caller` has the transport's data about the request that asks, above
    /// all its key.
    fn get(&self, target: String, caller: &Extensions) -> ReplyFuture<'_>;
}

impl<I: Interface + ?Sized> Interface for Arc<I> {
    fn get(&self, target: String, caller: &Extensions) -> ReplyFuture<'_> {
        (**self).get(target, caller)
    }
}
