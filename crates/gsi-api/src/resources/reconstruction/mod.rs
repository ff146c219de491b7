//! The reconstructed daily scores, and the crises that the method is judged by.

pub(crate) mod body;

use crate::prepared::pages::Page;
use crate::prepared::past::PreparedPast;
use crate::problem::{ParameterProblem, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::headers::JSON;
use crate::representation::json_bytes;
use crate::request::context::ResponseContext;
use crate::request::parameters::RequestTime;
use crate::request::query::{NoParameters, Query};
use crate::request::segments::PillarSegment;
use crate::resources::reconstruction::body::{CrisesBody, ReconstructionBody};
use crate::state::service::Service;
use axum::response::Response;
use gsi_model::{Pillar, Timestamp};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// The days of a reconstruction.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReconstructionQuery {
    /// Days that begin at this time or later. Default: the first day there is.
    #[param(inline)]
    from: Option<RequestTime>,
    /// Days that begin before this time. Default: after the last day there is.
    #[param(inline)]
    to: Option<RequestTime>,
    /// A point for each day.
    #[serde(default, rename = "step")]
    #[param(inline)]
    _step: ReconstructionStep,
}

impl ReconstructionQuery {
    fn from(&self) -> Option<Timestamp> {
        self.from.map(Timestamp::from)
    }

    fn to(&self) -> Option<Timestamp> {
        self.to.map(Timestamp::from)
    }
}

#[derive(Default, Deserialize, ToSchema)]
#[schema(default = "1d")]
enum ReconstructionStep {
    #[default]
    #[serde(rename = "1d")]
    Day,
}

/// The composite, reconstructed
///
/// The scores that this method would have published on each day of the history that comes with the program. Each value is used
/// only from the time at which it was known. Published scores are in `history` and are never mixed with these.
#[utoipa::path(
    get, path = "/v1/global-stability/reconstruction", operation_id = "getReconstruction", tag = "scores",
    params(ReconstructionQuery),
    responses((status = 200, description = "A point for each day.", body = ReconstructionBody))
)]
pub async fn composite(
    response: ResponseContext,
    Query(query): Query<ReconstructionQuery>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, None, &query)).await
}

/// A pillar, reconstructed
///
/// The reconstructed scores of one pillar.
#[utoipa::path(
    get, path = "/v1/global-stability/pillar/{pillar}/reconstruction", operation_id = "getPillarReconstruction",
    tag = "scores",
    params(("pillar" = inline(Pillar), Path, description = "The pillar."), ReconstructionQuery),
    responses((status = 200, description = "A point for each day.", body = ReconstructionBody))
)]
pub async fn pillar(
    PillarSegment(pillar): PillarSegment,
    response: ResponseContext,
    Query(query): Query<ReconstructionQuery>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, Some(pillar), &query)).await
}

/// Dated crises
///
/// The crises that the method is judged by, with their first and last day and their pillars.
#[utoipa::path(
    get, path = "/v1/crises", operation_id = "listCrises", tag = "service",
    responses((status = 200, description = "The crises, oldest first.", body = CrisesBody))
)]
pub async fn crises(response: ResponseContext, _: Query<NoParameters>) -> Result<Response, RequestRefusal> {
    let past = response.service.published.past()?;
    let body = CrisesBody::of(past.record.crises.iter());
    Ok(response.document(&EncodedBody::new(json_bytes(&body)), response.service.started_at()))
}

fn page(
    service: &Service,
    pillar: Option<Pillar>,
    query: &ReconstructionQuery,
) -> Result<Page, RequestRefusal> {
    let past = service.published.past()?;
    let document = match (query.from(), query.to()) {
        (None, None) => past.whole(pillar),
        (from, to) => window(&past, pillar, from, to)?,
    };
    let modified = Some(service.started_at());
    Ok(Page { document, content_type: JSON, modified, data_status: None, link: None })
}

fn window(
    past: &PreparedPast,
    pillar: Option<Pillar>,
    asked_from: Option<Timestamp>,
    asked_to: Option<Timestamp>,
) -> Result<Arc<EncodedBody>, RequestRefusal> {
    // An open end is where the days end, and never on the wrong side of the other end.
    let from = asked_from.unwrap_or_else(|| past.from.min(asked_to.unwrap_or(past.from)));
    let to = asked_to.unwrap_or_else(|| past.to.max(from));
    if asked_from.is_some() && asked_to.is_some() && from >= to {
        return Err(RequestRefusal::parameters(vec![ParameterProblem {
            parameter: "from".into(),
            problem: "is not before to".into(),
            allowed: format!(
                "a time before to, which is {to}; there are days from {} to {}",
                past.from, past.to
            ),
        }]));
    }
    let body = ReconstructionBody::window(&past.record, pillar, from, to);
    Ok(Arc::new(EncodedBody::new(json_bytes(&body))))
}
