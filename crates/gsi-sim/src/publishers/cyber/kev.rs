//! The catalogue of exploited vulnerabilities, at its own address and at the mirror.

use super::super::{Document, Format, Request};
use crate::world::World;
use gsi_model::MINUTE;
use std::sync::Arc;

/// The mirror is written by a later commit job.
const MIRROR_DELAY_SECONDS: i64 = 40 * MINUTE;

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let mirror = match request.path {
        "/sites/default/files/feeds/known_exploited_vulnerabilities.json" => false,
        "/cisagov/kev-data/develop/known_exploited_vulnerabilities.json" => true,
        _ => return None,
    };
    let edition = world.catalogue.edition(request.as_of.minus(if mirror { MIRROR_DELAY_SECONDS } else { 0 }));
    let maker = world.clone();
    // The mirror's host sends entity tags only.
    let modified = (!mirror).then_some(edition.released);
    Some(Document::new(Format::Json, edition.released.unix() as u64, modified, move || {
        maker.catalogue.json(edition)
    }))
}
