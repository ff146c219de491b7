//! The reconstructed past, prepared: whole lines as bytes, windows cut from memory. It comes in once, some seconds after the
//! start, and never changes while the process lives.

use crate::encoded_body::EncodedBody;
use crate::wire;
use crate::wire::reconstruction::ReconstructionBody;
use gsi_model::{Pillar, Reconstruction, Timestamp};
use std::sync::Arc;

pub struct PreparedPast {
    pub record: Arc<Reconstruction>,
    /// The first moment it covers, and the first it does not.
    pub from: Timestamp,
    pub to: Timestamp,
    composite: Arc<EncodedBody>,
    pillars: [Arc<EncodedBody>; 4],
}

impl PreparedPast {
    pub fn new(record: Arc<Reconstruction>) -> Option<Self> {
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
