//! The method, now or at an earlier time.

pub(crate) mod body;
pub(crate) mod changes;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::headers::JSON;
use crate::request::as_of::published_at;
use crate::request::context::ResponseContext;
use crate::request::parameters::AsOf;
use crate::request::query::{NoParameters, Query};
use crate::request::service::RequestService;
use crate::resources::method::body::MethodBody;
use crate::resources::method::changes::MethodChangesBody;
use axum::response::Response;
use gsi_store::method_name;
use std::sync::Arc;

/// The method
///
/// Catalogue, weights, units and parameters of the current method, with its version and digest, and the statement that the
/// score does not forecast, with figures.
#[utoipa::path(
    get, path = "/v1/method", operation_id = "getMethod", tag = "service", params(AsOf),
    responses((status = 200, description = "The method document.", body = MethodBody))
)]
pub async fn method(
    response: ResponseContext,
    Query(as_of): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    let Some(as_of) = as_of.time() else {
        let service = &response.service;
        return Ok(response.document(&service.published.method.load_full(), service.started_at()));
    };
    response
        .read_store(move |service| {
            let snapshot = published_at(service, as_of)?.snapshot;
            Ok(Page {
                document: by_digest(service, &snapshot.method_digest)?,
                content_type: JSON,
                modified: Some(snapshot.tick),
                data_status: None,
                link: None,
            })
        })
        .await
}

/// Changes of the method
///
/// The log of method changes and corrections, newest first: each change, its reason, and its effect on measured figures.
#[utoipa::path(
    get, path = "/v1/method/changes", operation_id = "listMethodChanges", tag = "service",
    responses((status = 200, description = "The log.", body = MethodChangesBody))
)]
pub async fn changes(response: ResponseContext, _: Query<NoParameters>) -> Result<Response, RequestRefusal> {
    let service = &response.service;
    Ok(response.document(&service.published.method_changes, service.started_at()))
}

/// Returns the document of a method. The store has the document of every method that made a snapshot.
pub fn by_digest(service: &RequestService, digest: &str) -> Result<Arc<EncodedBody>, RequestRefusal> {
    if service.published.method_digest == digest {
        return Ok(service.published.method.load_full());
    }
    let kept = service.store.meta(&method_name(digest))?;
    let text = kept.ok_or_else(|| RequestRefusal::not_found("The method of that time was not kept."))?;
    Ok(Arc::new(EncodedBody::new(text.into())))
}
