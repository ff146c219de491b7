//! The events that texts may mention: the newest version of each, in one sorted slice that a tick borrows without copying.

use gsi_model::{Event, EventChange, Timestamp};

#[derive(Debug, Default)]
pub struct RecentEvents {
    /// Sorted by id.
    events: Vec<Event>,
}

impl RecentEvents {
    pub fn new(mut events: Vec<Event>) -> Self {
        events.sort_by(|a, b| a.id.cmp(&b.id));
        RecentEvents { events }
    }

    pub fn as_slice(&self) -> &[Event] {
        &self.events
    }

    pub fn apply(&mut self, change: &EventChange) {
        match change {
            EventChange::Put(version) => {
                let event = version.event.clone();
                match self.events.binary_search_by(|e| e.id.cmp(&event.id)) {
                    Ok(place) => self.events[place] = event,
                    Err(place) => self.events.insert(place, event),
                }
            }
            EventChange::Merged { gone, .. } => {
                if let Ok(place) = self.events.binary_search_by(|e| e.id.cmp(gone)) {
                    self.events.remove(place);
                }
            }
        }
    }

    /// Drops events without activity for longer than `idle_seconds`.
    pub fn forget(&mut self, tick: Timestamp, idle_seconds: i64) {
        self.events.retain(|e| tick.since(e.last_activity) <= idle_seconds);
    }
}
