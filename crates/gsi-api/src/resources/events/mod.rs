//! The list of conflict events, plain or as GeoJSON, and one event in full.

pub(crate) mod body;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::representation::json_bytes;
use crate::representation::table::csv_bytes;
use crate::request::as_of::pinned_tick;
use crate::request::context::{RequestContext, ResponseContext};
use crate::request::cursor::ListKind;
use crate::request::formed::Formed;
use crate::request::list_walk::{ListWalk, next_link, sorted};
use crate::request::query::{AsOf, Query, QueryParameters, QueryReader, document_parameters};
use crate::request::segments::PathSegment;
use crate::resources::events::body::{ConflictEvent, EventDetail, EventFeatures, EventPage, EventRow};
use crate::settings::{MOST_REQUESTS_FOR_A_WINDOW, WINDOW_DAYS_PER_REQUEST};
use crate::state::service::Service;
use axum::response::Response;
use gsi_model::{Category, CountryCode, DAY, EventId, EventStatus, Timestamp};
use gsi_store::{EventQuery, PageAfter};
use http::Uri;

/// Without `since`: this long before the pinned tick, or before `until` when that is earlier.
const DEFAULT_WINDOW_SECONDS: i64 = 7 * DAY;

/// What the list can be asked for.
pub struct EventsQuery {
    limit: usize,
    cursor: Option<String>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    categories: Vec<Category>,
    countries: Vec<CountryCode>,
    actor: Option<String>,
    min_escalation: Option<f64>,
    bbox: Option<[f64; 4]>,
    active_since: Option<Timestamp>,
    statuses: Vec<EventStatus>,
    as_of: Option<Timestamp>,
}

impl QueryParameters for EventsQuery {
    const FORMS: &'static [AnswerForm] = &[AnswerForm::Json, AnswerForm::GeoJson, AnswerForm::Csv];

    fn read(query: &mut QueryReader) -> Self {
        let (limit, cursor) = (query.limit(), query.cursor());
        let (since, until) = query.since_until();
        EventsQuery {
            limit,
            cursor,
            since,
            until,
            categories: sorted(query.categories()),
            countries: sorted(query.countries()),
            actor: query.actor(),
            min_escalation: query.min_escalation(),
            bbox: query.bbox(),
            active_since: query.active_since(),
            statuses: sorted(query.statuses()),
            as_of: query.as_of(),
        }
    }
}

impl EventsQuery {
    /// Events of the window may have to be passed over to fill a page.
    fn is_filtered(&self) -> bool {
        !(self.categories.is_empty()
            && self.countries.is_empty()
            && self.statuses == [EventStatus::Confirmed, EventStatus::Reported]
            && self.actor.is_none()
            && self.min_escalation.is_none()
            && self.bbox.is_none()
            && self.active_since.is_none())
    }
}

document_parameters!(EventsQuery);

/// Conflict events
///
/// Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them. With a
/// filter, a window of more than 31 days counts as one request for every 31 days begun, twelve at most.
#[utoipa::path(
    get, path = "/v1/conflict", operation_id = "listConflictEvents", tag = "events", params(EventsQuery),
    responses((
        status = 200, description = "A page of events.",
        content((EventPage = "application/json"), (EventFeatures = "application/geo+json"), (String = "text/csv")),
    ), (status = 410, description = "Events as they were then are no longer kept."))
)]
pub async fn list(
    uri: Uri,
    Formed { response, query, form }: Formed<EventsQuery>,
) -> Result<Response, RequestRefusal> {
    let request = response.request.clone();
    let first = query.cursor.is_none() && query.as_of.is_none();
    response.read_page(uri, form, first, move |service, uri| page(service, &request, uri, query, form)).await
}

/// Requests that a filtered list over this window counts as, beyond one.
fn further_requests(since: Timestamp, end: Timestamp) -> u64 {
    let days = u64::try_from(end.since(since).max(0) / DAY).unwrap_or(0);
    let requests = days / WINDOW_DAYS_PER_REQUEST.unsigned_abs() + 1;
    requests.min(MOST_REQUESTS_FOR_A_WINDOW) - 1
}

fn page(
    service: &Service,
    request: &RequestContext,
    uri: &Uri,
    query: EventsQuery,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let is_filtered = query.is_filtered();
    let EventsQuery {
        categories,
        countries,
        statuses,
        actor,
        min_escalation,
        bbox,
        active_since,
        since,
        until,
        as_of,
        ..
    } = query;
    let filters = format!(
        "{categories:?} {countries:?} {statuses:?} {actor:?} {min_escalation:?} {bbox:?} {active_since:?} {since:?} \
         {until:?} {as_of:?}"
    );
    let walk = ListWalk::begin(service, ListKind::Events, &filters, query.cursor.as_deref(), as_of)?;
    walk.page(query.limit, form, || {
        let end = until.map_or(walk.pinned, |u| u.min(walk.pinned));
        let since = since.unwrap_or(end.minus(DEFAULT_WINDOW_SECONDS));
        if is_filtered {
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
            limit: query.limit + 1,
        };
        let mut found = service.store.events(&asked)?;
        let next_cursor = walk
            .cut(&mut found, query.limit, |last| PageAfter { at: last.occurred_at, id: last.id.to_string() });
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
    Query(AsOf { as_of }): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    let none = || RequestRefusal::not_found("No event has this identifier.");
    response
        .read_store(move |service| {
            let id = EventId::parse(&id).map_err(|_| none())?;
            let pinned = pinned_tick(service, as_of)?;
            let record = service.store.event(&id, pinned)?.ok_or_else(none)?;
            let body = EventDetail::of(&record).ok_or_else(none)?;
            Ok(Page::json(EncodedBody::new(json_bytes(&body)), pinned))
        })
        .await
}
