//! Counts subscribers, per key and in all.

use crate::auth::key_ring::KeyEntry;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::settings::RETRY_AFTER_STREAMS_SECONDS;
use crate::state::service::Service;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One subscriber's place, given back when dropped.
pub struct StreamPlace {
    key: Arc<AtomicUsize>,
    service: Arc<Service>,
}

impl StreamPlace {
    pub fn take(key: &KeyEntry, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        let of_key = key.streams.fetch_add(1, Ordering::AcqRel);
        let of_all = service.published.stream.open.fetch_add(1, Ordering::AcqRel);
        let place = StreamPlace { key: Arc::clone(&key.streams), service: Arc::clone(service) };
        if of_key >= service.limits.streams_per_key {
            let detail = format!("The key has {} streams open, which is all it may have.", of_key);
            return Err(RequestRefusal::new(ProblemCode::RateLimited, detail)
                .retry_after(RETRY_AFTER_STREAMS_SECONDS));
        }
        if of_all >= service.limits.max_streams {
            let refusal = RequestRefusal::new(ProblemCode::Overloaded, "Too many streams are open.");
            return Err(refusal.retry_after(RETRY_AFTER_STREAMS_SECONDS));
        }
        Ok(place)
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.key.fetch_sub(1, Ordering::AcqRel);
        self.service.published.stream.open.fetch_sub(1, Ordering::AcqRel);
    }
}
