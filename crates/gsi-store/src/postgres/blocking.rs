//! The driver waits on a runtime of its own, which a thread that already drives one must step out of first.

use postgres::Client;
use std::ops::{Deref, DerefMut};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Does work that waits, wherever it is called. On the thread of a single-threaded runtime that is not possible.
pub fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match flavor() {
        Some(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

fn flavor() -> Option<RuntimeFlavor> {
    Handle::try_current().ok().map(|handle| handle.runtime_flavor())
}

/// A client that can also be dropped anywhere: saying good-bye waits.
pub struct Line(Option<Client>);

impl Line {
    pub fn new(client: Client) -> Self {
        Line(Some(client))
    }
}

impl Deref for Line {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.0.as_ref().expect("only drop takes it")
    }
}

impl DerefMut for Line {
    fn deref_mut(&mut self) -> &mut Client {
        self.0.as_mut().expect("only drop takes it")
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let client = self.0.take();
        match flavor() {
            // There is no stepping out of a single-threaded one.
            Some(RuntimeFlavor::CurrentThread) => drop(std::thread::spawn(|| drop(client)).join()),
            _ => blocking(|| drop(client)),
        }
    }
}
