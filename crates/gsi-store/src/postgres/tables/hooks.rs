//! Hooks and their outbox.

use crate::Result;
use crate::interface::hooks::{DeliveryColumns, HookStore, KeptHook, kept_hook, not_waiting};
use crate::postgres::PostgresStore;
use crate::postgres::connection::session::Session;
use crate::rows::body::write_json;
use gsi_model::{
    Delivery, DeliveryState, DeliveryTry, Hook, HookMessage, HookMessageKind, HookRuleState, Timestamp,
};
use postgres::Row;

impl HookStore for PostgresStore {
    fn hooks(&self) -> Result<Vec<KeptHook>> {
        let read = |session: &mut Session| -> Result<Vec<KeptHook>> {
            let rows = session.rows("SELECT body, holds FROM hook ORDER BY name", &[])?;
            rows.iter().map(|row| kept_hook(row.try_get(0)?, row.try_get(1)?)).collect()
        };
        self.sessions.read(&mut { read })
    }

    fn put_hook(&self, hook: &Hook) -> Result<()> {
        let body = write_json(hook)?;
        self.sessions.with(|session| {
            session.run(
                "INSERT INTO hook (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = $2",
                &[&hook.name, &body],
            )?;
            Ok(())
        })
    }

    fn due_deliveries(&self, now: Timestamp) -> Result<Vec<Delivery>> {
        self.sessions.with(|session| {
            let rows = session.rows(
                "SELECT d.key, d.hook, d.message, d.tick, d.kind, d.body, d.state, d.waiting_since, d.next_try_at,
                        d.tries
                 FROM hook h JOIN delivery d ON d.hook = h.name
                 WHERE h.body::jsonb ->> 'state' = 'on' AND d.next_try_at <= $1
                   AND d.key = (SELECT min(key) FROM delivery w WHERE w.hook = h.name AND w.state = 'waiting')
                 ORDER BY d.hook",
                &[&now.unix()],
            )?;
            rows.iter().map(|row| columns(row)?.read()).collect()
        })
    }

    fn note_delivery(
        &self,
        number: i64,
        state: DeliveryState,
        next_try_at: Timestamp,
        tries: &[DeliveryTry],
    ) -> Result<()> {
        let tries = write_json(&tries)?;
        self.write(|session| {
            let changed = session.run(
                "UPDATE delivery
                 SET state = CASE WHEN state = 'replaced' AND $1::text <> 'delivered' THEN state ELSE $1::text END,
                     next_try_at = $2, tries = $3
                 WHERE key = $4 AND state IN ('waiting', 'replaced')",
                &[&state.key(), &next_try_at.unix(), &tries, &number],
            )?;
            if changed == 1 { Ok(()) } else { Err(not_waiting(number)) }
        })
    }

    fn retry_parked(&self, hook: &str) -> Result<u64> {
        self.sessions.with(|session| {
            session.run(
                "UPDATE delivery
                 SET state = 'waiting', waiting_since = floor(extract(epoch FROM now()))::bigint, next_try_at = 0
                 WHERE hook = $1 AND state = 'parked'
                   AND (kind <> $2 OR key = (SELECT max(key) FROM delivery WHERE hook = $1 AND kind = $2))",
                &[&hook, &HookMessageKind::SnapshotPublished.key()],
            )
        })
    }

    fn deliveries(&self, hook: Option<&str>, limit: usize) -> Result<Vec<Delivery>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.sessions.with(|session| {
            let rows = session.rows(
                "SELECT d.key, d.hook, d.message, d.tick, d.kind, d.body, d.state, d.waiting_since, d.next_try_at,
                        d.tries
                 FROM delivery d WHERE $1::text IS NULL OR d.hook = $1 ORDER BY d.key DESC LIMIT $2",
                &[&hook, &limit],
            )?;
            rows.iter().map(|row| columns(row)?.read()).collect()
        })
    }
}

/// Adds messages to the outbox. Runs inside the tick's transaction.
pub fn address_all(
    session: &mut Session,
    tick: Timestamp,
    messages: &[HookMessage],
    states: &[HookRuleState],
) -> Result<()> {
    for message in messages {
        address(session, tick, message)?;
    }
    for state in states {
        let holds = state.holds.as_ref().map(write_json).transpose()?;
        session.run("UPDATE hook SET holds = $1 WHERE name = $2", &[&holds, &state.hook])?;
    }
    Ok(())
}

fn address(session: &mut Session, tick: Timestamp, message: &HookMessage) -> Result<()> {
    let kind = message.kind.key();
    // Messages are sent in order, so a new one is due no earlier than those before it.
    let added = session.run(
        "INSERT INTO delivery (hook, message, tick, kind, body, state, waiting_since, next_try_at, tries)
         VALUES ($1, $2, $3, $4, $5, 'waiting', floor(extract(epoch FROM now()))::bigint,
                 coalesce((SELECT max(next_try_at) FROM delivery WHERE hook = $1 AND state = 'waiting'), 0), '[]')
         ON CONFLICT (hook, message) DO NOTHING",
        &[&message.hook, &message.id, &tick.unix(), &kind, &message.body],
    )?;
    if added == 1 && message.kind == HookMessageKind::SnapshotPublished {
        session.run(
            "UPDATE delivery SET state = 'replaced'
             WHERE hook = $1 AND kind = $2 AND state = 'waiting' AND message <> $3",
            &[&message.hook, &kind, &message.id],
        )?;
    }
    Ok(())
}

fn columns(row: &Row) -> Result<DeliveryColumns> {
    Ok(DeliveryColumns {
        number: row.try_get(0)?,
        hook: row.try_get(1)?,
        message: row.try_get(2)?,
        tick: row.try_get(3)?,
        kind: row.try_get(4)?,
        body: row.try_get(5)?,
        state: row.try_get(6)?,
        waiting_since: row.try_get(7)?,
        next_try_at: row.try_get(8)?,
        tries: row.try_get(9)?,
    })
}
