//! A connection to the server with its prepared statements.
//!
//! Requests read within a [`ReadLimit`]. Ticks and operators' commands have none: a first start reads all observations, and no
//! caller hangs up on it.

use super::client::BlockingClient;
use super::connector::PostgresConnector;
use crate::{ReadLimit, Result};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres::{Client, Row, Statement};
use std::collections::HashMap;
use std::time::Duration;

/// A writer that froze inside a transaction must not delay the others, and no writer may wait for a lock without end.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = '15s'; \
                        SET client_min_messages = 'warning'";

pub type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

pub struct Session {
    client: BlockingClient,
    statements: HashMap<&'static str, Statement>,
    /// A transaction was neither committed nor rolled back, so the session must not be used again.
    broken: bool,
    /// The limit of the present caller. The server ends statements at its deadline.
    limit: Option<ReadLimit>,
}

impl Session {
    pub fn connect(connector: &PostgresConnector) -> Result<Self> {
        let mut client = BlockingClient::new(connector.connect()?);
        client.batch_execute(SETTINGS)?;
        Ok(Session { client, statements: HashMap::new(), broken: false, limit: None })
    }

    /// Sets the limit of the present caller.
    pub fn take_limit(&mut self, limit: Option<&ReadLimit>) -> Result<()> {
        let was_limited = self.limit.is_some();
        self.limit = limit.cloned();
        match limit {
            Some(limit) => {
                limit.check()?;
                // 0 would be no limit at all.
                let millis = limit.left().as_millis().max(1);
                self.batch(&format!("SET statement_timeout = {millis}"))
            }
            None if was_limited => self.batch("SET statement_timeout = 0"),
            None => Ok(()),
        }
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    pub fn batch(&mut self, sql: &str) -> Result<()> {
        Ok(self.client.batch_execute(sql)?)
    }

    pub fn run(&mut self, sql: &'static str, params: Params<'_>) -> Result<u64> {
        let statement = self.statement(sql)?;
        Ok(self.client.execute(&statement, params)?)
    }

    pub fn rows(&mut self, sql: &'static str, params: Params<'_>) -> Result<Vec<Row>> {
        let statement = self.statement(sql)?;
        Ok(self.client.query(&statement, params)?)
    }

    pub fn first(&mut self, sql: &'static str, params: Params<'_>) -> Result<Option<Row>> {
        let statement = self.statement(sql)?;
        Ok(self.client.query_opt(&statement, params)?)
    }

    /// Calls `each` with every row, for results that should not be in memory at once.
    pub fn each(
        &mut self,
        sql: &'static str,
        params: Params<'_>,
        mut each: impl FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        let statement = self.statement(sql)?;
        let limit = self.limit.clone();
        let mut rows = self.client.query_raw(&statement, params.iter().copied())?;
        while let Some(row) = rows.next()? {
            limit.as_ref().map_or(Ok(()), ReadLimit::check)?;
            each(&row)?;
        }
        Ok(())
    }

    /// Streams rows into a table.
    pub fn copy<'v, T: 'v>(
        &mut self,
        sql: &'static str,
        types: &[Type],
        values: impl Iterator<Item = T>,
        mut write: impl FnMut(T, &mut dyn FnMut(Params<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let mut writer = BinaryCopyInWriter::new(self.client.copy_in(sql)?, types);
        for value in values {
            write(value, &mut |row| Ok(writer.write(row)?))?;
        }
        writer.finish()?;
        Ok(())
    }

    /// Commits the work, or rolls it back if it fails.
    pub fn transaction<T>(&mut self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        self.batch("BEGIN")?;
        let done = work(self).and_then(|value| {
            self.batch("COMMIT")?;
            Ok(value)
        });
        if done.is_err() {
            // If this fails, the server rolls it back when the connection closes.
            self.broken = self.batch("ROLLBACK").is_err();
        }
        done
    }

    pub fn is_broken(&self) -> bool {
        self.broken
    }

    pub fn is_alive(&mut self, within: Duration) -> bool {
        self.client.is_valid(within).is_ok()
    }

    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }
}
