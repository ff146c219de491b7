//! The overview, the pillars and the summary. Current answers are prepared when a tick is published. Earlier answers
//! (`as_of`) are built from the store and cached.

pub(crate) mod body;

use crate::prepared::pages::Page;
use crate::prepared::publication::Single;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::as_of::published_at;
use crate::request::context::ResponseContext;
use crate::request::parameters::AsOf;
use crate::request::query::Query;
use crate::request::segments::PillarSegment;
use crate::request::service::RequestService;
use crate::resources::scores::body::{Overview, PillarDrilldown, SummaryBody};
use axum::response::Response;
use gsi_model::{Pillar, Timestamp};

/// Composite score and pillar scores
///
/// The composite global stability score, 0 to 100, lower is more stable, and its four pillars.
#[utoipa::path(
    get, path = "/v1/global-stability", operation_id = "getGlobalStability", tag = "scores", params(AsOf),
    responses((status = 200, description = "The overview.", body = Overview, headers(("GSI-Data-Status"))))
)]
pub async fn overview(
    response: ResponseContext,
    Query(query): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    answer(response, Single::Overview, query).await
}

/// One pillar
///
/// A pillar's score, its change over 24 hours and the indicators behind it.
#[utoipa::path(
    get, path = "/v1/global-stability/pillar/{pillar}", operation_id = "getPillar", tag = "scores",
    params(("pillar" = inline(Pillar), Path, description = "The pillar."), AsOf),
    responses((status = 200, description = "The drilldown.", body = PillarDrilldown, headers(("GSI-Data-Status"))))
)]
pub async fn pillar(
    PillarSegment(pillar): PillarSegment,
    response: ResponseContext,
    Query(query): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    answer(response, Single::Pillar(pillar), query).await
}

/// Rolling summary
///
/// Natural-language text across all pillars, refreshed every 15 minutes.
#[utoipa::path(
    get, path = "/v1/summaries", operation_id = "getSummary", tag = "scores", params(AsOf),
    responses((status = 200, description = "The summary.", body = SummaryBody, headers(("GSI-Data-Status"))))
)]
pub async fn summary(
    response: ResponseContext,
    Query(query): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    answer(response, Single::Summary, query).await
}

async fn answer(response: ResponseContext, single: Single, query: AsOf) -> Result<Response, RequestRefusal> {
    match query.time() {
        Some(as_of) => response.read_store(move |service| past(service, single, as_of)).await,
        None => response.prepared(single),
    }
}

fn past(service: &RequestService, single: Single, as_of: Timestamp) -> Result<Page, RequestRefusal> {
    let published = published_at(service, as_of)?;
    let snapshot = &published.snapshot;
    let name = format!("{single:?} {}", snapshot.tick.unix());
    if let Some(page) = service.published.pages.get(&name) {
        return Ok(page);
    }
    let body = match single {
        Single::Overview => Overview::of(snapshot).map(|b| json_bytes(&b)),
        Single::Pillar(pillar) => PillarDrilldown::of(snapshot, pillar).map(|b| json_bytes(&b)),
        Single::Summary => Some(json_bytes(&SummaryBody::of(&published.summary))),
    };
    let body =
        body.ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The snapshot cannot be shown."))?;
    let page =
        Page { data_status: Some(snapshot.status), ..Page::json(EncodedBody::new(body), snapshot.tick) };
    service.published.pages.put(name, &page);
    Ok(page)
}
