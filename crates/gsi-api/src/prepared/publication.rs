//! What one publication serves: the bodies of the single resources in all encodings, built once and replaced as a
//! whole. A request only selects one of them.

use crate::representation::encoded_body::EncodedBody;
use crate::representation::encoding::Encoding;
use crate::representation::json_bytes;
use crate::resources::pictures::drawing as picture;
use crate::resources::scores::body::{Overview, PillarDrilldown, SummaryBody};
use gsi_model::{Clock, DataStatus, Pillar, Snapshot, Summary, TICK, Timestamp};
use http::{HeaderMap, HeaderValue};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, UNIX_EPOCH};

/// After this age the data are degraded, and then stale, whatever status the snapshot has.
const DEGRADED_AFTER_SECONDS: i64 = 2 * TICK;
const STALE_AFTER_SECONDS: i64 = 4 * TICK;

#[derive(Debug, thiserror::Error)]
#[error("the snapshot of {tick} cannot be shown: {reason}")]
pub struct Unpublishable {
    pub tick: Timestamp,
    pub reason: &'static str,
}

/// One of the resources whose answers are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Single {
    Overview,
    Pillar(Pillar),
    Summary,
}

/// How many [`Single`] resources there are.
const SINGLES: usize = 6;

impl Single {
    pub const fn index(self) -> usize {
        match self {
            Single::Overview => 0,
            Single::Pillar(pillar) => 1 + pillar.index(),
            Single::Summary => 5,
        }
    }
}

/// The single resources of one snapshot.
#[derive(Debug)]
pub struct Prepared {
    pub snapshot: Snapshot,
    pub(crate) last_modified: HeaderValue,
    /// The number of the publication, from 1. What was made for one publication is never used with another.
    pub(crate) serial: u64,
    documents: [EncodedBody; SINGLES],
    /// The score as a picture and as a badge, made at the first request.
    card: OnceLock<Arc<EncodedBody>>,
    badge: OnceLock<Arc<EncodedBody>>,
}

impl Prepared {
    pub fn build(snapshot: &Snapshot, summary: &Summary, serial: u64) -> Result<Self, Unpublishable> {
        let fail = |reason| Unpublishable { tick: snapshot.tick, reason };
        let overview = Overview::of(snapshot).ok_or_else(|| fail("a score is missing or not a number"))?;
        let pillar = |p: Pillar| match PillarDrilldown::of(snapshot, p) {
            Some(body) => Ok(EncodedBody::prepared(json_bytes(&body))),
            None => Err(fail("a pillar is missing or not a number")),
        };
        Ok(Prepared {
            last_modified: http_date(snapshot.tick),
            serial,
            documents: [
                EncodedBody::prepared(json_bytes(&overview)),
                pillar(Pillar::Conflict)?,
                pillar(Pillar::Cyber)?,
                pillar(Pillar::SupplyChain)?,
                pillar(Pillar::Macro)?,
                EncodedBody::prepared(json_bytes(&SummaryBody::of(summary))),
            ],
            snapshot: snapshot.clone(),
            card: OnceLock::new(),
            badge: OnceLock::new(),
        })
    }

    /// The score as a picture, if it has been drawn.
    pub fn drawn_card(&self) -> Option<&Arc<EncodedBody>> {
        self.card.get()
    }

    /// Draws the score at the first call. That takes milliseconds, too long for the event loop.
    pub fn card(&self) -> &Arc<EncodedBody> {
        self.card.get_or_init(|| Arc::new(EncodedBody::new(picture::card(&self.snapshot).into())))
    }

    pub fn badge(&self) -> &Arc<EncodedBody> {
        self.badge.get_or_init(|| Arc::new(EncodedBody::new(picture::badge(&self.snapshot).into())))
    }

    pub fn document(&self, single: Single) -> &EncodedBody {
        &self.documents[single.index()]
    }

    /// The snapshot's own status, or a worse one by its age.
    pub fn status_at(&self, now: Timestamp) -> DataStatus {
        let by_age = match now.since(self.snapshot.tick) {
            // The clock was ahead when the snapshot was made, so it says nothing about now.
            age if age < -TICK => DataStatus::Stale,
            age if age > STALE_AFTER_SECONDS => DataStatus::Stale,
            age if age > DEGRADED_AFTER_SECONDS => DataStatus::Degraded,
            _ => DataStatus::Ok,
        };
        by_age.max(self.snapshot.status)
    }
}

pub(crate) fn http_date(at: Timestamp) -> HeaderValue {
    let time = UNIX_EPOCH + Duration::from_secs(at.unix().clamp(0, Timestamp::MAX.unix()) as u64);
    HeaderValue::from_str(&httpdate::fmt_http_date(time))
        .unwrap_or(HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT"))
}

/// Whom an answer is for: the holder of a key, or everybody when an operator publishes the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    KeyHolder,
    Everybody,
}

/// Header values for one second of the service's clock.
#[derive(Debug)]
pub struct MomentHeaders {
    pub now: Timestamp,
    /// The publication it was made for; 0 before the first.
    pub(crate) serial: u64,
    pub date: HeaderValue,
    /// By audience.
    cache_control: [HeaderValue; 2],
    pub status: DataStatus,
    /// The headers of a 200 except those that differ from request to request, by audience, resource and encoding.
    heads: [[[OnceLock<HeaderMap>; 4]; SINGLES]; 2],
}

impl MomentHeaders {
    pub fn at(now: Timestamp, clock: &dyn Clock, prepared: Option<&Prepared>, store_gone: bool) -> Self {
        let tick = prepared.map(|p| p.snapshot.tick);
        // The answer is fresh until the next tick. When that is overdue, clients ask again at once.
        let fresh_for = match tick {
            Some(tick) if tick >= now.floor_tick() => clock.until(now.next_tick()).as_secs().max(1),
            _ => 1,
        };
        let status = match prepared.map_or(DataStatus::Stale, |p| p.status_at(now)) {
            // Nothing newer can arrive while the store does not answer.
            DataStatus::Ok if store_gone => DataStatus::Degraded,
            status => status,
        };
        let cached = |by: &str| {
            HeaderValue::from_str(&format!("{by}, max-age={fresh_for}"))
                .unwrap_or(HeaderValue::from_static("private, max-age=1"))
        };
        MomentHeaders {
            now,
            serial: prepared.map_or(0, |p| p.serial),
            date: http_date(now),
            cache_control: [cached("private"), cached("public")],
            status,
            heads: Default::default(),
        }
    }

    pub(crate) fn cache_control(&self, audience: Audience) -> &HeaderValue {
        &self.cache_control[audience as usize]
    }

    pub fn head(
        &self,
        audience: Audience,
        single: Single,
        encoding: Encoding,
        make: impl FnOnce() -> HeaderMap,
    ) -> &HeaderMap {
        self.heads[audience as usize][single.index()][encoding.index()].get_or_init(make)
    }
}

pub(crate) fn status_header(status: DataStatus) -> HeaderValue {
    match status {
        DataStatus::Ok => const { HeaderValue::from_static("ok") },
        DataStatus::Degraded => const { HeaderValue::from_static("degraded") },
        DataStatus::Stale => const { HeaderValue::from_static("stale") },
    }
}
