//! Removes expired rows from the database.

use crate::postgres::PostgresStore;
use crate::postgres::connection::session::Session;
use crate::postgres::tables::{access, news_parts};
use crate::upkeep::prune::{self, KindSize, PrunableKind, Prune};
use crate::{Result, StoreError};
use gsi_model::Timestamp;
use postgres::Row;

pub fn note(session: &mut Session, kind: PrunableKind) -> Result<Option<Timestamp>> {
    prune::read_note(access::meta(session, kind.note())?)
}

/// Returns what was read as of a moment, unless event versions of that moment were removed. The note is written before the
/// rows are removed, so it is read after them.
pub fn unpruned<T>(session: &mut Session, as_of: Timestamp, read: T) -> Result<T> {
    let kind = PrunableKind::EventVersions;
    prune::refuse_before(kind, note(session, kind)?, as_of).map(|()| read)
}

fn table(kind: PrunableKind) -> &'static str {
    match kind {
        PrunableKind::NewsRows => "news_row",
        PrunableKind::EventVersions => "event_version",
        PrunableKind::EngineStates => "engine_state",
        PrunableKind::Deliveries => "delivery",
    }
}

fn numbers(rows: &[Row]) -> Result<Vec<i64>> {
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

fn number(row: Option<Row>) -> Result<u64> {
    let row = row.ok_or_else(|| StoreError::Corrupt("no answer to the count query".to_owned()))?;
    let count: i64 = row.try_get(0)?;
    Ok(count.unsigned_abs())
}

impl Prune for PostgresStore {
    fn published_days(&self, most: u32) -> Result<Vec<i64>> {
        self.sessions.with(|s| {
            numbers(&s.rows(
                "SELECT DISTINCT tick / 86400 AS day FROM snapshot ORDER BY day DESC LIMIT $1",
                &[&i64::from(most)],
            )?)
        })
    }

    fn note_pruned(&self, kind: PrunableKind, before: Timestamp) -> Result<()> {
        self.write(|session| {
            // All times have one form, so the later text is the later time.
            session.run(
                "INSERT INTO meta (name, value) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET value = greatest(meta.value, excluded.value)",
                &[&kind.note(), &before.to_string()],
            )?;
            Ok(())
        })
    }

    fn expired(&self, kind: PrunableKind, before: Timestamp, most: usize) -> Result<Vec<i64>> {
        let sql = match kind {
            PrunableKind::NewsRows => {
                "SELECT s.stamp FROM news_slot s WHERE s.known_at < $1
                   AND EXISTS (SELECT 1 FROM news_row r WHERE r.added = s.stamp) LIMIT $2"
            }
            PrunableKind::EventVersions => {
                "SELECT v.key FROM event_version v WHERE v.valid_to <= $1
                   AND EXISTS (SELECT 1 FROM event_version n WHERE n.id = v.id AND n.valid_from > v.valid_from)
                 LIMIT $2"
            }
            PrunableKind::EngineStates => "SELECT tick FROM engine_state WHERE tick < $1 LIMIT $2",
            PrunableKind::Deliveries => {
                "SELECT d.key FROM delivery d WHERE d.tick < $1 AND NOT (d.state = 'waiting' AND EXISTS (
                   SELECT 1 FROM hook h WHERE h.name = d.hook AND h.body::jsonb ->> 'state' IN ('on', 'paused'))) LIMIT $2"
            }
        };
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.sessions.with(|s| numbers(&s.rows(sql, &[&before.unix(), &most])?))
    }

    fn count_expired(&self, kind: PrunableKind, before: Timestamp) -> Result<u64> {
        let sql = match kind {
            PrunableKind::NewsRows => {
                "SELECT count(*) FROM news_slot s JOIN news_row r ON r.added = s.stamp WHERE s.known_at < $1"
            }
            PrunableKind::EventVersions => {
                "SELECT count(*) FROM event_version v WHERE v.valid_to <= $1
                   AND EXISTS (SELECT 1 FROM event_version n WHERE n.id = v.id AND n.valid_from > v.valid_from)"
            }
            PrunableKind::EngineStates => "SELECT count(*) FROM engine_state WHERE tick < $1",
            PrunableKind::Deliveries => {
                "SELECT count(*) FROM delivery d WHERE d.tick < $1 AND NOT (d.state = 'waiting' AND EXISTS (
                   SELECT 1 FROM hook h WHERE h.name = d.hook AND h.body::jsonb ->> 'state' IN ('on', 'paused')))"
            }
        };
        self.sessions.with(|s| number(s.first(sql, &[&before.unix()])?))
    }

    fn remove(&self, kind: PrunableKind, numbers: &[i64]) -> Result<u64> {
        let sql = match kind {
            PrunableKind::NewsRows => "DELETE FROM news_row WHERE added = ANY ($1)",
            PrunableKind::EventVersions => "DELETE FROM event_version WHERE key = ANY ($1)",
            PrunableKind::EngineStates => "DELETE FROM engine_state WHERE tick = ANY ($1)",
            PrunableKind::Deliveries => "DELETE FROM delivery WHERE key = ANY ($1)",
        };
        self.write(|session| session.run(sql, &[&numbers]))
    }

    fn remove_parts(&self, kind: PrunableKind, before: Timestamp) -> Result<u64> {
        if kind != PrunableKind::NewsRows {
            return Ok(0);
        }
        let mut removed = 0;
        for part in self.sessions.with(|s| news_parts::find_older(s, before))? {
            match self.write(|session| news_parts::drop_part(session, &part, before)) {
                Ok(rows) => removed += rows,
                // A reader has locked it.
                Err(StoreError::Unavailable(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(removed)
    }

    fn size(&self, kind: PrunableKind) -> Result<KindSize> {
        let table = table(kind);
        self.sessions.with(|s| {
            let rows = number(s.client().query_opt(&format!("SELECT count(*) FROM {table}"), &[])?)?;
            // For a table without partitions the tree is empty.
            let bytes = number(s.first(
                "SELECT (pg_total_relation_size($1::text::regclass)
                         + coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree($1::text::regclass)
                                     WHERE level > 0), 0))::bigint",
                &[&table],
            )?)?;
            Ok(KindSize { rows, bytes })
        })
    }

    /// Does the work of autovacuum now. VACUUM FULL, which returns space to the file system, locks tables and is left to the
    /// server's operator.
    fn compact(&self) -> Result<(u64, u64)> {
        self.sessions.with(|s| {
            let whole = "SELECT pg_database_size(current_database())";
            let before = number(s.first(whole, &[])?)?;
            for kind in PrunableKind::ALL {
                s.batch(&format!("VACUUM (ANALYZE) {}", table(kind)))?;
            }
            Ok((before, number(s.first(whole, &[])?)?))
        })
    }
}
