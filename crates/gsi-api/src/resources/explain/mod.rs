//! The explanation of the score, now or at an earlier time.

mod beside;
pub(crate) mod body;
mod score_context;

use crate::prepared::pages::Page;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::as_of::{current, published_at};
use crate::request::context::ResponseContext;
use crate::request::parameters::{AsOf, MethodVersion};
use crate::request::query::Query;
use crate::request::service::RequestService;
use crate::resources::explain::body::Explanation;
use axum::response::Response;
use gsi_model::Snapshot;
use serde::Deserialize;
use utoipa::IntoParams;

/// The method whose score is explained.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExplainedMethod {
    /// Explain the score by this version of the method, current or previous. Not computed at that tick: 404.
    #[param(inline)]
    method: Option<MethodVersion>,
}

/// How the score comes about
///
/// The whole tree from composite to indicators. Contributions add to the score and effects to the change, exactly.
#[utoipa::path(
    get, path = "/v1/global-stability/explain", operation_id = "explainGlobalStability", tag = "scores",
    params(AsOf, ExplainedMethod),
    responses((status = 200, description = "The explanation.", body = Explanation, headers(("GSI-Data-Status"))))
)]
pub async fn explain(
    response: ResponseContext,
    Query((as_of, method)): Query<(AsOf, ExplainedMethod)>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, &as_of, &method)).await
}

fn page(service: &RequestService, as_of: &AsOf, method: &ExplainedMethod) -> Result<Page, RequestRefusal> {
    let (published, status, shown_at) = match as_of.time() {
        Some(as_of) => {
            let published = published_at(service, as_of)?;
            let status = published.snapshot.status;
            (published.snapshot, status, Some(published.published_at))
        }
        None => {
            let prepared = current(service)?;
            (prepared.snapshot.clone(), prepared.status_at(service.clock.now()), None)
        }
    };
    let snapshot = match &method.method {
        None => &published,
        Some(MethodVersion(version)) => {
            published.by_method(version).ok_or_else(|| not_computed(&published, version))?
        }
    };
    let name = format!("explain {}", snapshot.id);
    if let Some(page) = service.published.pages.get(&name) {
        return Ok(Page { data_status: Some(status), ..page });
    }
    // The current snapshot is in memory, so the answer must not need the store, which may be unavailable.
    let stored = || service.store.snapshot_by_id(&published.id).ok().flatten().map(|p| p.published_at);
    let shown_at = shown_at.or_else(stored);
    let body = Explanation::of(snapshot, shown_at)
        .ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The snapshot cannot be shown."))?;
    let document = EncodedBody::new(json_bytes(&body));
    let page = Page { data_status: Some(status), ..Page::json(document, snapshot.tick) };
    if shown_at.is_some() {
        service.published.pages.put(name, &page);
    }
    Ok(page)
}

fn not_computed(published: &Snapshot, version: &str) -> RequestRefusal {
    let beside = published.beside.iter().map(|b| b.snapshot.method_version.as_str());
    let known: Vec<&str> = std::iter::once(published.method_version.as_str()).chain(beside).collect();
    RequestRefusal::not_found(format!(
        "Method {version} was not computed at {}; there is {}.",
        published.tick,
        known.join(" and ")
    ))
}
