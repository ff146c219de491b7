//! The driver's client for blocking callers. It waits on a separate runtime, which a thread of another runtime must not do.

use postgres::Client;
use std::ops::{Deref, DerefMut};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs work that waits for the server, also on a thread of a multi-threaded runtime. A single-threaded runtime has no thread
/// to spare for it.
pub fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// A client that can be dropped on any thread. The driver's own panics on a thread of a runtime, because closing waits.
pub struct BlockingClient(Option<Client>);

impl BlockingClient {
    pub fn new(client: Client) -> Self {
        BlockingClient(Some(client))
    }
}

impl Deref for BlockingClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.0.as_ref().expect("only drop takes it")
    }
}

impl DerefMut for BlockingClient {
    fn deref_mut(&mut self) -> &mut Client {
        self.0.as_mut().expect("only drop takes it")
    }
}

impl Drop for BlockingClient {
    fn drop(&mut self) {
        let client = self.0.take();
        match Handle::try_current() {
            Ok(_) => drop(std::thread::spawn(|| drop(client)).join()),
            Err(_) => drop(client),
        }
    }
}
