//! The reconstructed past, prepared: whole lines as bytes, windows cut from memory. It comes in once, some seconds after the
//! start, and never changes while the process lives.

use crate::encoded_body::EncodedBody;
use crate::wire;
use crate::wire::reconstruction::ReconstructionBody;
use gsi_model::{Pillar, Reconstruction, Timestamp};
use std::sync::{Arc, OnceLock};

pub struct PreparedPast {
    pub record: Arc<Reconstruction>,
    /// The first moment it covers, and the first it does not.
    pub from: Timestamp,
    pub to: Timestamp,
    composite: Arc<EncodedBody>,
    /// Made when somebody first asks.
    pillars: [OnceLock<Arc<EncodedBody>>; 4],
}

impl PreparedPast {
    pub fn new(record: Arc<Reconstruction>) -> Option<Self> {
        let (from, to) = (record.days.first()?.day.start(), record.days.last()?.day.end());
        let composite = prepare(&record, None, from, to);
        Some(PreparedPast { record, from, to, composite, pillars: Default::default() })
    }

    /// All of it, as bytes that are made once.
    pub fn whole(&self, pillar: Option<Pillar>) -> Arc<EncodedBody> {
        let Some(pillar) = pillar else { return Arc::clone(&self.composite) };
        let make = || prepare(&self.record, Some(pillar), self.from, self.to);
        Arc::clone(self.pillars[pillar.index()].get_or_init(make))
    }
}

fn prepare(
    record: &Reconstruction,
    pillar: Option<Pillar>,
    from: Timestamp,
    to: Timestamp,
) -> Arc<EncodedBody> {
    Arc::new(EncodedBody::new(wire::bytes(&ReconstructionBody::window(record, pillar, from, to))))
}
