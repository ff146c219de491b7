//! Sets the database back to an earlier tick.

use crate::postgres::PostgresStore;
use crate::postgres::connection::lead;
use crate::postgres::connection::session::Session;
use crate::postgres::tables::{data, ticks};
use crate::rows::body::Packer;
use crate::upkeep::prune;
use crate::upkeep::repair::{self, Repair, SetBackReport};
use crate::{Ingest, ObservationScope, Result, StoreError};
use gsi_model::Timestamp;

impl Repair for PostgresStore {
    fn set_back(&self, to: Timestamp, dry_run: bool) -> Result<SetBackReport> {
        let held = PostgresStore::lead(self).number();
        let mut packer = self.packer();
        self.sessions.with(|session| {
            session.batch("BEGIN")?;
            let done = lead::lock_writes(session, held).and_then(|()| set_back(session, &mut packer, to));
            session.batch(if done.is_ok() && !dry_run { "COMMIT" } else { "ROLLBACK" })?;
            done
        })
    }
}

fn set_back(session: &mut Session, packer: &mut Packer, to: Timestamp) -> Result<SetBackReport> {
    if ticks::state_at(session, to)?.is_none_or(|kept| kept.tick != to) {
        return Err(StoreError::Refused(format!("the state after the tick {to} is not stored")));
    }
    for kind in repair::NEEDED_KINDS {
        prune::refuse_before(kind, super::prune::note(session, kind)?, to)?;
    }
    let mut report = SetBackReport::default();
    for (what, sql) in repair::statements(to) {
        report.count(what, session.client().execute(&*sql, &[])?);
    }
    let mut received = Ingest::default();
    data::observations(session, &ObservationScope::all(Timestamp::MAX), &mut |o| {
        received.observations.extend((o.known_at > to).then_some(o));
    })?;
    data::slots(session, Timestamp::MIN, Timestamp::MAX, Timestamp::MAX, &mut |s| {
        received.slots.extend((s.known_at > to).then_some(s));
    })?;
    for slot in &received.slots {
        data::rows(session, slot.stamp.minus(1), slot.stamp, &mut |row| received.rows.push(row))?;
    }
    for sql in repair::clearing(to) {
        session.client().execute(&*sql, &[])?;
    }
    data::stage(session, packer, &received)?;
    report.waiting = received.row_count();
    let feeds: Vec<_> =
        data::feed_states(session)?.into_iter().map(|feed| repair::earlier(feed, to)).collect();
    data::put_feeds(session, &feeds)?;
    Ok(report)
}
