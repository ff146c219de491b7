//! Removes expired rows from the file.

use crate::sqlite::connection::lead;
use crate::sqlite::tables::access;
use crate::sqlite::{DatabasePlace, SqliteStore};
use crate::upkeep::prune::{self, KindSize, PrunableKind, Prune};
use crate::{Result, StoreError};
use gsi_model::Timestamp;
use rusqlite::{Connection, TransactionBehavior, params};
use std::path::Path;

/// The condition for a version that a later version of the same event replaced.
const REPLACED: &str = "v.valid_to <= ?1
    AND EXISTS (SELECT 1 FROM event_version n WHERE n.id = v.id AND n.valid_from > v.valid_from)";
/// The condition for a message of an earlier tick that is not going to be sent.
const DONE: &str = "d.tick < ?1 AND NOT (d.state = 'waiting' AND EXISTS (
    SELECT 1 FROM hook h WHERE h.name = d.hook AND json_extract(h.body, '$.state') IN ('on', 'paused')))";
/// While the file is rewritten, the old and the new one are on the disk, and the log holds everything once.
const ROOM_TO_COMPACT: u64 = 2;

pub fn note(conn: &Connection, kind: PrunableKind) -> Result<Option<Timestamp>> {
    prune::read_note(access::meta(conn, kind.note())?)
}

/// Returns what was read as of a moment, unless event versions of that moment were removed. The note is written before the
/// rows are removed, so it is read after them.
pub fn unpruned<T>(conn: &Connection, as_of: Timestamp, read: T) -> Result<T> {
    let kind = PrunableKind::EventVersions;
    prune::refuse_before(kind, note(conn, kind)?, as_of).map(|()| read)
}

impl Prune for SqliteStore {
    fn published_days(&self, most: u32) -> Result<Vec<i64>> {
        self.readers.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT DISTINCT tick / 86400 AS day FROM snapshot ORDER BY day DESC LIMIT ?1",
            )?;
            Ok(statement.query_map([most], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn note_pruned(&self, kind: PrunableKind, before: Timestamp) -> Result<()> {
        let mut writer = self.writer();
        writer.synced = None;
        writer.choose_durability()?;
        // All times have one form, so the later text is the later time.
        writer.conn.execute(
            "INSERT INTO meta (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
            params![kind.note(), before.to_string()],
        )?;
        Ok(())
    }

    fn expired(&self, kind: PrunableKind, before: Timestamp, most: usize) -> Result<Vec<i64>> {
        let sql = match kind {
            PrunableKind::NewsRows => {
                "SELECT s.stamp FROM news_slot s WHERE s.known_at < ?1
                   AND EXISTS (SELECT 1 FROM news_row r WHERE r.added = s.stamp) LIMIT ?2"
            }
            PrunableKind::EventVersions => {
                &format!("SELECT v.key FROM event_version v WHERE {REPLACED} LIMIT ?2")
            }
            PrunableKind::EngineStates => "SELECT tick FROM engine_state WHERE tick < ?1 LIMIT ?2",
            PrunableKind::Deliveries => &format!("SELECT d.key FROM delivery d WHERE {DONE} LIMIT ?2"),
        };
        self.readers.with(|conn| {
            let mut statement = conn.prepare_cached(sql)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            Ok(statement
                .query_map([before.unix(), most], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?)
        })
    }

    fn count_expired(&self, kind: PrunableKind, before: Timestamp) -> Result<u64> {
        let sql = match kind {
            PrunableKind::NewsRows => {
                "SELECT count(*) FROM news_slot s JOIN news_row r ON r.added = s.stamp WHERE s.known_at < ?1"
            }
            PrunableKind::EventVersions => &format!("SELECT count(*) FROM event_version v WHERE {REPLACED}"),
            PrunableKind::EngineStates => "SELECT count(*) FROM engine_state WHERE tick < ?1",
            PrunableKind::Deliveries => &format!("SELECT count(*) FROM delivery d WHERE {DONE}"),
        };
        let count = |conn: &Connection| -> Result<i64> {
            Ok(conn.query_row(sql, [before.unix()], |row| row.get(0))?)
        };
        Ok(self.readers.with(count)?.unsigned_abs())
    }

    fn remove(&self, kind: PrunableKind, numbers: &[i64]) -> Result<u64> {
        let mut writer = self.writer();
        writer.choose_durability()?;
        let crate::sqlite::Writer { conn, fence, .. } = &mut *writer;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        lead::check(&tx, *fence)?;
        let statements: &[&str] = match kind {
            PrunableKind::NewsRows => &["DELETE FROM news_row WHERE added = ?1"],
            PrunableKind::EventVersions => {
                &["DELETE FROM event_body WHERE key = ?1", "DELETE FROM event_version WHERE key = ?1"]
            }
            PrunableKind::EngineStates => &["DELETE FROM engine_state WHERE tick = ?1"],
            PrunableKind::Deliveries => &["DELETE FROM delivery WHERE key = ?1"],
        };
        let mut removed = 0;
        for number in numbers {
            // The last of several statements counts the rows.
            let mut rows = 0;
            for sql in statements {
                rows = tx.prepare_cached(sql)?.execute([number])?;
            }
            removed += rows as u64;
        }
        tx.commit()?;
        Ok(removed)
    }

    fn size(&self, kind: PrunableKind) -> Result<KindSize> {
        let (table, parts): (&str, &[&str]) = match kind {
            PrunableKind::NewsRows => ("news_row", &["news_row", "news_row_by_added"]),
            PrunableKind::EventVersions => (
                "event_version",
                &[
                    "event_version",
                    "event_body",
                    "event_version_in_list_order",
                    "event_version_by_activity",
                    "sqlite_autoindex_event_version_1",
                ],
            ),
            PrunableKind::EngineStates => ("engine_state", &["engine_state"]),
            PrunableKind::Deliveries => {
                ("delivery", &["delivery", "delivery_waiting", "sqlite_autoindex_delivery_1"])
            }
        };
        self.readers.with(|conn| {
            let number = |sql: &str, name: Option<&str>| -> Result<u64> {
                let mut statement = conn.prepare_cached(sql)?;
                let found: Option<i64> = match name {
                    Some(name) => statement.query_row([name], |row| row.get(0))?,
                    None => statement.query_row([], |row| row.get(0))?,
                };
                Ok(found.unwrap_or(0).unsigned_abs())
            };
            let rows = number(&format!("SELECT count(*) FROM {table}"), None)?;
            let mut bytes = 0;
            for part in parts {
                bytes +=
                    number("SELECT sum(pgsize) FROM dbstat WHERE name = ?1 AND aggregate = 1", Some(part))?;
            }
            Ok(KindSize { rows, bytes })
        })
    }

    fn compact(&self) -> Result<(u64, u64)> {
        let writer = self.writer();
        let before = file_bytes(&writer.conn)?;
        if let DatabasePlace::File(path) = &self.place {
            let free: i64 = writer.conn.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
            let pages: i64 = writer.conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let used = before - before / pages.max(1).unsigned_abs() * free.unsigned_abs();
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let room = rustix::fs::statvfs(folder)
                .map(|fs| fs.f_bavail.saturating_mul(fs.f_frsize))
                .map_err(|e| StoreError::Unavailable(format!("the free space of the disk: {e}")))?;
            if room < used.saturating_mul(ROOM_TO_COMPACT) {
                return Err(StoreError::Full(format!(
                    "compacting rewrites the file and needs {} MB of free space; there are {} MB",
                    used.saturating_mul(ROOM_TO_COMPACT) >> 20,
                    room >> 20
                )));
            }
        }
        writer.conn.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok((before, file_bytes(&writer.conn)?))
    }
}

fn file_bytes(conn: &Connection) -> Result<u64> {
    let pages: i64 = conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let size: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok((pages * size).unsigned_abs())
}
