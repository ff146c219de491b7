//! The publication that a request is about: the current one, or the one that was current at `as_of`.

use crate::prepared::publication::Prepared;
use crate::problem::RequestRefusal;
use crate::request::service::RequestService;
use crate::state::service::Service;
use gsi_model::Timestamp;
use gsi_store::Published;
use std::sync::Arc;

/// Returns the current publication. Refuses the request before the first one.
pub(crate) fn current(service: &Service) -> Result<Arc<Prepared>, RequestRefusal> {
    service.published.current().as_ref().cloned().ok_or_else(|| service.published.no_snapshot())
}

/// Returns the publication that was served at `as_of`.
pub(crate) fn published_at(service: &RequestService, as_of: Timestamp) -> Result<Published, RequestRefusal> {
    if as_of > service.clock.now() {
        return Err(RequestRefusal::no_snapshot_then(
            "as_of lies in the future; nothing has been published then.",
        ));
    }
    match service.store.published_by(as_of)? {
        Some(published) => Ok(published),
        None => Err(RequestRefusal::no_snapshot_then("as_of lies before the first snapshot.")),
    }
}

/// Returns the tick at which an answer is evaluated.
pub(crate) fn pinned_tick(
    service: &RequestService,
    as_of: Option<Timestamp>,
) -> Result<Timestamp, RequestRefusal> {
    Ok(match as_of {
        Some(as_of) => published_at(service, as_of)?.snapshot.tick,
        None => current(service)?.snapshot.tick,
    })
}
