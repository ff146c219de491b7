//! A score in its context: the most similar past days, and what its level has meant.

pub(crate) mod body;

use crate::prepared::pages::Page;
use crate::prepared::past::PreparedPast;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::as_of::{current, published_at};
use crate::request::context::ResponseContext;
use crate::request::parameters::{AsOf, PageLimit};
use crate::request::query::Query;
use crate::request::service::RequestService;
use crate::resources::likeness::body::{AnaloguesBody, AskedDay, MeaningBody};
use axum::response::Response;
use gsi_model::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

/// The number of days to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AnalogueLimit {
    /// Entries per page.
    #[serde(default)]
    #[param(inline)]
    limit: PageLimit,
}

/// Past days most like this one
///
/// The days of the reconstructed past whose pillars were nearest, with the crisis under way and what the score did in the next 30
/// days. Measured only on pillars that both days have. `as_of` before the first snapshot asks about a reconstructed day.
#[utoipa::path(
    get, path = "/v1/global-stability/analogues", operation_id = "listAnalogues", tag = "scores",
    params(AsOf, AnalogueLimit),
    responses((status = 200, description = "The days, nearest first.", body = AnaloguesBody))
)]
pub async fn analogues(
    response: ResponseContext,
    Query((as_of, AnalogueLimit { limit })): Query<(AsOf, AnalogueLimit)>,
) -> Result<Response, RequestRefusal> {
    response
        .read_store(move |service| {
            let past = service.published.past()?;
            let (asked, modified) = asked_day(service, &past, as_of.time())?;
            let found = past.record.analogues(asked.day, asked.pillars, limit.0);
            page(AnaloguesBody::of(&asked, &past.record, &found).map(|body| json_bytes(&body)), modified)
        })
        .await
}

/// What this level has meant
///
/// The share of past days at each level on which a listed crisis was under way, the place of this score among all
/// reconstructed days, and the figures which show that the score does not forecast.
#[utoipa::path(
    get, path = "/v1/global-stability/meaning", operation_id = "getMeaning", tag = "scores", params(AsOf),
    responses((status = 200, description = "Past frequencies by level.", body = MeaningBody))
)]
pub async fn meaning(
    response: ResponseContext,
    Query(as_of): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    response
        .read_store(move |service| {
            let past = service.published.past()?;
            let (asked, modified) = asked_day(service, &past, as_of.time())?;
            page(MeaningBody::of(&asked, &past.record).map(|body| json_bytes(&body)), modified)
        })
        .await
}

fn page(body: Option<bytes::Bytes>, modified: Timestamp) -> Result<Page, RequestRefusal> {
    let body = body.ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The past cannot be shown."))?;
    Ok(Page::json(EncodedBody::new(body), modified))
}

/// Returns the day published at `as_of`. Before the first publication, the reconstructed day.
fn asked_day(
    service: &RequestService,
    past: &PreparedPast,
    as_of: Option<Timestamp>,
) -> Result<(AskedDay, Timestamp), RequestRefusal> {
    let Some(as_of) = as_of else {
        let prepared = current(service)?;
        return Ok((AskedDay::published(&prepared.snapshot), prepared.snapshot.tick));
    };
    match published_at(service, as_of) {
        Ok(published) => Ok((AskedDay::published(&published.snapshot), published.snapshot.tick)),
        Err(refusal) if refusal.code != ProblemCode::NoSnapshot => Err(refusal),
        Err(refusal) => {
            let day = past.record.day(as_of.day()).and_then(AskedDay::reconstructed);
            day.map(|day| (day, service.started_at())).ok_or(refusal)
        }
    }
}
