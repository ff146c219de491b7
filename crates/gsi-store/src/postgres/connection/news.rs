//! Notifications by NOTIFY, on a separate session. They may be lost with it, so callers poll as well.

use super::connector::PostgresConnector;
use super::session::Session;
use crate::{Result, StoreError};
use postgres::fallible_iterator::FallibleIterator;
use std::time::Duration;

/// Sent in the transaction of the change, so it arrives when the change is visible.
pub const TICK_DONE: &str = "SELECT pg_notify('gsi_news', 'tick')";
pub const KEYS_CHANGED: &str = "SELECT pg_notify('gsi_news', 'keys')";
const LISTEN: &str = "LISTEN gsi_news";

#[derive(Default)]
pub struct News {
    listening: Option<Session>,
}

impl News {
    pub fn wait(&mut self, connector: &PostgresConnector, at_most: Duration) -> Result<()> {
        let Some(session) = &mut self.listening else {
            let mut fresh = Session::connect(connector)?;
            fresh.batch(LISTEN)?;
            self.listening = Some(fresh);
            // Changes before it listened count as news.
            return Ok(());
        };
        let heard = hear(session.client(), at_most);
        if heard.is_err() || session.client().is_closed() {
            self.listening = None;
        }
        heard
    }
}

fn hear(client: &mut postgres::Client, at_most: Duration) -> Result<()> {
    let mut notifications = client.notifications();
    let heard = notifications.timeout_iter(at_most).next()?.is_some();
    // One poll covers all notifications that arrived together.
    while heard && notifications.iter().next()?.is_some() {}
    drop(notifications);
    match client.is_closed() {
        true => Err(StoreError::Unavailable("the listening connection was closed".to_owned())),
        false => Ok(()),
    }
}
