//! The inputs of one snapshot: the ticks to compute, the rows known at each, the method, and the engine's memory at the start.

pub(crate) mod body;

use crate::prepared::pages::Page;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::context::ResponseContext;
use crate::request::query::{NoParameters, Query};
use crate::request::segments::PathSegment;
use crate::request::service::RequestService;
use crate::resources::inputs::body::{InputCountries, Inputs, SeriesRows, SlotRow, StateBody};
use crate::resources::method;
use crate::settings::RETRY_AFTER_OVERLOAD_SECONDS;
use axum::response::Response;
use gsi_model::{CountrySnapshot, DAY, HOUR, NewsSlot, Observation, SnapshotId, Timestamp};
use gsi_store::plan_replay;
use std::collections::BTreeSet;

/// How far back series with a row per tick and coded-news slots are read.
const PER_TICK_DAYS: i64 = 40;
const PER_TICK_PREFIX: &str = "events.";
const SLOT_HOURS: i64 = 50;

/// The inputs of a snapshot
///
/// Everything the snapshot was computed from: the method, the engine's memory some ticks earlier, and every row known at each
/// tick since, for the world and for its countries. `gsi recompute` computes the same bytes from it. The answer is large, and
/// the service makes one at a time.
#[utoipa::path(
    get, path = "/v1/snapshots/{id}/inputs", operation_id = "getSnapshotInputs", tag = "service",
    params(
        ("id" = String, Path, description = "The snapshot.", pattern = "^snp_[0-9A-HJKMNP-TV-Z]{26}$", max_length = 30),
    ),
    responses(
        (status = 200, description = "The inputs.", body = Inputs, headers(("GSI-Data-Status"))),
        (status = 410, description = "The memory to set out from is no longer kept."),
    )
)]
pub async fn inputs(
    response: ResponseContext,
    PathSegment(id): PathSegment,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, &id)).await
}

fn page(service: &RequestService, id: &str) -> Result<Page, RequestRefusal> {
    let unknown = || RequestRefusal::not_found("No snapshot has this identifier.");
    let id = SnapshotId::parse(id).map_err(|_| unknown())?;
    let Ok(_alone) = service.places.inputs.try_lock() else {
        let busy = RequestRefusal::new(
            ProblemCode::Overloaded,
            "Inputs of another snapshot are being put together.",
        );
        return Err(busy.retry_after(RETRY_AFTER_OVERLOAD_SECONDS));
    };
    let published = service.store.snapshot_by_id(&id)?.ok_or_else(unknown)?;
    let snapshot = published.snapshot;
    let method = method::by_digest(service, &snapshot.method_digest)?;
    let method: serde_json::Value = serde_json::from_slice(method.plain())
        .map_err(|_| RequestRefusal::new(ProblemCode::Internal, "The method document cannot be read."))?;
    let plan = plan_replay(&*service.store, snapshot.tick, snapshot.tick)?;
    let start = plan.anchor.as_ref().map(|a| a.tick).or(plan.ticks.first().copied()).unwrap_or(snapshot.tick);
    let countries = countries(service, &method, snapshot.tick)?;
    let (series, withheld) = series(service, &method, start, snapshot.tick)?;
    let body = Inputs {
        format: Inputs::FORMAT,
        snapshot: snapshot.id.to_string(),
        as_of: snapshot.tick,
        published_at: Some(published.published_at),
        simulated: snapshot.simulated,
        method,
        state: plan.anchor.map(|a| StateBody { tick: a.tick, bytes: data_encoding::BASE64.encode(&a.state) }),
        ticks: plan.ticks,
        feeds: snapshot.feeds,
        context: snapshot.context,
        beside: snapshot.beside,
        withheld,
        series,
        slots: slots(service, start, snapshot.tick)?,
        countries,
    };
    let document = EncodedBody::new(json_bytes(&body));
    Ok(Page { data_status: Some(snapshot.status), ..Page::json(document, snapshot.tick) })
}

/// Returns every row of the series that the method reads, as far back as it reads them, and the names of withheld series.
fn series(
    service: &RequestService,
    method: &serde_json::Value,
    start: Timestamp,
    tick: Timestamp,
) -> Result<(Vec<SeriesRows>, Vec<String>), RequestRefusal> {
    let read = [&method["series"], &method["countries"]["series"]];
    let names = read.into_iter().filter_map(|names| names.as_array()).flatten();
    let names: BTreeSet<&str> = names.filter_map(|n| n.as_str()).collect();
    let oldest = start.minus(PER_TICK_DAYS * DAY);
    let mut found: Vec<SeriesRows> = Vec::new();
    let mut withheld: BTreeSet<String> = BTreeSet::new();
    let mut take = |o: Observation| {
        if !names.contains(o.series.as_str())
            || (o.series.starts_with(PER_TICK_PREFIX) && o.period_end < oldest)
        {
            return;
        }
        if !service.published.simulated && service.published.withheld.contains(&o.series) {
            withheld.insert(o.series);
            return;
        }
        let row = (o.period_end.unix(), o.revision, o.known_at.unix(), o.value, o.quality);
        match found.last_mut() {
            Some(last) if last.series == o.series && last.entity == o.entity => last.rows.push(row),
            _ => found.push(SeriesRows {
                series: o.series,
                entity: o.entity,
                feed: o.feed.to_string(),
                rows: vec![row],
            }),
        }
    };
    service.store.observations(tick, &mut take)?;
    Ok((found, withheld.into_iter().collect()))
}

/// Returns the further inputs of the tick's countries. `None` when another method than `method` computed them.
fn countries(
    service: &RequestService,
    method: &serde_json::Value,
    tick: Timestamp,
) -> Result<Option<InputCountries>, RequestRefusal> {
    let at = |moment: Timestamp| service.store.countries_at(moment).map_err(RequestRefusal::from);
    let by_this = |c: &CountrySnapshot| method["countries"]["digest"].as_str() == Some(&c.method_digest);
    let Some(published) = at(tick)?.filter(|c| c.tick == tick && by_this(c)) else { return Ok(None) };
    Ok(Some(InputCountries {
        digest: InputCountries::digest_of(&published),
        events: published.events,
        previous: at(tick.minus(1))?,
        day_ago: at(tick.minus(DAY))?,
    }))
}

fn slots(
    service: &RequestService,
    start: Timestamp,
    tick: Timestamp,
) -> Result<Vec<SlotRow>, RequestRefusal> {
    let mut found = Vec::new();
    let mut take = |slot: NewsSlot| {
        found.push(SlotRow {
            stamp: slot.stamp.unix(),
            known_at: slot.known_at.unix(),
            articles: slot.articles,
            conflict: slot.conflict,
            threat: slot.threat,
            cyber: slot.cyber,
            supply: slot.supply,
            countries: slot
                .countries
                .iter()
                .map(|c| (c.country.to_string(), c.articles, c.conflict))
                .collect(),
        });
    };
    service.store.slots(start.minus(SLOT_HOURS * HOUR), tick, tick, &mut take)?;
    Ok(found)
}
