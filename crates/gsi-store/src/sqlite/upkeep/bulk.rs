//! Reading and loading a whole file.

use crate::sqlite::SqliteStore;
use crate::upkeep::bulk::{Bulk, ColumnKind, Loading, StoreTable, Value, View};
use crate::{Result, StoreError};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ToSql, Transaction, TransactionBehavior, params_from_iter};

impl Bulk for SqliteStore {
    fn viewing(&self, work: &mut dyn FnMut(&mut dyn View) -> Result<()>) -> Result<()> {
        // A separate read transaction does not block the writer and the readers.
        let mut conn = self.place.connect()?;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Deferred)?;
        work(&mut SqliteView(&tx))
    }

    fn loading(&self, work: &mut dyn FnMut(&mut dyn Loading) -> Result<()>) -> Result<()> {
        let mut writer = self.writer();
        writer.synced = None;
        writer.choose_durability()?;
        let tx = writer.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute("DELETE FROM counter", [])?;
        work(&mut SqliteLoading(&tx))?;
        tx.commit()?;
        Ok(())
    }

    fn verify(&self) -> Result<()> {
        self.readers.with(|conn| {
            let verdict: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
            match verdict == "ok" {
                true => dangling(conn),
                false => Err(StoreError::Corrupt(verdict)),
            }
        })
    }
}

fn dangling(conn: &Connection) -> Result<()> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    match rows.next()? {
        None => Ok(()),
        Some(row) => {
            let table: String = row.get(0)?;
            Err(StoreError::Corrupt(format!("a row of {table} refers to a missing row")))
        }
    }
}

struct SqliteView<'c>(&'c Transaction<'c>);

impl View for SqliteView<'_> {
    fn events(&self) -> &'static str {
        "(SELECT v.*, b.body FROM event_version v JOIN event_body b ON b.key = v.key)"
    }

    fn rows(&mut self, sql: &str, each: &mut dyn FnMut(Vec<Value>) -> Result<()>) -> Result<()> {
        let mut statement = self.0.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(columns);
            for column in 0..columns {
                values.push(match row.get_ref(column)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(n) => Value::Int(n),
                    ValueRef::Real(x) => Value::Real(x),
                    ValueRef::Text(text) => Value::Text(
                        String::from_utf8(text.to_vec())
                            .map_err(|_| StoreError::Corrupt("a text that is not UTF-8".to_owned()))?,
                    ),
                    ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
                });
            }
            each(values)?;
        }
        Ok(())
    }
}

struct SqliteLoading<'c>(&'c Transaction<'c>);

impl Loading for SqliteLoading<'_> {
    fn load(&mut self, table: &'static StoreTable, mut rows: Vec<Vec<Value>>) -> Result<()> {
        let mut columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
        // SQLite stores the bodies of events in a separate table.
        if table.name == "event_version" {
            columns.pop();
            let mut body = self.0.prepare_cached("INSERT INTO event_body (key, body) VALUES (?1, ?2)")?;
            for row in &mut rows {
                let packed = row.pop().unwrap_or(Value::Null);
                body.execute(params_from_iter([&row[0], &packed].map(bound)))?;
            }
        }
        let places = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {} ({}) VALUES ({places})", table.name, columns.join(", "));
        let mut statement = self.0.prepare_cached(&sql)?;
        for row in &rows {
            debug_assert!(row.len() == columns.len() && table.columns[0].1 != ColumnKind::Real);
            statement.execute(params_from_iter(row.iter().map(bound)))?;
        }
        Ok(())
    }
}

fn bound(value: &Value) -> Box<dyn ToSql + '_> {
    match value {
        Value::Null => Box::new(rusqlite::types::Null),
        Value::Int(n) => Box::new(*n),
        Value::Real(x) => Box::new(*x),
        Value::Text(text) => Box::new(text.as_str()),
        Value::Blob(bytes) => Box::new(bytes.as_slice()),
    }
}
