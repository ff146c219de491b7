//! Setting a store back to an earlier tick: when a clock that ran ahead let ticks be published that lie in the future, and
//! when rows were stored beside the ticks.
//!
//! What the ticks after that one published and derived is withdrawn. What they had received is not lost: it waits, as
//! anything that arrives outside a tick does, and becomes known with the next one.

use crate::replay_plan::DERIVED_FEEDS;
use crate::{PrunableKind, Result};
use gsi_model::{FeedState, Timestamp};

/// A store that can be set back.
pub trait Repair {
    /// Withdraws everything after the tick `to`, whose state must be kept, and lets what was received since then wait. With
    /// `dry_run` nothing is changed and the report says what would be. Whoever calls it leads, or nobody does.
    fn set_back(&self, to: Timestamp, dry_run: bool) -> Result<SetBackReport>;
}

/// Setting back to a tick before these were pruned would lose what is gone once more: it is refused.
pub(crate) const NEEDED_KINDS: [PrunableKind; 2] = [PrunableKind::NewsRows, PrunableKind::EventVersions];

/// What setting a store back withdraws, and what it lets wait again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SetBackReport {
    pub ticks: u64,
    pub snapshots: u64,
    pub event_versions: u64,
    pub briefings: u64,
    /// Observations, news files and news rows that wait for the next tick.
    pub waiting: u64,
}

impl SetBackReport {
    pub fn is_nothing(&self) -> bool {
        *self == SetBackReport::default()
    }
}

/// Which part of the report a statement's number of rows belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepairedPart {
    Ticks,
    Snapshots,
    EventVersions,
    Briefings,
    Not,
}

impl SetBackReport {
    pub(crate) fn count(&mut self, what: RepairedPart, rows: u64) {
        match what {
            RepairedPart::Ticks => self.ticks += rows,
            RepairedPart::Snapshots => self.snapshots += rows,
            RepairedPart::EventVersions => self.event_versions += rows,
            RepairedPart::Briefings => self.briefings += rows,
            RepairedPart::Not => {}
        }
    }
}

/// What is withdrawn, in an order in which every row still finds what it refers to. The numbers are part of the text:
/// both backends read them alike.
pub(crate) fn statements(to: Timestamp) -> Vec<(RepairedPart, String)> {
    let (to, open) = (to.unix(), i64::MAX);
    let derived = DERIVED_FEEDS.map(|feed| format!("'{feed}'")).join(", ");
    vec![
        // What hooks were told of it stays told.
        (RepairedPart::Not, format!("DELETE FROM alert WHERE tick > {to}")),
        (RepairedPart::Not, format!("DELETE FROM country_snapshot WHERE tick > {to}")),
        (RepairedPart::Not, format!("DELETE FROM snapshot_body WHERE tick > {to}")),
        (RepairedPart::Snapshots, format!("DELETE FROM snapshot WHERE tick > {to}")),
        (RepairedPart::EventVersions, format!("DELETE FROM event_version WHERE valid_from > {to}")),
        (
            RepairedPart::Not,
            format!("UPDATE event_version SET valid_to = {open} WHERE valid_to > {to} AND valid_to < {open}"),
        ),
        (RepairedPart::Not, format!("DELETE FROM event_alias WHERE tick > {to}")),
        (
            RepairedPart::Not,
            format!("UPDATE correction SET tick = NULL, corrected_by = NULL WHERE tick > {to}"),
        ),
        (
            RepairedPart::Not,
            format!(
                "DELETE FROM briefing_tag WHERE briefing IN (SELECT key FROM briefing WHERE tick > {to})"
            ),
        ),
        (RepairedPart::Briefings, format!("DELETE FROM briefing WHERE tick > {to}")),
        (RepairedPart::Ticks, format!("DELETE FROM engine_state WHERE tick > {to}")),
        (
            RepairedPart::Not,
            format!(
                "DELETE FROM observation WHERE known_at > {to}
                 AND payload IN (SELECT key FROM payload WHERE feed IN ({derived}))"
            ),
        ),
    ]
}

/// After everything that was received since `to` was read: it leaves its place.
pub(crate) fn clearing(to: Timestamp) -> [String; 3] {
    let to = to.unix();
    [
        format!("DELETE FROM observation WHERE known_at > {to}"),
        format!("DELETE FROM news_row WHERE added IN (SELECT stamp FROM news_slot WHERE known_at > {to})"),
        format!("DELETE FROM news_slot WHERE known_at > {to}"),
    ]
}

/// A feed's standing as of an earlier tick, so that it is asked when it is due by the right clock. What it remembers of its
/// publisher stays: it has had those files.
pub(crate) fn earlier(mut feed: FeedState, to: Timestamp) -> FeedState {
    for time in
        [&mut feed.last_attempt, &mut feed.last_success, &mut feed.last_change, &mut feed.failing_since]
    {
        *time = time.map(|t| t.min(to));
    }
    feed
}
