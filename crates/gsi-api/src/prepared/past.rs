//! The reconstructed past: whole series as prepared bytes, windows from memory. It is set once, some seconds after the
//! start, and does not change while the process runs.

use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::resources::reconstruction::body::ReconstructionBody;
use gsi_model::{Pillar, Reconstruction, Timestamp};
use std::sync::{Arc, OnceLock};

pub struct PreparedPast {
    pub record: Arc<Reconstruction>,
    /// The first moment it covers, and the first it does not.
    pub from: Timestamp,
    pub to: Timestamp,
    /// The composite's series, then those of the pillars, each written at its first request.
    whole: [OnceLock<Arc<EncodedBody>>; 5],
}

impl PreparedPast {
    pub fn new(record: Arc<Reconstruction>) -> Option<Self> {
        let (from, to) = (record.days.first()?.day.start(), record.days.last()?.day.end());
        Some(PreparedPast { record, from, to, whole: Default::default() })
    }

    /// The whole series as a body that is written once.
    pub fn whole(&self, pillar: Option<Pillar>) -> Arc<EncodedBody> {
        let make = || {
            let body = ReconstructionBody::window(&self.record, pillar, self.from, self.to);
            Arc::new(EncodedBody::new(json_bytes(&body)))
        };
        Arc::clone(self.whole[pillar.map_or(0, |p| 1 + p.index())].get_or_init(make))
    }
}
