//! Reading and loading a whole database.

use crate::postgres::PostgresStore;
use crate::postgres::connection::session::Session;
use crate::postgres::tables::news_parts;
use crate::upkeep::bulk::{Bulk, ColumnKind, Loading, StoreTable, Value, View};
use crate::{Result, StoreError};
use postgres::Row;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};

impl Bulk for PostgresStore {
    fn viewing(&self, work: &mut dyn FnMut(&mut dyn View) -> Result<()>) -> Result<()> {
        self.sessions.with(|session| {
            // One snapshot for all tables. The caller may pause between rows.
            session.batch(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0",
            )?;
            let done = work(&mut PostgresView(session));
            session.batch("ROLLBACK")?;
            done
        })
    }

    fn loading(&self, work: &mut dyn FnMut(&mut dyn Loading) -> Result<()>) -> Result<()> {
        self.sessions.with(|session| {
            session.transaction(|session| {
                session.batch("SET LOCAL idle_in_transaction_session_timeout = 0; DELETE FROM counter")?;
                work(&mut PostgresLoading(session))?;
                for table in crate::upkeep::bulk::TABLES.iter().filter(|t| t.numbered) {
                    session.batch(&format!(
                        "SELECT setval(pg_get_serial_sequence('{0}', 'key'), coalesce(max(key), 0) + 1, false)
                         FROM {0}",
                        table.name
                    ))?;
                }
                Ok(())
            })
        })
    }

    fn verify(&self) -> Result<()> {
        // The server checks its pages (checksums, amcheck). The references of observations are checked here.
        self.sessions.with(|session| {
            let dangling = session.first(
                "SELECT 1 FROM observation o
                 WHERE NOT EXISTS (SELECT 1 FROM series s WHERE s.key = o.series)
                    OR NOT EXISTS (SELECT 1 FROM payload p WHERE p.key = o.payload) LIMIT 1",
                &[],
            )?;
            match dangling {
                None => Ok(()),
                Some(_) => {
                    Err(StoreError::Corrupt("an observation of an unknown series or payload".to_owned()))
                }
            }
        })
    }
}

struct PostgresView<'s>(&'s mut Session);

impl View for PostgresView<'_> {
    fn events(&self) -> &'static str {
        "event_version"
    }

    fn rows(&mut self, sql: &str, each: &mut dyn FnMut(Vec<Value>) -> Result<()>) -> Result<()> {
        let client = self.0.client();
        let statement = client.prepare(sql)?;
        let none: [&(dyn ToSql + Sync); 0] = [];
        let mut rows = client.query_raw(&statement, none)?;
        while let Some(row) = rows.next()? {
            let values: Result<Vec<Value>> = (0..row.len()).map(|column| read(&row, column)).collect();
            each(values?)?;
        }
        Ok(())
    }
}

fn read(row: &Row, column: usize) -> Result<Value> {
    let kind = row.columns()[column].type_();
    let value = match *kind {
        Type::INT8 => row.try_get::<_, Option<i64>>(column)?.map(Value::Int),
        Type::INT4 => row.try_get::<_, Option<i32>>(column)?.map(|n| Value::Int(n.into())),
        Type::BOOL => row.try_get::<_, Option<bool>>(column)?.map(|b| Value::Int(b.into())),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.map(Value::Real),
        Type::TEXT => row.try_get::<_, Option<String>>(column)?.map(Value::Text),
        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.map(Value::Blob),
        _ => return Err(StoreError::Corrupt(format!("a column of type {kind}"))),
    };
    Ok(value.unwrap_or(Value::Null))
}

struct PostgresLoading<'s>(&'s mut Session);

impl Loading for PostgresLoading<'_> {
    fn load(&mut self, table: &'static StoreTable, rows: Vec<Vec<Value>>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        if table.name == "news_row" {
            let number = |row: &Vec<Value>| match row.first() {
                Some(Value::Int(n)) => Some(*n),
                _ => None,
            };
            let numbers: Vec<i64> = rows.iter().filter_map(number).collect();
            news_parts::make(self.0, &numbers)?;
        }
        let types: Vec<Type> = table.columns.iter().map(|(_, kind)| column_type(*kind)).collect();
        // COPY keeps the given numbers, also in columns that generate theirs.
        let sql = format!("COPY {} ({}) FROM STDIN BINARY", table.name, table.column_list());
        let mut writer = BinaryCopyInWriter::new(self.0.client().copy_in(&sql)?, &types);
        for row in &rows {
            let bound: Vec<Box<dyn ToSql + Sync + '_>> =
                row.iter().zip(table.columns).map(|(value, (_, kind))| bind(value, *kind)).collect();
            let references: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|b| &**b).collect();
            writer.write(&references)?;
        }
        writer.finish()?;
        Ok(())
    }
}

fn column_type(kind: ColumnKind) -> Type {
    match kind {
        ColumnKind::Int => Type::INT8,
        ColumnKind::Small => Type::INT4,
        ColumnKind::Bool => Type::BOOL,
        ColumnKind::Real => Type::FLOAT8,
        ColumnKind::Text => Type::TEXT,
        ColumnKind::Blob => Type::BYTEA,
    }
}

fn bind(value: &Value, kind: ColumnKind) -> Box<dyn ToSql + Sync + '_> {
    match (value, kind) {
        (Value::Null, ColumnKind::Int) => Box::new(None::<i64>),
        (Value::Null, ColumnKind::Small) => Box::new(None::<i32>),
        (Value::Null, ColumnKind::Bool) => Box::new(None::<bool>),
        (Value::Null, ColumnKind::Real) => Box::new(None::<f64>),
        (Value::Null, ColumnKind::Text) => Box::new(None::<&str>),
        (Value::Null, ColumnKind::Blob) => Box::new(None::<&[u8]>),
        (Value::Int(n), ColumnKind::Small) => Box::new(*n as i32),
        (Value::Int(n), ColumnKind::Bool) => Box::new(*n != 0),
        (Value::Int(n), _) => Box::new(*n),
        (Value::Real(x), _) => Box::new(*x),
        (Value::Text(text), _) => Box::new(text.as_str()),
        (Value::Blob(bytes), _) => Box::new(bytes.as_slice()),
    }
}
