//! Published scores over time. An answer is bounded: a longer window is refused, and the problem names the steps that fit.

pub(crate) mod body;
pub(crate) mod query;

use crate::prepared::pages::Page;
use crate::problem::{ParameterProblem, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::representation::json_bytes;
use crate::representation::table::csv_bytes;
use crate::request::as_of::current;
use crate::request::formed::{Formed, TableFormat};
use crate::request::segments::PillarSegment;
use crate::request::service::RequestService;
use crate::resources::history::body::{HistoryBody, HistoryStep, PillarBuckets, WideRow, buckets};
use crate::resources::history::query::{HistoryMethod, HistorySeries, HistoryWindow};
use axum::response::Response;
use gsi_model::{DAY, Pillar, TICK, Timestamp};
use gsi_store::{HistoryPoint, Published};

/// Most points of an answer: three weeks of quarter hours.
const MAX_POINTS: i64 = 2_000;
/// Most ticks that are read for an answer. Ten years are 350,000 ticks.
const MAX_TICKS: i64 = 40_000;
/// Most snapshots that are read for an answer: 33 days. Scores by one method are only in the snapshots.
const MAX_SNAPSHOTS: i64 = 3_200;

/// The composite over time
///
/// Published composite scores in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused.
#[utoipa::path(
    get, path = "/v1/global-stability/history", operation_id = "getGlobalStabilityHistory", tag = "scores",
    params(HistoryWindow, HistoryMethod, HistorySeries, TableFormat),
    responses((
        status = 200, description = "The buckets.", headers(("GSI-Data-Status")),
        content((HistoryBody = "application/json"), (String = "text/csv")),
    ))
)]
pub async fn composite(
    Formed { response, query, form, .. }: Formed<(HistoryWindow, HistoryMethod, HistorySeries), TableFormat>,
) -> Result<Response, RequestRefusal> {
    let (window, method, series) = query;
    response
        .read_store(move |service| page(service, None, &window, &method, series.has_pillars(), form))
        .await
}

/// A pillar over time
///
/// Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused.
#[utoipa::path(
    get, path = "/v1/global-stability/pillar/{pillar}/history", operation_id = "getPillarHistory", tag = "scores",
    params(("pillar" = inline(Pillar), Path, description = "The pillar."), HistoryWindow, HistoryMethod, TableFormat),
    responses((
        status = 200, description = "The buckets.", headers(("GSI-Data-Status")),
        content((HistoryBody = "application/json"), (String = "text/csv")),
    ))
)]
pub async fn pillar(
    PillarSegment(pillar): PillarSegment,
    Formed { response, query, form, .. }: Formed<(HistoryWindow, HistoryMethod), TableFormat>,
) -> Result<Response, RequestRefusal> {
    let (window, method) = query;
    response.read_store(move |service| page(service, Some(pillar), &window, &method, false, form)).await
}

fn page(
    service: &RequestService,
    pillar: Option<Pillar>,
    window: &HistoryWindow,
    method: &HistoryMethod,
    has_pillars: bool,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let prepared = current(service)?;
    let tick = prepared.snapshot.tick;
    let (step, to) = (window.step(), window.to(tick));
    let mut from = window.from(tick);
    if method.version().is_some() && !window.has_from() {
        from = from.max(to.minus(MAX_SNAPSHOTS * TICK));
    }
    check_window(from, to, step)?;
    let series = |pillar: Option<Pillar>| {
        let points = match method.version() {
            None => service.store.history(pillar, from, to)?,
            Some(version) => points_by_method(service, version, pillar, from, to)?,
        };
        Ok::<_, RequestRefusal>(buckets(&points, step.seconds()))
    };
    let pillar_series = |pillar: Pillar| series(Some(pillar));
    let body = HistoryBody {
        series: pillar.map_or("composite", Pillar::key),
        from,
        to,
        step,
        points: series(pillar)?,
        pillars: if has_pillars {
            Some(PillarBuckets {
                conflict: pillar_series(Pillar::Conflict)?,
                cyber: pillar_series(Pillar::Cyber)?,
                supply_chain: pillar_series(Pillar::SupplyChain)?,
                macro_: pillar_series(Pillar::Macro)?,
            })
        } else {
            None
        },
    };
    let bytes = match (form, &body.pillars) {
        (AnswerForm::Csv, Some(pillars)) => csv_bytes(&WideRow::all(&body.points, pillars)),
        (AnswerForm::Csv, None) => csv_bytes(&body.points),
        _ => json_bytes(&body),
    };
    let status = Some(prepared.status_at(service.clock.now()));
    Ok(Page { data_status: status, ..Page::new(form, EncodedBody::new(bytes), tick) })
}

/// Reads the scores by one method, current or previous.
fn points_by_method(
    service: &RequestService,
    version: &str,
    pillar: Option<Pillar>,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<HistoryPoint>, RequestRefusal> {
    if to.since(from) > MAX_SNAPSHOTS * TICK {
        let days = MAX_SNAPSHOTS * TICK / DAY;
        return Err(RequestRefusal::parameters(vec![ParameterProblem {
            parameter: "from".into(),
            problem: format!("makes a window of more than {days} days"),
            allowed: format!("at most {days} days before to together with method"),
        }]));
    }
    let mut points = Vec::new();
    let mut each = |published: Published| {
        let Some(said) = published.snapshot.by_method(version) else { return };
        let score = pillar.map_or(Some(said.score), |p| said.pillar(p).map(|s| s.score));
        let (tick, published_at) = (said.tick, published.published_at);
        points.extend(score.map(|score| HistoryPoint { tick, score, published_at }));
    };
    service.store.snapshots(from, to, &mut each)?;
    if points.is_empty() {
        let in_force = current(service)?.snapshot.method_version.clone();
        return Err(RequestRefusal::not_found(format!(
            "Nothing that method {version} said is stored from {from} to {to}; method {in_force} is in force."
        )));
    }
    Ok(points)
}

/// The longest window of an answer with steps of this width.
fn longest_seconds(step: HistoryStep) -> i64 {
    (MAX_POINTS * step.seconds()).min(MAX_TICKS * TICK)
}

pub fn check_window(from: Timestamp, to: Timestamp, step: HistoryStep) -> Result<(), RequestRefusal> {
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
