//! The list of alerts, and one alert with its course.

pub(crate) mod body;
pub(crate) mod feeds;
mod query;
pub(crate) mod stream;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::Number;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::representation::json_bytes;
use crate::representation::table::csv_bytes;
use crate::request::as_of::pinned_tick;
use crate::request::context::ResponseContext;
use crate::request::cursor::ListKind;
use crate::request::formed::{Formed, TableFormat};
use crate::request::list_walk::{ListWalk, next_link};
use crate::request::parameters::{AsOf, Paging, Window};
use crate::request::query::Query;
use crate::request::segments::PathSegment;
use crate::request::service::RequestService;
use crate::resources::alerts::body::{
    AlertBody, AlertDetail, AlertFrequency, AlertInput, AlertPage, AlertPoint, AlertState, AlertsInPast,
};
use crate::resources::alerts::query::{AlertFilters, AlertsQuery};
use axum::response::Response;
use gsi_model::{Alert, AlertId, AlertRuleKind, DAY, EventId, Pillar, Snapshot, Timestamp};
use gsi_store::{AlertQuery, HistoryPoint, PageAfter};
use http::Uri;

/// Most points of a course. A longer course is thinned.
const MOST_POINTS: usize = 200;
const INPUTS_SHOWN: usize = 10;
const YEAR_SECONDS: i64 = 365 * DAY;
const DAYS_PER_YEAR: f64 = 365.25;

/// Alerts
///
/// Active and ended alerts, newest first: scores that are high and well above their past, upper bands, grave events, stale
/// feeds, published briefings. `since` and `until` filter by the time at which an alert began.
#[utoipa::path(
    get, path = "/v1/alerts", operation_id = "listAlerts", tag = "alerts",
    params(Paging, AlertFilters, Window, AsOf, TableFormat),
    responses((
        status = 200, description = "A page of alerts.",
        content((AlertPage = "application/json"), (String = "text/csv")),
    ))
)]
pub async fn list(
    uri: Uri,
    Formed { response, query, form, .. }: Formed<AlertsQuery, TableFormat>,
) -> Result<Response, RequestRefusal> {
    let (paging, _, _, as_of) = &query;
    let is_first_of_now = paging.cursor().is_none() && as_of.time().is_none();
    let job = move |service: &RequestService, uri: &Uri| page(service, uri, &query, form);
    response.read_page(uri, form, is_first_of_now, job).await
}

fn page(
    service: &RequestService,
    uri: &Uri,
    (paging, filters, window, as_of): &AlertsQuery,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let is_active = filters.state.map(|state| state == AlertState::Active);
    let (rule, country) = (filters.rule.map(|rule| rule.0), filters.country);
    let (since, until, as_of) = (window.since(), window.until(), as_of.time());
    let digested = format!("{is_active:?} {rule:?} {country:?} {since:?} {until:?} {as_of:?}");
    let limit = paging.limit.0;
    let walk = ListWalk::begin(service, ListKind::Alerts, &digested, paging.cursor(), as_of)?;
    walk.page(uri, limit, form, || {
        let asked = AlertQuery {
            as_of: walk.pinned,
            since: since.unwrap_or(Timestamp::MIN),
            until: until.unwrap_or(Timestamp::MAX),
            is_active,
            rule,
            country,
            after: walk.after(),
            limit: limit + 1,
        };
        let mut found = service.store.alerts(&asked)?;
        let next_cursor =
            walk.cut(&mut found, limit, |last| PageAfter { at: last.began_at, id: last.id.to_string() });
        let link = next_link(uri, next_cursor.as_deref());
        let alerts: Vec<AlertBody> = found.iter().map(AlertBody::of).collect();
        if form == AnswerForm::Csv {
            return Ok((csv_bytes(&alerts), link));
        }
        Ok((json_bytes(&AlertPage { alerts, next_cursor }), link))
    })
}

/// One alert
///
/// An alert with the course of the watched value, its inputs when it began, and how often its rule fired.
#[utoipa::path(
    get, path = "/v1/alerts/{id}", operation_id = "getAlert", tag = "alerts",
    params(
        ("id" = String, Path, description = "The alert.", pattern = "^alr_[0-9A-HJKMNP-TV-Z]{26}$", max_length = 30),
        AsOf,
    ),
    responses((status = 200, description = "The alert.", body = AlertDetail))
)]
pub async fn one(
    response: ResponseContext,
    PathSegment(id): PathSegment,
    Query(as_of): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    let none = || RequestRefusal::not_found("No alert has this identifier.");
    response
        .read_store(move |service| {
            let id = AlertId::parse(&id).map_err(|_| none())?;
            let pinned = pinned_tick(service, as_of.time())?;
            let alert = service.store.alert(&id, pinned)?.ok_or_else(none)?;
            let body = detail(service, &alert, pinned)?;
            Ok(Page::json(EncodedBody::new(json_bytes(&body)), pinned))
        })
        .await
}

fn detail(service: &RequestService, alert: &Alert, pinned: Timestamp) -> Result<AlertDetail, RequestRefusal> {
    let beginning = service.store.published_at(alert.began_at)?;
    let has_score = matches!(alert.rule, AlertRuleKind::Score | AlertRuleKind::Band | AlertRuleKind::Event);
    let countries = match alert.country {
        Some(_) if has_score => service.store.countries_at(alert.began_at)?,
        _ => None,
    };
    let (inputs, explanation) = match (alert.country, &beginning) {
        (_, None) => (Vec::new(), None),
        _ if !has_score => (Vec::new(), None),
        (Some(country), Some(_)) => {
            let score = countries.as_ref().and_then(|c| c.country(country));
            let inputs = score.into_iter().flat_map(|c| c.indicators());
            let inputs = inputs.map(|i| (i.key.as_str(), i.contribution, i.change_24h)).collect();
            let address = format!("/v1/countries/{country}/explain?as_of={}", alert.began_at);
            (inputs, score.map(|_| address))
        }
        (None, Some(published)) => {
            let address = format!("/v1/global-stability/explain?as_of={}", alert.began_at);
            (inputs_of(&published.snapshot, Pillar::from_key(&alert.subject)), Some(address))
        }
    };
    Ok(AlertDetail {
        alert: AlertBody::of(alert),
        course: course(service, alert, pinned)?,
        inputs: largest(inputs),
        explanation,
        fired: fired(service, alert, pinned)?,
    })
}

/// An input: its key, its points of the subject's score, its part of the change.
type InputPoints<'a> = (&'a str, f64, Option<f64>);

fn inputs_of(snapshot: &Snapshot, pillar: Option<Pillar>) -> Vec<InputPoints<'_>> {
    let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b.unwrap_or(0.0));
    let pillars = snapshot.pillars.iter().filter(|p| pillar.is_none_or(|wanted| p.pillar == wanted));
    pillars
        .flat_map(|p| &p.indicators)
        .map(|i| match pillar {
            Some(_) => {
                (i.key.as_str(), i.pillar_contribution, sum(i.pillar_data_effect, i.pillar_coverage_effect))
            }
            None => (i.key.as_str(), i.contribution, sum(i.data_effect, i.coverage_effect)),
        })
        .collect()
}

fn largest(mut inputs: Vec<InputPoints<'_>>) -> Vec<AlertInput> {
    inputs.retain(|(_, points, _)| *points != 0.0);
    inputs.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    inputs.truncate(INPUTS_SHOWN);
    let shown = |(key, points, change): InputPoints<'_>| {
        Some(AlertInput {
            key: key.to_owned(),
            contribution: Number::decimals(points, 1)?,
            change_24h: change.and_then(|c| Number::decimals(c, 1)),
        })
    };
    inputs.into_iter().filter_map(shown).collect()
}

/// Returns the watched value from a day before the alert began until it ended, or until `pinned`.
fn course(
    service: &RequestService,
    alert: &Alert,
    pinned: Timestamp,
) -> Result<Vec<AlertPoint>, RequestRefusal> {
    let (from, to) = (alert.began_at.minus(DAY), alert.ended_at.unwrap_or(pinned).min(pinned).plus(1));
    let store = &service.store;
    let points: Vec<(Timestamp, f64)> = match (alert.rule, alert.country) {
        (AlertRuleKind::Feed | AlertRuleKind::Briefing, _) => Vec::new(),
        (AlertRuleKind::Event, _) => {
            let id = alert.about.as_deref().and_then(|id| EventId::parse(id).ok());
            let record = id.map(|id| store.event(&id, pinned)).transpose()?.flatten();
            let versions = record.into_iter().flat_map(|r| r.versions);
            versions.map(|(tick, version)| (tick, version.event.escalation)).collect()
        }
        (_, Some(country)) => scores(store.country_history(country, from, to)?),
        (_, None) => {
            let pillar = Pillar::from_key(&alert.subject);
            scores(store.history(pillar, from, to)?)
        }
    };
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let decimals = if alert.rule == AlertRuleKind::Event { 2 } else { 1 };
    // Thinned from the end, so that the newest point stays.
    let mut kept: Vec<AlertPoint> = points
        .iter()
        .rev()
        .step_by(step)
        .filter_map(|(as_of, value)| {
            Some(AlertPoint { as_of: *as_of, value: Number::decimals(*value, decimals)? })
        })
        .collect();
    kept.reverse();
    Ok(kept)
}

fn scores(points: Vec<HistoryPoint>) -> Vec<(Timestamp, f64)> {
    points.into_iter().map(|p| (p.tick, p.score)).collect()
}

fn fired(
    service: &RequestService,
    alert: &Alert,
    pinned: Timestamp,
) -> Result<AlertFrequency, RequestRefusal> {
    let asked = AlertQuery {
        since: alert.began_at.minus(YEAR_SECONDS),
        until: alert.began_at.plus(1),
        rule: Some(alert.rule),
        country: alert.country,
        ..AlertQuery::any(pinned)
    };
    let found = service.store.alerts(&asked)?;
    let last_365_days = found.iter().filter(|a| a.subject == alert.subject).count();
    Ok(AlertFrequency { last_365_days, backtest: in_past(service, alert) })
}

fn in_past(service: &RequestService, alert: &Alert) -> Option<AlertsInPast> {
    if alert.rule != AlertRuleKind::Score || alert.country.is_some() {
        return None;
    }
    // The past is computed within a few seconds of the start. Until then this is null.
    let past = &service.published.past().ok()?.record;
    let subject = if alert.subject == "global" { "composite" } else { alert.subject.as_str() };
    let spells = past.alert_spells.get(subject)?;
    let (from, to) = (past.days.first()?.day, past.days.last()?.day);
    let years = past.days.len() as f64 / DAYS_PER_YEAR;
    Some(AlertsInPast {
        from: from.to_string(),
        to: to.to_string(),
        alerts: spells.len(),
        per_year: Number::decimals(spells.len() as f64 / years, 2)?,
    })
}
