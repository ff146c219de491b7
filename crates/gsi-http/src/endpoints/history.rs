//! Published scores over time. One answer is bounded: a window that holds more is refused with the steps that fit.

use super::{PillarSegment, current, store_failed};
use crate::context::ResponseContext;
use crate::encoded_body::EncodedBody;
use crate::pages::Page;
use crate::problem::{ParameterProblem, RequestRefusal};
use crate::query::{Query, QueryParameters, QueryReader, document_parameters};
use crate::service::Service;
use crate::wire;
use crate::wire::history::{HistoryBody, HistoryStep, buckets};
use axum::response::Response;
use gsi_model::{DAY, Pillar, TICK, Timestamp};

/// Points in one answer: a quarter of a year of quarter hours would be too many, three weeks are not.
const MAX_POINTS: i64 = 2_000;
/// Ticks read for one answer; ten years of days would be 350,000 of them.
const MAX_TICKS: i64 = 40_000;
/// Without `from`, this many steps before `to`.
const DEFAULT_POINTS: i64 = 168;

/// What a history can be asked for.
pub struct HistoryQuery {
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    step: HistoryStep,
}

impl QueryParameters for HistoryQuery {
    fn read(query: &mut QueryReader) -> Self {
        let from = "From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.";
        HistoryQuery {
            from: query.time("from", from),
            to: query.time("to", "Up to this time, exclusive. Default: just after the newest tick."),
            step: query.word("step", "Width of a bucket.", HistoryStep::ALL.map(|step| (step.key(), step))),
        }
    }
}

document_parameters!(HistoryQuery);

/// The composite over time
///
/// Published composite scores in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused.
#[utoipa::path(
    get, path = "/v1/global-stability/history", operation_id = "getGlobalStabilityHistory", tag = "scores",
    params(HistoryQuery),
    responses((status = 200, description = "The buckets.", body = HistoryBody, headers(("GSI-Data-Status"))))
)]
pub async fn composite(
    response: ResponseContext,
    Query(query): Query<HistoryQuery>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, None, query)).await
}

/// A pillar over time
///
/// Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused.
#[utoipa::path(
    get, path = "/v1/global-stability/pillar/{pillar}/history", operation_id = "getPillarHistory", tag = "scores",
    params(("pillar" = inline(wire::scores::PillarKey), Path, description = "The pillar."), HistoryQuery),
    responses((status = 200, description = "The buckets.", body = HistoryBody, headers(("GSI-Data-Status"))))
)]
pub async fn pillar(
    PillarSegment(pillar): PillarSegment,
    response: ResponseContext,
    Query(query): Query<HistoryQuery>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, Some(pillar), query)).await
}

fn page(service: &Service, pillar: Option<Pillar>, query: HistoryQuery) -> Result<Page, RequestRefusal> {
    let prepared = current(service)?;
    let tick = prepared.snapshot.tick;
    let HistoryQuery { from, to, step } = query;
    let to = to.unwrap_or(tick.plus(1));
    let from = from.unwrap_or(to.minus(DEFAULT_POINTS * step.seconds()));
    check_window(from, to, step)?;
    let points = service.store.history(pillar, from, to).map_err(store_failed)?;
    let body = HistoryBody {
        series: pillar.map_or("composite", Pillar::key),
        from,
        to,
        step: step.key(),
        points: buckets(&points, step.seconds()),
    };
    let status = Some(prepared.status_at(service.clock.now()));
    Ok(Page { data_status: status, ..Page::json(EncodedBody::new(wire::bytes(&body)), tick) })
}

/// The longest window that one answer holds in steps of this width.
fn longest_seconds(step: HistoryStep) -> i64 {
    (MAX_POINTS * step.seconds()).min(MAX_TICKS * TICK)
}

fn check_window(from: Timestamp, to: Timestamp, step: HistoryStep) -> Result<(), RequestRefusal> {
    let refuse = |problem: String, allowed: String| {
        Err(RequestRefusal::parameters(vec![ParameterProblem { parameter: "from".into(), problem, allowed }]))
    };
    if from >= to {
        return refuse("is not before to".into(), format!("a time before to, which is {to}"));
    }
    let asked = to.since(from);
    if asked <= longest_seconds(step) {
        return Ok(());
    }
    let fitting: Vec<&str> = HistoryStep::ALL
        .into_iter()
        .filter(|step| asked <= longest_seconds(*step))
        .map(HistoryStep::key)
        .collect();
    let days = longest_seconds(step) / DAY;
    let allowed = match fitting.as_slice() {
        [] => format!("at most {days} days before to with this step; no step is wide enough for this window"),
        steps => format!("at most {days} days before to with this step, or step={}", steps.join(" or step=")),
    };
    refuse(format!("makes a window of more than {MAX_POINTS} buckets or {MAX_TICKS} ticks"), allowed)
}
