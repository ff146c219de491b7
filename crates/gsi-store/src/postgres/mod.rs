//! The backend for many machines: the same tables on a PostgreSQL server (15 or later), for any number of replicas.
//!
//! A transaction that writes a tick or an ingest first locks the row of the fencing number. Writers thus run one after the
//! other, and a replaced leader is refused. Reads take no locks.

mod connection;
mod tables;
mod upkeep;

use crate::ReadLimit;
use crate::format::{OlderFormat, StoreFormat};
use crate::interface::leadership::{Leadership, Lease};
use crate::interface::pulse::Pulse;
use crate::rows::body::Packer;
use crate::upkeep::prune::NEVER_PRUNED_SECONDS;
use crate::{
    Frontier, Ingest, IngestReport, ObservationScope, PendingBatch, Result, Store, StoreError, TickCommit,
    TickStore,
};
use connection::client::blocking;
use connection::connector::PostgresConnector;
use connection::session::Session;
use connection::sessions::Sessions;
use connection::standby::Standby;
use connection::{lead, news, pooler};
use gsi_model::{
    BriefingId, Correction, CorrectionReason, EventVersion, NewsRow, NewsSlot, Observation, Timestamp,
};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};
use tables::{access, corrections, data, events, ticks};
use upkeep::{migrate, prune};

/// Concurrent reads for requests. Reads are short; where more are needed, another replica helps more.
const MAX_SESSIONS: usize = 6;
/// Sessions for ticks, keys and followers: each uses at most one at a time, and one is spare.
const OWN_SESSIONS: usize = 4;

/// One PostgreSQL database. Clones share its connections.
#[derive(Clone)]
pub struct PostgresStore {
    sessions: Sessions,
    requests: Sessions,
    standby: Option<Standby>,
    packer: Arc<Mutex<Packer>>,
    lead: Arc<Mutex<lead::PostgresLead>>,
    news: Arc<Mutex<news::News>>,
    /// The newest tick seen in the database.
    frontier_seen: Arc<AtomicI64>,
}

impl PostgresStore {
    /// Connects by `postgres://…`. A database of an earlier format is refused and not changed. Of several hosts in the address,
    /// the one that accepts writes is used.
    pub fn open(url: &str) -> Result<Self> {
        Self::at(url, OlderFormat::Refuse)
    }

    /// Connects and upgrades the database to the newest format.
    pub fn open_and_upgrade(url: &str) -> Result<Self> {
        Self::at(url, OlderFormat::Upgrade)
    }

    /// Returns the format of a database without changing it.
    pub fn format_of(url: &str) -> Result<StoreFormat> {
        let connector = PostgresConnector::to_primary(url)?;
        pooler::refuse_transaction_pooling(&connector)?;
        Sessions::new(connector, OWN_SESSIONS).with(migrate::format)
    }

    fn at(url: &str, older: OlderFormat) -> Result<Self> {
        let connector = PostgresConnector::to_primary(url)?;
        pooler::refuse_transaction_pooling(&connector)?;
        let sessions = Sessions::new(connector, OWN_SESSIONS);
        // Repeated once if it deadlocked with a reader.
        sessions.try_read(&mut |session: &mut Session| migrate::to_newest(session, older))?;
        let requests = Sessions::new(PostgresConnector::to_primary(url)?, MAX_SESSIONS);
        Self::over(sessions, requests, None)
    }

    /// Another handle whose requests read from a standby, as long as the standby has the tick in question.
    pub fn reading_from(&self, standby: &str) -> Result<Self> {
        let connector = PostgresConnector::to_any(standby)?;
        match pooler::refuse_transaction_pooling(&connector) {
            // A standby may be away, also at the start.
            Ok(()) | Err(StoreError::Unavailable(_)) => {}
            Err(error) => return Err(error),
        }
        let standby = Standby::new(connector, MAX_SESSIONS);
        standby.poll();
        let store = Self::over(self.sessions.clone(), self.requests.clone(), Some(standby))?;
        store.pulse()?;
        Ok(store)
    }

    /// Opens the database as a program does that knows only the first `formats` formats.
    #[cfg(feature = "conformance")]
    pub fn open_as_older(url: &str, formats: usize) -> Result<Self> {
        let sessions = Sessions::new(PostgresConnector::to_primary(url)?, OWN_SESSIONS);
        sessions.try_read(&mut |session: &mut Session| migrate::to(session, formats))?;
        Self::over(sessions.clone(), sessions, None)
    }

    fn over(sessions: Sessions, requests: Sessions, standby: Option<Standby>) -> Result<Self> {
        let packer = Arc::new(Mutex::new(Packer::new()?));
        Ok(PostgresStore {
            sessions,
            requests,
            standby,
            packer,
            lead: Arc::default(),
            news: Arc::default(),
            frontier_seen: Arc::new(AtomicI64::new(i64::MAX)),
        })
    }

    /// Reads events as of a moment, and refuses if they were pruned. A recent moment needs no query for that.
    fn read_events<T>(&self, as_of: Timestamp, work: impl Fn(&mut Session) -> Result<T>) -> Result<T> {
        let oldest_whole = self.frontier_seen.load(Ordering::Relaxed).saturating_sub(NEVER_PRUNED_SECONDS);
        self.read(as_of, |session| {
            let read = work(session)?;
            if as_of.unix() >= oldest_whole { Ok(read) } else { prune::unpruned(session, as_of, read) }
        })
    }

    /// Reads as of a moment, from the standby if it has that moment.
    fn read<T>(&self, as_of: Timestamp, mut work: impl FnMut(&mut Session) -> Result<T>) -> Result<T> {
        if let Some(answer) = self.standby.as_ref().and_then(|s| s.read(as_of, &mut work)) {
            return answer;
        }
        self.pool().read(&mut work)
    }

    /// Requests read under a limit and have separate connections, so that they never delay the ticks.
    fn pool(&self) -> &Sessions {
        if self.requests.is_limited() { &self.requests } else { &self.sessions }
    }

    fn packer(&self) -> MutexGuard<'_, Packer> {
        self.packer.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs a write transaction after the writers before it. Refused if this replica has lost the lead.
    fn write<T>(&self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        let held = self.lead().number();
        self.sessions.with(|session| {
            session.transaction(|session| {
                lead::lock_writes(session, held)?;
                work(session)
            })
        })
    }

    fn lead(&self) -> MutexGuard<'_, lead::PostgresLead> {
        self.lead.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Leadership for PostgresStore {
    fn lead(&self) -> Result<Option<Lease>> {
        blocking(|| PostgresStore::lead(self).take_or_keep(self.sessions.connector()))
    }

    fn resign(&self) {
        blocking(|| PostgresStore::lead(self).resign());
    }
}

impl TickStore for PostgresStore {
    fn commit_tick(&self, commit: &TickCommit) -> Result<()> {
        crate::rows::check::commit(commit)?;
        let mut packer = self.packer();
        self.write(|session| ticks::commit(session, &mut packer, commit))
    }

    fn ingest(&self, ingest: &Ingest) -> Result<IngestReport> {
        crate::rows::check::data(&ingest.observations, &ingest.slots, &ingest.rows)?;
        let mut packer = self.packer();
        self.write(|session| data::ingest(session, &mut packer, ingest))
    }

    fn begin_ticks(&self) -> Result<()> {
        self.write(data::begin_ticks)
    }

    fn pending(&self, most_rows: u64) -> Result<Vec<PendingBatch>> {
        self.pool().read(&mut |s: &mut Session| data::pending(s, most_rows))
    }

    fn frontier(&self) -> Result<Option<Frontier>> {
        self.state_at(Timestamp::MAX)
    }

    fn state_at(&self, tick: Timestamp) -> Result<Option<Frontier>> {
        self.pool().read(&mut |s: &mut Session| ticks::state_at(s, tick))
    }

    fn observations_in(&self, scope: &ObservationScope<'_>, each: &mut dyn FnMut(Observation)) -> Result<()> {
        self.pool().with(|s| data::observations(s, scope, each))
    }

    fn slots(
        &self,
        from: Timestamp,
        to: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(NewsSlot),
    ) -> Result<()> {
        self.pool().with(|s| data::slots(s, from, to, known_until, each))
    }

    fn rows(&self, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(NewsRow)) -> Result<()> {
        self.pool().with(|s| data::rows(s, from, to, each))
    }

    fn row(&self, id: u64) -> Result<Option<NewsRow>> {
        self.read(Timestamp::MAX, |s| data::row(s, id))
    }

    fn event_versions_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<EventVersion>> {
        self.read_events(as_of, |s| events::active(s, as_of, active_since))
    }

    fn corrections(&self, tick: Option<Timestamp>) -> Result<Vec<Correction>> {
        self.pool().read(&mut |s: &mut Session| corrections::of_tick(s, tick))
    }
}

impl Store for PostgresStore {
    fn limited(&self, limit: &ReadLimit) -> Arc<dyn Store> {
        Arc::new(PostgresStore {
            sessions: self.sessions.limited(limit),
            requests: self.requests.limited(limit),
            standby: self.standby.as_ref().map(|standby| standby.limited(limit)),
            ..self.clone()
        })
    }

    fn ask_correction(
        &self,
        of: &BriefingId,
        because: CorrectionReason,
        asked_at: Timestamp,
    ) -> Result<bool> {
        self.sessions.with(|s| corrections::ask(s, of, because, asked_at))
    }

    fn meta(&self, name: &str) -> Result<Option<String>> {
        self.pool().with(|s| access::meta(s, name))
    }

    fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        self.sessions.with(|s| access::set_meta(s, name, value))
    }

    fn pulse(&self) -> Result<Pulse> {
        // Without retries: the caller polls every second and must learn at once that the database does not answer.
        let pulse = self.sessions.with(access::pulse)?;
        if let Some(frontier) = pulse.frontier {
            self.frontier_seen.store(frontier.unix(), Ordering::Relaxed);
        }
        if let Some(standby) = &self.standby {
            standby.announce(pulse.frontier);
            standby.poll();
        }
        Ok(pulse)
    }

    fn wait_for_news(&self, at_most: Duration) -> Result<bool> {
        let mut news = self.news.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        blocking(|| news.wait(self.sessions.connector(), at_most)).map(|()| true)
    }

    fn time(&self) -> Result<Option<SystemTime>> {
        self.sessions.with(access::time).map(Some)
    }
}
