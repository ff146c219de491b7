//! The backend for many machines: the same tables on a PostgreSQL server (15 or later), for any number of replicas.
//!
//! Whoever writes a tick or an ingest first locks the row of the fencing number, which puts writers in line and
//! stops a leader that has been replaced. Reads take no locks.

mod access;
mod data;
mod error;
mod events;
mod lead;
mod migrate;
mod session;
mod ticks;

use crate::body::Packer;
use crate::leadership::{Leadership, Lease};
use crate::{
    BriefingQuery, EventQuery, EventRecord, Frontier, HistoryPoint, Ingest, IngestReport, Published, Result,
    Store, StoreError, TickCommit,
};
use gsi_model::{
    ApiKey, Briefing, BriefingId, Event, EventId, FeedState, NewsRow, NewsSlot, Observation, Pillar,
    SnapshotId, Timestamp,
};
use session::{Session, Sessions};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Reads are short; a replica that needs more at once is better served by another replica.
const MAX_SESSIONS: usize = 6;
/// A server that does not answer within this is as good as gone; the replica serves what it has.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// One PostgreSQL database.
pub struct PostgresStore {
    config: postgres::Config,
    sessions: Sessions,
    packer: Mutex<Packer>,
    lead: Mutex<lead::Lead>,
}

impl PostgresStore {
    /// Connects by `postgres://…` or the key-value form, and brings the database to the newest format.
    pub fn open(url: &str) -> Result<Self> {
        // The parser's own message may quote the address, and with it a password.
        let mut config: postgres::Config =
            url.parse().map_err(|_| StoreError::Refused("the database address cannot be read".to_owned()))?;
        config.application_name("gsi");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        let sessions = Sessions::new(config.clone(), MAX_SESSIONS);
        sessions.with(migrate::to_newest)?;
        Ok(PostgresStore { config, sessions, packer: Mutex::new(Packer::new()?), lead: Mutex::default() })
    }

    fn packer(&self) -> MutexGuard<'_, Packer> {
        self.packer.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A transaction in the line of writers, refused when this replica has lost the lead.
    fn write<T>(&self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        let held = self.lead().number();
        self.sessions.with(|session| {
            session.transaction(|session| {
                lead::wait_in_line(session, held)?;
                work(session)
            })
        })
    }

    fn lead(&self) -> MutexGuard<'_, lead::Lead> {
        self.lead.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Leadership for PostgresStore {
    fn lead(&self) -> Result<Option<Lease>> {
        PostgresStore::lead(self).take_or_keep(&self.config)
    }

    fn resign(&self) -> Result<()> {
        PostgresStore::lead(self).resign();
        Ok(())
    }
}

impl Store for PostgresStore {
    fn commit_tick(&self, commit: &TickCommit) -> Result<()> {
        crate::check::commit(commit)?;
        let mut packer = self.packer();
        self.write(|session| ticks::commit(session, &mut packer, commit))
    }

    fn ingest(&self, ingest: &Ingest) -> Result<IngestReport> {
        crate::check::data(&ingest.observations, &ingest.slots, &ingest.rows)?;
        self.write(|session| data::ingest(session, ingest))
    }

    fn frontier(&self) -> Result<Option<Frontier>> {
        self.state_at(Timestamp::MAX)
    }

    fn state_at(&self, tick: Timestamp) -> Result<Option<Frontier>> {
        self.sessions.with(|s| ticks::state_at(s, tick))
    }

    fn published_at(&self, as_of: Timestamp) -> Result<Option<Published>> {
        self.sessions.with(|s| ticks::published_at(s, as_of))
    }

    fn snapshot_by_id(&self, id: &SnapshotId) -> Result<Option<Published>> {
        self.sessions.with(|s| ticks::snapshot_by_id(s, id))
    }

    fn history(&self, pillar: Option<Pillar>, from: Timestamp, to: Timestamp) -> Result<Vec<HistoryPoint>> {
        self.sessions.with(|s| ticks::history(s, pillar, from, to))
    }

    fn observations(&self, known_until: Timestamp, each: &mut dyn FnMut(Observation)) -> Result<()> {
        self.sessions.with(|s| data::observations(s, known_until, each))
    }

    fn slots(
        &self,
        from: Timestamp,
        to: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(NewsSlot),
    ) -> Result<()> {
        self.sessions.with(|s| data::slots(s, from, to, known_until, each))
    }

    fn rows(&self, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(NewsRow)) -> Result<()> {
        self.sessions.with(|s| data::rows(s, from, to, each))
    }

    fn row(&self, id: u64) -> Result<Option<NewsRow>> {
        self.sessions.with(|s| data::row(s, id))
    }

    fn events(&self, query: &EventQuery) -> Result<Vec<Event>> {
        self.sessions.with(|s| events::page(s, query))
    }

    fn events_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<Event>> {
        self.sessions.with(|s| events::active(s, as_of, active_since))
    }

    fn event(&self, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>> {
        self.sessions.with(|s| events::one(s, id, as_of))
    }

    fn briefings(&self, query: &BriefingQuery) -> Result<Vec<Briefing>> {
        self.sessions.with(|s| ticks::briefings(s, query))
    }

    fn briefing(&self, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>> {
        self.sessions.with(|s| ticks::briefing(s, id, as_of))
    }

    fn feed_states(&self) -> Result<Vec<FeedState>> {
        self.sessions.with(data::feed_states)
    }

    fn put_key(&self, key: &ApiKey) -> Result<()> {
        self.sessions.with(|s| s.transaction(|s| access::put_key(s, key)))
    }

    fn keys(&self) -> Result<Vec<ApiKey>> {
        self.sessions.with(access::keys)
    }

    fn keys_version(&self) -> Result<i64> {
        self.sessions.with(access::keys_version)
    }

    fn secret(&self, name: &str) -> Result<[u8; 32]> {
        self.sessions.with(|s| access::secret(s, name))
    }

    fn meta(&self, name: &str) -> Result<Option<String>> {
        self.sessions.with(|s| access::meta(s, name))
    }

    fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        self.sessions.with(|s| access::set_meta(s, name, value))
    }
}
