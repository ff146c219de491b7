//! Sets the file back to an earlier tick.

use crate::sqlite::SqliteStore;
use crate::sqlite::connection::lead;
use crate::sqlite::tables::{data, ticks};
use crate::upkeep::prune;
use crate::upkeep::repair::{self, Repair, SetBackReport};
use crate::{Ingest, ObservationScope, Result, StoreError};
use gsi_model::Timestamp;
use rusqlite::TransactionBehavior;

impl Repair for SqliteStore {
    fn set_back(&self, to: Timestamp, dry_run: bool) -> Result<SetBackReport> {
        let mut writer = self.writer();
        writer.synced = None;
        writer.choose_durability()?;
        let crate::sqlite::Writer { conn, packer, fence, .. } = &mut *writer;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        lead::check(&tx, *fence)?;
        if ticks::state_at(&tx, to)?.is_none_or(|kept| kept.tick != to) {
            return Err(StoreError::Refused(format!("the state after the tick {to} is not stored")));
        }
        for kind in repair::NEEDED_KINDS {
            prune::refuse_before(kind, super::prune::note(&tx, kind)?, to)?;
        }
        let mut report = SetBackReport::default();
        tx.execute(
            "DELETE FROM event_body WHERE key IN (SELECT key FROM event_version WHERE valid_from > ?1)",
            [to.unix()],
        )?;
        for (what, sql) in repair::statements(to) {
            report.count(what, tx.execute(&sql, [])? as u64);
        }
        let mut received = Ingest::default();
        data::observations(&tx, &ObservationScope::all(Timestamp::MAX), &mut |o| {
            received.observations.extend((o.known_at > to).then_some(o))
        })?;
        data::slots(&tx, Timestamp::MIN, Timestamp::MAX, Timestamp::MAX, &mut |s| {
            received.slots.extend((s.known_at > to).then_some(s));
        })?;
        for slot in &received.slots {
            data::rows(&tx, slot.stamp.minus(1), slot.stamp, &mut |row| received.rows.push(row))?;
        }
        for sql in repair::clearing(to) {
            tx.execute(&sql, [])?;
        }
        data::stage(&tx, packer, &received)?;
        report.waiting = received.row_count();
        for feed in data::feed_states(&tx)? {
            data::put_feed(&tx, &repair::earlier(feed, to))?;
        }
        match dry_run {
            true => tx.rollback()?,
            false => tx.commit()?,
        }
        Ok(report)
    }
}
