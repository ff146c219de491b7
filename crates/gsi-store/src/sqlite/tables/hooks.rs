//! Hooks and their outbox.

use crate::interface::hooks::{
    DELIVERY_COLUMNS, DeliveryColumns, HookStore, KeptHook, kept_hook, not_waiting,
};
use crate::rows::body::write_json;
use crate::sqlite::connection::lead;
use crate::sqlite::{SqliteStore, Writer};
use crate::{Result, StoreError};
use gsi_model::{
    Delivery, DeliveryState, DeliveryTry, Hook, HookMessage, HookMessageKind, HookRuleState, Timestamp,
};
use rusqlite::{Connection, Row, TransactionBehavior, params};

impl HookStore for SqliteStore {
    fn hooks(&self) -> Result<Vec<KeptHook>> {
        self.readers.with(|conn| {
            let mut statement = conn.prepare_cached("SELECT body, holds FROM hook ORDER BY name")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.map(|row| {
                let (body, holds): (String, Option<String>) = row?;
                kept_hook(&body, holds.as_deref())
            })
            .collect()
        })
    }

    fn put_hook(&self, hook: &Hook) -> Result<()> {
        in_transaction(&mut self.writer(), false, |tx| {
            tx.execute(
                "INSERT INTO hook (name, body) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET body = ?2",
                params![hook.name, write_json(hook)?],
            )?;
            Ok(())
        })
    }

    fn due_deliveries(&self, now: Timestamp) -> Result<Vec<Delivery>> {
        let sql = format!(
            "SELECT {DELIVERY_COLUMNS} FROM hook h JOIN delivery d ON d.hook = h.name
             WHERE json_extract(h.body, '$.state') = 'on' AND d.next_try_at <= ?1
               AND d.key = (SELECT min(key) FROM delivery w WHERE w.hook = h.name AND w.state = 'waiting')
             ORDER BY d.hook"
        );
        self.readers.with(|conn| read(conn, &sql, params![now.unix()]))
    }

    fn note_delivery(
        &self,
        number: i64,
        state: DeliveryState,
        next_try_at: Timestamp,
        tries: &[DeliveryTry],
    ) -> Result<()> {
        in_transaction(&mut self.writer(), true, |tx| {
            let changed = tx.execute(
                "UPDATE delivery
                 SET state = CASE WHEN state = 'replaced' AND ?1 <> 'delivered' THEN state ELSE ?1 END,
                     next_try_at = ?2, tries = ?3
                 WHERE key = ?4 AND state IN ('waiting', 'replaced')",
                params![state.key(), next_try_at.unix(), write_json(&tries)?, number],
            )?;
            if changed == 1 { Ok(()) } else { Err(not_waiting(number)) }
        })
    }

    fn retry_parked(&self, hook: &str) -> Result<u64> {
        in_transaction(&mut self.writer(), false, |tx| {
            let changed = tx.execute(
                "UPDATE delivery
                 SET state = 'waiting', waiting_since = unixepoch(), next_try_at = 0
                 WHERE hook = ?1 AND state = 'parked'
                   AND (kind <> ?2 OR key = (SELECT max(key) FROM delivery WHERE hook = ?1 AND kind = ?2))",
                params![hook, HookMessageKind::SnapshotPublished.key()],
            )?;
            Ok(changed as u64)
        })
    }

    fn deliveries(&self, hook: Option<&str>, limit: usize) -> Result<Vec<Delivery>> {
        let sql = format!(
            "SELECT {DELIVERY_COLUMNS} FROM delivery d WHERE ?1 IS NULL OR d.hook = ?1 ORDER BY d.key DESC LIMIT ?2"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.readers.with(|conn| read(conn, &sql, params![hook, limit]))
    }
}

/// Adds messages to the outbox. Runs inside the tick's transaction.
pub fn address_all(
    conn: &Connection,
    tick: Timestamp,
    messages: &[HookMessage],
    states: &[HookRuleState],
) -> Result<()> {
    for message in messages {
        address(conn, tick, message)?;
    }
    for state in states {
        let holds = state.holds.as_ref().map(write_json).transpose()?;
        conn.prepare_cached("UPDATE hook SET holds = ?1 WHERE name = ?2")?
            .execute(params![holds, state.hook])?;
    }
    Ok(())
}

fn address(conn: &Connection, tick: Timestamp, message: &HookMessage) -> Result<()> {
    let kind = message.kind.key();
    // Messages are sent in order, so a new one is due no earlier than those before it.
    let mut insert = conn.prepare_cached(
        "INSERT INTO delivery (hook, message, tick, kind, body, state, waiting_since, next_try_at, tries)
         VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', unixepoch(),
                 coalesce((SELECT max(next_try_at) FROM delivery WHERE hook = ?1 AND state = 'waiting'), 0), '[]')
         ON CONFLICT (hook, message) DO NOTHING",
    )?;
    let added = insert.execute(params![message.hook, message.id, tick.unix(), kind, message.body])?;
    if added == 1 && message.kind == HookMessageKind::SnapshotPublished {
        let mut replace = conn.prepare_cached(
            "UPDATE delivery SET state = 'replaced'
             WHERE hook = ?1 AND kind = ?2 AND state = 'waiting' AND message <> ?3",
        )?;
        replace.execute(params![message.hook, kind, message.id])?;
    }
    Ok(())
}

fn in_transaction<T>(
    writer: &mut Writer,
    fenced: bool,
    work: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    writer.synced = None;
    writer.choose_durability()?;
    let fence = writer.fence.filter(|_| fenced);
    let tx = writer.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    lead::check(&tx, fence)?;
    let done = work(&tx)?;
    tx.commit()?;
    Ok(done)
}

fn read(conn: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<Delivery>> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(params, columns)?;
    rows.map(|row| row.map_err(StoreError::from).and_then(DeliveryColumns::read)).collect()
}

fn columns(row: &Row<'_>) -> rusqlite::Result<DeliveryColumns> {
    Ok(DeliveryColumns {
        number: row.get(0)?,
        hook: row.get(1)?,
        message: row.get(2)?,
        tick: row.get(3)?,
        kind: row.get(4)?,
        body: row.get(5)?,
        state: row.get(6)?,
        waiting_since: row.get(7)?,
        next_try_at: row.get(8)?,
        tries: row.get(9)?,
    })
}
