//! The list of conflict events, plain or as GeoJSON, and one event with its sources.

pub(crate) mod body;
pub(crate) mod query;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::representation::json_bytes;
use crate::representation::table::csv_bytes;
use crate::request::as_of::pinned_tick;
use crate::request::context::{RequestContext, ResponseContext};
use crate::request::cursor::ListKind;
use crate::request::formed::{Formed, MapFormat};
use crate::request::list_walk::{ListWalk, next_link, sorted};
use crate::request::parameters::{AsOf, Paging, Window};
use crate::request::query::Query;
use crate::request::segments::PathSegment;
use crate::request::service::RequestService;
use crate::resources::events::body::{ConflictEvent, EventDetail, EventFeatures, EventPage, EventRow};
use crate::resources::events::query::{EventFilters, EventsQuery};
use crate::settings::{MOST_REQUESTS_FOR_A_WINDOW, WINDOW_DAYS_PER_REQUEST};
use axum::response::Response;
use gsi_model::{DAY, EventId, Timestamp};
use gsi_store::{EventQuery, PageAfter};
use http::Uri;

/// The default window: this long before the pinned tick, or before `until` when that is earlier.
const DEFAULT_WINDOW_SECONDS: i64 = 7 * DAY;

/// Conflict events
///
/// Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them. With a
/// filter, a window of more than 31 days counts as one request for every 31 days begun, twelve at most.
#[utoipa::path(
    get, path = "/v1/conflict", operation_id = "listConflictEvents", tag = "events",
    params(Paging, Window, EventFilters, AsOf, MapFormat),
    responses((
        status = 200, description = "A page of events.",
        content((EventPage = "application/json"), (EventFeatures = "application/geo+json"), (String = "text/csv")),
    ), (status = 410, description = "Events as they were then are no longer kept."))
)]
pub async fn list(
    uri: Uri,
    Formed { response, query, form, .. }: Formed<EventsQuery, MapFormat>,
) -> Result<Response, RequestRefusal> {
    let request = response.request.clone();
    let (paging, _, _, as_of) = &query;
    let is_first_of_now = paging.cursor().is_none() && as_of.time().is_none();
    let job = move |service: &RequestService, uri: &Uri| page(service, &request, uri, &query, form);
    response.read_page(uri, form, is_first_of_now, job).await
}

/// The requests that a filtered list over this window counts as, beyond one.
fn further_requests(since: Timestamp, end: Timestamp) -> u64 {
    let days = u64::try_from(end.since(since).max(0) / DAY).unwrap_or(0);
    let requests = days / WINDOW_DAYS_PER_REQUEST.unsigned_abs() + 1;
    requests.min(MOST_REQUESTS_FOR_A_WINDOW) - 1
}

fn page(
    service: &RequestService,
    request: &RequestContext,
    uri: &Uri,
    (paging, window, filters, as_of): &EventsQuery,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let (since, until, as_of) = (window.since(), window.until(), as_of.time());
    let (categories, countries) = (sorted(filters.category.clone()), sorted(filters.country.clone()));
    let statuses = filters.statuses();
    let actor = filters.actor.as_ref().map(|actor| actor.0.clone());
    let min_escalation = filters.min_escalation.map(|min| min.0);
    let bbox = filters.bbox.map(|area| area.0);
    let active_since = filters.active_since.map(Timestamp::from);
    let digested = format!(
        "{categories:?} {countries:?} {statuses:?} {actor:?} {min_escalation:?} {bbox:?} {active_since:?} {since:?} \
         {until:?} {as_of:?}"
    );
    let limit = paging.limit.0;
    let walk = ListWalk::begin(service, ListKind::Events, &digested, paging.cursor(), as_of)?;
    walk.page(uri, limit, form, || {
        let end = until.map_or(walk.pinned, |u| u.min(walk.pinned));
        let since = since.unwrap_or(end.minus(DEFAULT_WINDOW_SECONDS));
        if filters.is_filtered() {
            request.charge(further_requests(since, end));
        }
        let asked = EventQuery {
            as_of: walk.pinned,
            since,
            until: until.unwrap_or(Timestamp::MAX),
            categories,
            countries,
            statuses,
            actor,
            min_escalation,
            bbox,
            active_since,
            after: walk.after(),
            limit: limit + 1,
        };
        let mut found = service.store.events(&asked)?;
        let next_cursor =
            walk.cut(&mut found, limit, |last| PageAfter { at: last.occurred_at, id: last.id.to_string() });
        let link = next_link(uri, next_cursor.as_deref());
        let bytes = match form {
            AnswerForm::Json => {
                let events = found.iter().filter_map(ConflictEvent::of).collect();
                json_bytes(&EventPage { events, next_cursor })
            }
            AnswerForm::GeoJson => json_bytes(&EventFeatures::of(&found, next_cursor)),
            _ => csv_bytes(&found.iter().filter_map(EventRow::of).collect::<Vec<_>>()),
        };
        Ok((bytes, link))
    })
}

/// One conflict event
///
/// An event by its id, or by the id of one that was merged into it.
#[utoipa::path(
    get, path = "/v1/conflict/{id}", operation_id = "getConflictEvent", tag = "events",
    params(
        ("id" = String, Path, description = "The event.", pattern = "^evt_[0-9A-HJKMNP-TV-Z]{26}$", max_length = 30),
        AsOf,
    ),
    responses(
        (status = 200, description = "The event with its sources and revisions.", body = EventDetail),
        (status = 410, description = "Events as they were then are no longer kept."),
    )
)]
pub async fn one(
    response: ResponseContext,
    PathSegment(id): PathSegment,
    Query(as_of): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    let none = || RequestRefusal::not_found("No event has this identifier.");
    response
        .read_store(move |service| {
            let id = EventId::parse(&id).map_err(|_| none())?;
            let pinned = pinned_tick(service, as_of.time())?;
            let record = service.store.event(&id, pinned)?.ok_or_else(none)?;
            let body = EventDetail::of(&record).ok_or_else(none)?;
            Ok(Page::json(EncodedBody::new(json_bytes(&body)), pinned))
        })
        .await
}
