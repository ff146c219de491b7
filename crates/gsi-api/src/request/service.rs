//! The service as the job of one request uses it.

use crate::state::service::Service;
use gsi_store::{ReadLimit, Store};
use std::ops::Deref;
use std::sync::Arc;

/// The service with a store whose reads end at the request's deadline or when the client hangs up.
pub struct RequestService {
    service: Arc<Service>,
    pub store: Arc<dyn Store>,
}

impl RequestService {
    pub fn new(service: Arc<Service>, limit: &ReadLimit) -> Self {
        RequestService { store: service.store.limited(limit), service }
    }
}

impl Deref for RequestService {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}
