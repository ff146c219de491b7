//! Event versions: each is shown from its tick until the next version, and a merged event until its merger. The rules are
//! here, once; a backend only stores rows.

use crate::rows::events::EventColumns;
use crate::{EventRecord, Result, StoreError};
use gsi_model::{EventChange, EventId, EventVersion, Timestamp};

/// `valid_to` of a version that is not replaced.
pub const OPEN: i64 = i64::MAX;

/// An event's last version. Earlier ones are never open.
pub struct NewestVersion {
    pub key: i64,
    pub occurred_at: i64,
    pub valid_to: i64,
}

/// The rows of event versions and mergers, inside a transaction.
pub trait EventRows {
    fn newest(&mut self, id: &EventId) -> Result<Option<NewestVersion>>;
    /// Ends the version with this key at `tick`.
    fn close(&mut self, key: i64, tick: Timestamp) -> Result<()>;
    /// Adds a version that is open from `tick` on, and replaces one of the same tick.
    fn put(&mut self, tick: Timestamp, version: &EventVersion, columns: &EventColumns) -> Result<()>;
    /// The event that `id` was merged into by `as_of`.
    fn find_merger(&mut self, id: &EventId, as_of: Timestamp) -> Result<Option<String>>;
    fn add_merger(&mut self, gone: &EventId, kept: &EventId, tick: Timestamp) -> Result<()>;
}

pub fn apply(rows: &mut impl EventRows, tick: Timestamp, changes: &[EventChange]) -> Result<()> {
    for change in changes {
        match change {
            EventChange::Put(version) => put(rows, tick, version)?,
            EventChange::Merged { gone, kept } => merge(rows, tick, gone, kept)?,
        }
    }
    // Checked last, because the version of `kept` that accompanies a merger may come after it.
    for change in changes {
        if let EventChange::Merged { kept, .. } = change {
            let kept = resolve(rows, kept, tick)?;
            if rows.newest(&kept)?.is_none_or(|last| last.valid_to != OPEN) {
                return Err(StoreError::Conflict(format!("a merger into the unknown event {kept}")));
            }
        }
    }
    Ok(())
}

fn put(rows: &mut impl EventRows, tick: Timestamp, version: &EventVersion) -> Result<()> {
    let event = &version.event;
    match rows.newest(&event.id)? {
        Some(last) if last.occurred_at != event.occurred_at.unix() => {
            return Err(StoreError::Conflict(format!("event {} changed its time", event.id)));
        }
        Some(last) if last.valid_to == OPEN => rows.close(last.key, tick)?,
        Some(_) => return Err(StoreError::Conflict(format!("event {} was merged into another", event.id))),
        None => {}
    }
    rows.put(tick, version, &EventColumns::of(event))
}

fn merge(rows: &mut impl EventRows, tick: Timestamp, gone: &EventId, kept: &EventId) -> Result<()> {
    let last = rows.newest(gone)?.filter(|last| last.valid_to == OPEN);
    // A merger into itself, directly or along earlier mergers, would make an endless chain.
    let (Some(last), false) = (last, resolve(rows, kept, tick)? == *gone) else {
        return Err(StoreError::Conflict(format!("event {gone} cannot be merged")));
    };
    rows.close(last.key, tick)?;
    rows.add_merger(gone, kept, tick)
}

/// The event that `id` belonged to at `as_of`: itself if it was not merged by then.
pub fn resolve(rows: &mut impl EventRows, id: &EventId, as_of: Timestamp) -> Result<EventId> {
    let mut id = id.clone();
    // There are no loops, because a merger that closes one is refused.
    while let Some(kept) = rows.find_merger(&id, as_of)? {
        id = EventId::parse(&kept).map_err(|_| StoreError::Corrupt(format!("alias of {id}")))?;
    }
    Ok(id)
}

/// The record of an event with these versions, oldest first; `None` if there are none. An event that was shown before
/// `pruned_before` may have had earlier versions.
pub fn event_record(
    versions: Vec<(Timestamp, EventVersion)>,
    pruned_before: Option<Timestamp>,
) -> Option<EventRecord> {
    let kept_since = pruned_before.filter(|before| versions.first().is_some_and(|(tick, _)| tick <= before));
    let event = versions.last()?.1.event.clone();
    Some(EventRecord { event, versions, kept_since })
}
