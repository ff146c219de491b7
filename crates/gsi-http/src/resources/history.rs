//! Published scores over time. One answer is bounded; of a longer window it holds the newest part, and says from when.

use super::{current, store_failed};
use crate::document::Document;
use crate::pages::Page;
use crate::params::Query;
use crate::problem::Refusal;
use crate::reply::JSON;
use crate::service::Service;
use crate::wire;
use crate::wire::history::{History, buckets};
use gsi_model::{DAY, HOUR, MINUTE, Pillar, Timestamp};
use std::sync::Arc;

/// Points in one answer: a quarter of a year of quarter hours would be too many, three weeks are not.
pub const MAX_POINTS: i64 = 2_000;
/// Ticks read for one answer; ten years of days would be 350,000 of them.
pub const MAX_TICKS: i64 = 40_000;
/// Without `from`, this many steps before `to`.
pub const DEFAULT_POINTS: i64 = 168;
pub const STEPS: [&str; 3] = ["1h", "15m", "1d"];

#[derive(Clone, Copy, Debug)]
pub struct Window {
    from: Timestamp,
    to: Timestamp,
    step: &'static str,
    seconds: i64,
}

impl Window {
    /// `end` is where the window ends when nothing is said: just after the newest tick.
    pub fn read(query: Option<&str>, end: Timestamp) -> Result<Self, Refusal> {
        let mut query = Query::parse(query);
        let step = query.word("step", STEPS);
        let seconds = match step {
            "15m" => 15 * MINUTE,
            "1d" => DAY,
            _ => HOUR,
        };
        let (from, to) = query.window(("from", "to"));
        let to = to.unwrap_or(end);
        let from = from.unwrap_or(to.minus(DEFAULT_POINTS * seconds));
        let longest = (MAX_POINTS * seconds).min(MAX_TICKS * 15 * MINUTE);
        let from = from.max(to.minus(longest)).min(to);
        query.finish(&["from", "to", "step"])?;
        Ok(Window { from, to, step, seconds })
    }
}

pub fn page(service: &Service, pillar: Option<Pillar>, query: Option<&str>) -> Result<Page, Refusal> {
    let prepared = current(service)?;
    let tick = prepared.snapshot.tick;
    let window = Window::read(query, tick.plus(1))?;
    let points = service.store.history(pillar, window.from, window.to).map_err(store_failed)?;
    let body = History {
        series: pillar.map_or("composite", Pillar::key),
        from: window.from,
        to: window.to,
        step: window.step,
        points: buckets(&points, window.seconds),
    };
    Ok(Page {
        document: Arc::new(Document::new(wire::bytes(&body))),
        content_type: JSON,
        modified: Some(tick),
        data_status: Some(prepared.status_at(service.clock.now())),
        link: None,
    })
}
