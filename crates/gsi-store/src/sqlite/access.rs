//! Keys, secrets of the installation, and small named values.

use super::Writer;
use crate::{Pulse, Result, StoreError, key_columns};
use gsi_model::{ApiKey, RateLimit, Timestamp};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

pub fn put_key(writer: &mut Writer, key: &ApiKey) -> Result<()> {
    // A revocation must hold after a power cut.
    writer.synced = None;
    writer.choose_durability()?;
    let tx = writer.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute(
        "INSERT INTO api_key (id, name, secret_hash, scopes, rate_per_minute, rate_burst, created_at, expires_at,
                              revoked_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (id) DO UPDATE SET
             name = excluded.name, secret_hash = excluded.secret_hash, scopes = excluded.scopes,
             rate_per_minute = excluded.rate_per_minute, rate_burst = excluded.rate_burst,
             created_at = excluded.created_at, expires_at = excluded.expires_at,
             revoked_at = coalesce(api_key.revoked_at, excluded.revoked_at)",
        params![
            key.id,
            key.name,
            key.secret_hash,
            key_columns::join_scopes(&key.scopes),
            key.rate.map(|r| r.per_minute),
            key.rate.map(|r| r.burst),
            key.created_at.unix(),
            key.expires_at.map(Timestamp::unix),
            key.revoked_at.map(Timestamp::unix),
        ],
    )?;
    tx.execute("UPDATE counter SET value = value + 1 WHERE name = 'keys'", [])?;
    tx.commit()?;
    Ok(())
}

pub fn keys(conn: &Connection) -> Result<Vec<ApiKey>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, name, secret_hash, scopes, rate_per_minute, rate_burst, created_at, expires_at, revoked_at
         FROM api_key ORDER BY created_at, id",
    )?;
    let mut rows = statement.query([])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        let scopes: String = row.get(3)?;
        let rate: (Option<u32>, Option<u32>) = (row.get(4)?, row.get(5)?);
        keys.push(ApiKey {
            id: row.get(0)?,
            name: row.get(1)?,
            secret_hash: row.get(2)?,
            scopes: key_columns::split_scopes(&scopes)?,
            rate: match rate {
                (Some(per_minute), Some(burst)) => Some(RateLimit { per_minute, burst }),
                _ => None,
            },
            created_at: Timestamp::from_unix(row.get(6)?),
            expires_at: row.get::<_, Option<i64>>(7)?.map(Timestamp::from_unix),
            revoked_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_unix),
        });
    }
    Ok(keys)
}

pub fn keys_version(conn: &Connection) -> Result<i64> {
    let version = conn
        .prepare_cached("SELECT value FROM counter WHERE name = 'keys'")?
        .query_row([], |row| row.get(0))?;
    Ok(version)
}

pub fn pulse(conn: &Connection) -> Result<Pulse> {
    let newest = |sql: &str| -> Result<Option<Timestamp>> {
        let tick: Option<i64> = conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(tick.map(Timestamp::from_unix))
    };
    Ok(Pulse {
        frontier: newest("SELECT max(tick) FROM engine_state")?,
        published: newest("SELECT max(tick) FROM snapshot")?,
        keys_version: keys_version(conn)?,
    })
}

pub fn secret(writer: &mut Writer, name: &str) -> Result<[u8; 32]> {
    let find = "SELECT value FROM secret WHERE name = ?1";
    if let Some(known) = writer.conn.query_row(find, [name], |row| row.get(0)).optional()? {
        return Ok(known);
    }
    let fresh = key_columns::random_secret()?;
    writer.synced = None;
    writer.choose_durability()?;
    writer.conn.execute(
        "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
        params![name, fresh],
    )?;
    // Another process may have been first.
    Ok(writer.conn.query_row(find, [name], |row| row.get(0))?)
}

pub fn meta(conn: &Connection, name: &str) -> Result<Option<String>> {
    let value = conn
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(value)
}

pub fn set_meta(writer: &mut Writer, name: &str, value: &str) -> Result<(), StoreError> {
    writer.choose_durability()?;
    writer.conn.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)", [name, value])?;
    Ok(())
}
