//! The reconstructed past, prepared: whole lines as bytes, windows cut from memory. It comes in once, some seconds after the
//! start, and never changes while the process lives.

use crate::encoded_body::EncodedBody;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::service::Service;
use crate::wire;
use crate::wire::reconstruction::ReconstructionBody;
use gsi_model::{Pillar, Reconstruction, Timestamp};
use std::sync::Arc;

/// Computing it takes a few seconds.
const RETRY_AFTER_PAST: u64 = 5;

pub struct PreparedPast {
    pub record: Reconstruction,
    /// The first moment it covers, and the first it does not.
    pub from: Timestamp,
    pub to: Timestamp,
    composite: Arc<EncodedBody>,
    pillars: [Arc<EncodedBody>; 4],
}

impl PreparedPast {
    fn new(record: Reconstruction) -> Option<Self> {
        let (from, to) = (record.days.first()?.day.start(), record.days.last()?.day.end());
        let whole = |pillar: Option<Pillar>| {
            let body = ReconstructionBody::window(&record, pillar, from, to);
            Arc::new(EncodedBody::new(wire::bytes(&body)))
        };
        let (composite, pillars) = (whole(None), Pillar::ALL.map(|p| whole(Some(p))));
        Some(PreparedPast { record, from, to, composite, pillars })
    }

    /// All of it, as bytes that were made before anybody asked.
    pub fn whole(&self, pillar: Option<Pillar>) -> Arc<EncodedBody> {
        Arc::clone(pillar.map_or(&self.composite, |p| &self.pillars[p.index()]))
    }
}

impl Service {
    /// Shows the past from now on. One without a day is not shown.
    pub fn set_reconstruction(&self, record: Reconstruction) {
        self.published.past.store(PreparedPast::new(record).map(Arc::new));
    }
}

pub fn prepared_past(service: &Service) -> Result<Arc<PreparedPast>, RequestRefusal> {
    service.published.past.load_full().ok_or_else(|| {
        RequestRefusal::new(
            ProblemCode::Overloaded,
            "The past is still being computed from its observations.",
        )
        .retry_after(RETRY_AFTER_PAST)
    })
}
