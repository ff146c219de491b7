//! What the tools ask: the public interface, in this process or over the network.

use http::Extensions;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// An answer of the public interface.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
    /// `ok`, `degraded` or `stale`, where the answer says so.
    pub data_status: Option<String>,
    pub is_simulated: bool,
}

/// An answer to come, or why the interface could not be asked at all.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>>;

pub trait Interface: Send + Sync + 'static {
    /// `GET target`, a path with its query. `caller` is what the transport knows of the request that asks, its key above all.
    fn get(&self, target: String, caller: &Extensions) -> ReplyFuture<'_>;
}

impl<I: Interface + ?Sized> Interface for Arc<I> {
    fn get(&self, target: String, caller: &Extensions) -> ReplyFuture<'_> {
        (**self).get(target, caller)
    }
}
