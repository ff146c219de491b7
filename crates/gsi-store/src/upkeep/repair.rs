//! Setting a store back to an earlier tick, after a clock ran ahead and ticks of the future were published, or after rows
//! were stored outside a tick.
//!
//! The results of later ticks are withdrawn. Their received data are not lost: they wait as pending data and become known
//! with the next tick.

use crate::upkeep::replay_plan::DERIVED_FEEDS;
use crate::{PrunableKind, Result};
use gsi_model::{FeedState, Timestamp};

/// A store that can be set back.
pub trait Repair {
    /// Withdraws everything after the tick `to`, whose state must be kept, and makes the data received since then pending.
    /// With `dry_run` nothing is changed and the report says what would be. The caller leads, or no process does.
    fn set_back(&self, to: Timestamp, dry_run: bool) -> Result<SetBackReport>;
}

/// If data of these kinds were pruned after the tick, setting back to it is refused.
pub(crate) const NEEDED_KINDS: [PrunableKind; 2] = [PrunableKind::NewsRows, PrunableKind::EventVersions];

/// The withdrawn records, and the rows that wait again.
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

/// The part of the report that counts a statement's rows.
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

/// The statements that withdraw records, referring rows first. The numbers are part of the text, because the backends have
/// different parameters.
pub(crate) fn statements(to: Timestamp) -> Vec<(RepairedPart, String)> {
    let (to, open) = (to.unix(), i64::MAX);
    let derived = DERIVED_FEEDS.map(|feed| format!("'{feed}'")).join(", ");
    vec![
        // Messages already sent to hooks stay sent.
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

/// The statements that remove received data, after they were read.
pub(crate) fn clearing(to: Timestamp) -> [String; 3] {
    let to = to.unix();
    [
        format!("DELETE FROM observation WHERE known_at > {to}"),
        format!("DELETE FROM news_row WHERE added IN (SELECT stamp FROM news_slot WHERE known_at > {to})"),
        format!("DELETE FROM news_slot WHERE known_at > {to}"),
    ]
}

/// A feed's state with times no later than `to`, so that it is polled when it is due by the right clock. Its checkpoint
/// stays, because the files were received.
pub(crate) fn earlier(mut feed: FeedState, to: Timestamp) -> FeedState {
    for time in
        [&mut feed.last_attempt, &mut feed.last_success, &mut feed.last_change, &mut feed.failing_since]
    {
        *time = time.map(|t| t.min(to));
    }
    feed
}
