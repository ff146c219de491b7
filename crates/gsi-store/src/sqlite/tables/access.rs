//! Keys, the installation's secrets, and small named values.

use crate::interface::key_audit::{ChangeNote, KeyAction, KeyAuditEntry, PreviousSecret, previous_name};
use crate::rows::keys::{join_scopes, random_secret, split_scopes};
use crate::sqlite::{SqliteStore, Writer};
use crate::{KeyStore, Pulse, Result, StoreError};
use gsi_model::{ApiKey, KeyId, RateLimit, Timestamp};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

pub fn put_key(writer: &mut Writer, key: &ApiKey, note: &ChangeNote) -> Result<()> {
    // A revocation must hold after a power cut.
    writer.synced = None;
    writer.choose_durability()?;
    let tx = writer.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let old = keys(&tx)?.into_iter().find(|old| old.id == key.id);
    let action = KeyAction::between(old.as_ref(), key);
    insert_audit(&tx, &KeyAuditEntry::of_key(action, key, note))?;
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
            join_scopes(&key.scopes),
            key.rate.map(|r| r.per_minute),
            key.rate.map(|r| r.burst),
            key.created_at.unix(),
            key.expires_at.map(Timestamp::unix),
            key.revoked_at.map(Timestamp::unix),
        ],
    )?;
    tx.execute(KEYS_CHANGED, [])?;
    tx.commit()?;
    Ok(())
}

const KEYS_CHANGED: &str = "UPDATE counter SET value = value + 1 WHERE name = 'keys'";

fn insert_audit(conn: &Connection, entry: &KeyAuditEntry) -> Result<()> {
    conn.execute(
        "INSERT INTO key_audit (at, action, key_id, name, made_by) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![entry.at.unix(), entry.action.key(), entry.key, entry.name, entry.by],
    )?;
    Ok(())
}

pub fn add_audit(writer: &mut Writer, entry: &KeyAuditEntry) -> Result<()> {
    writer.synced = None;
    writer.choose_durability()?;
    insert_audit(&writer.conn, entry)
}

pub fn key_audit(conn: &Connection) -> Result<Vec<KeyAuditEntry>> {
    let mut statement =
        conn.prepare_cached("SELECT at, action, key_id, name, made_by FROM key_audit ORDER BY key")?;
    let mut rows = statement.query([])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let action: String = row.get(1)?;
        entries.push(KeyAuditEntry {
            at: Timestamp::from_unix(row.get(0)?),
            action: KeyAction::from_key(&action)?,
            key: row.get(2)?,
            name: row.get(3)?,
            by: row.get(4)?,
        });
    }
    Ok(entries)
}

pub fn note_key_uses(writer: &mut Writer, uses: &[(KeyId, Timestamp)]) -> Result<()> {
    writer.choose_durability()?;
    let tx = writer.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (id, day) in uses {
        tx.prepare_cached(
            "UPDATE api_key SET last_used = ?2 WHERE id = ?1 AND (last_used IS NULL OR last_used < ?2)",
        )?
        .execute(params![id, day.unix()])?;
    }
    tx.commit()?;
    Ok(())
}

pub fn keys(conn: &Connection) -> Result<Vec<ApiKey>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, name, secret_hash, scopes, rate_per_minute, rate_burst, created_at, expires_at, revoked_at,
                last_used
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
            scopes: split_scopes(&scopes)?,
            rate: match rate {
                (Some(per_minute), Some(burst)) => Some(RateLimit { per_minute, burst }),
                _ => None,
            },
            created_at: Timestamp::from_unix(row.get(6)?),
            expires_at: row.get::<_, Option<i64>>(7)?.map(Timestamp::from_unix),
            revoked_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_unix),
            last_used: row.get::<_, Option<i64>>(9)?.map(Timestamp::from_unix),
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
    let fresh = random_secret()?;
    writer.synced = None;
    writer.choose_durability()?;
    writer.conn.execute(
        "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
        params![name, fresh],
    )?;
    // Another process may have stored one first.
    Ok(writer.conn.query_row(find, [name], |row| row.get(0))?)
}

pub fn rotate_secret(writer: &mut Writer, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()> {
    // Creates the secret that is to be kept, if there is none.
    secret(writer, name)?;
    let fresh = random_secret()?;
    writer.synced = None;
    writer.choose_durability()?;
    let tx = writer.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute(
        "INSERT OR REPLACE INTO secret (name, value, until) SELECT ?2, value, ?3 FROM secret WHERE name = ?1",
        params![name, previous_name(name), until.unix()],
    )?;
    tx.execute("UPDATE secret SET value = ?2 WHERE name = ?1", params![name, fresh])?;
    insert_audit(&tx, &KeyAuditEntry::of_none(KeyAction::CursorSecretRotated, note))?;
    tx.execute(KEYS_CHANGED, [])?;
    tx.commit()?;
    Ok(())
}

pub fn previous_secret(conn: &Connection, name: &str) -> Result<Option<PreviousSecret>> {
    let found = conn
        .prepare_cached("SELECT value, until FROM secret WHERE name = ?1 AND until IS NOT NULL")?
        .query_row([previous_name(name)], |row| {
            Ok(PreviousSecret { value: row.get(0)?, until: Timestamp::from_unix(row.get(1)?) })
        })
        .optional()?;
    Ok(found)
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

impl KeyStore for SqliteStore {
    fn put_key(&self, key: &ApiKey, note: &ChangeNote) -> Result<()> {
        put_key(&mut self.writer(), key, note)
    }

    fn keys(&self) -> Result<Vec<ApiKey>> {
        self.readers.with(keys)
    }

    fn keys_version(&self) -> Result<i64> {
        self.readers.with(keys_version)
    }

    fn note_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
        note_key_uses(&mut self.writer(), uses)
    }

    fn key_audit(&self) -> Result<Vec<KeyAuditEntry>> {
        self.readers.with(key_audit)
    }

    fn add_to_key_audit(&self, action: KeyAction, note: &ChangeNote) -> Result<()> {
        add_audit(&mut self.writer(), &KeyAuditEntry::of_none(action, note))
    }

    fn secret(&self, name: &str) -> Result<[u8; 32]> {
        secret(&mut self.writer(), name)
    }

    fn rotate_secret(&self, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()> {
        rotate_secret(&mut self.writer(), name, until, note)
    }

    fn previous_secret(&self, name: &str) -> Result<Option<PreviousSecret>> {
        self.readers.with(|conn| previous_secret(conn, name))
    }
}
