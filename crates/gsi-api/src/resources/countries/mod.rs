//! The list of countries, one country, its history, and the explanation of its score.

pub(crate) mod body;
mod features;
mod outlines;
mod query;

use crate::prepared::pages::Page;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::representation::json_bytes;
use crate::representation::table::csv_bytes;
use crate::request::as_of::{current, pinned_tick};
use crate::request::context::ResponseContext;
use crate::request::cursor::ListKind;
use crate::request::formed::{Formed, MapFormat, TableFormat};
use crate::request::list_walk::{ListWalk, next_link};
use crate::request::parameters::{AsOf, Paging};
use crate::request::query::Query;
use crate::request::segments::CountrySegment;
use crate::request::service::RequestService;
use crate::resources::countries::body::{
    CountriesBody, CountryBody, CountryEntry, CountryExplanation, CountryHistoryBody, NotScored,
    ranking_score,
};
use crate::resources::countries::features::CountryFeatures;
use crate::resources::countries::query::{CountriesQuery, CountryFilters};
use crate::resources::events::body::ConflictEvent;
use crate::resources::history::body::buckets;
use crate::resources::history::check_window;
use crate::resources::history::query::HistoryWindow;
use axum::response::Response;
use gsi_model::{CountryCode, CountryScore, CountrySnapshot, DAY, EventStatus, Pillar, Scope, Timestamp};
use gsi_store::{EventQuery, PageAfter};
use http::Uri;

/// Most events that are shown with a country.
const EVENTS_SHOWN: usize = 10;
const EVENTS_WITHIN_SECONDS: i64 = 7 * DAY;

/// Countries by score
///
/// Every country that has a score, worst first, then by code. With `pillar`, only countries that have this pillar, ranked by
/// it. A country without enough data has no score; `not_scored` counts these.
#[utoipa::path(
    get, path = "/v1/countries", operation_id = "listCountries", tag = "countries",
    params(Paging, CountryFilters, AsOf, MapFormat),
    responses((
        status = 200, description = "A page of countries.",
        content(
            (CountriesBody = "application/json"),
            (CountryFeatures = "application/geo+json"),
            (String = "text/csv"),
        ),
    ))
)]
pub async fn list(
    uri: Uri,
    Formed { response, query, form, .. }: Formed<CountriesQuery, MapFormat>,
) -> Result<Response, RequestRefusal> {
    let (paging, _, as_of) = &query;
    let is_first_of_now = paging.cursor().is_none() && as_of.time().is_none();
    let job = move |service: &RequestService, uri: &Uri| list_page(service, uri, &query, form);
    response.read_page(uri, form, is_first_of_now, job).await
}

fn list_page(
    service: &RequestService,
    uri: &Uri,
    (paging, filters, as_of): &CountriesQuery,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let min_score = filters.min_score.map(|min| min.0);
    let (pillar, as_of) = (filters.pillar, as_of.time());
    let digested = format!("{min_score:?} {pillar:?} {as_of:?}");
    let limit = paging.limit.0;
    let walk = ListWalk::begin(service, ListKind::Countries, &digested, paging.cursor(), as_of)?;
    walk.page(uri, limit, form, || {
        let (snapshot, _) = countries_of(service, walk.pinned)?;
        let mut found = ranked(&snapshot, pillar);
        found.retain(|c| min_score.is_none_or(|min| ranking_score(c, pillar).is_some_and(|s| s >= min)));
        if let Some(after) = walk.after() {
            let begin = found.iter().position(|c| c.country.as_str() == after.id).map_or(0, |at| at + 1);
            found.drain(..begin);
        }
        let after = |last: &&CountryScore| PageAfter { at: snapshot.tick, id: last.country.to_string() };
        let next_cursor = walk.cut(&mut found, limit, after);
        let link = next_link(uri, next_cursor.as_deref());
        let countries: Vec<CountryEntry> = found.into_iter().filter_map(CountryEntry::of).collect();
        if form == AnswerForm::Csv {
            return Ok((csv_bytes(&countries), link));
        }
        let body = CountriesBody {
            countries,
            not_scored: NotScored::of(&snapshot),
            as_of: snapshot.tick,
            next_cursor,
        };
        let bytes = match form {
            AnswerForm::GeoJson => json_bytes(&CountryFeatures::of(body)),
            _ => json_bytes(&body),
        };
        Ok((bytes, link))
    })
}

/// Ranks the countries, worst first, then by code. With a pillar, only those that have it.
fn ranked(snapshot: &CountrySnapshot, pillar: Option<Pillar>) -> Vec<&CountryScore> {
    let mut found = snapshot.ranked();
    found.retain(|c| ranking_score(c, pillar).is_some());
    let score = |c: &CountryScore| ranking_score(c, pillar).unwrap_or_default();
    found.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.country.cmp(&b.country)));
    found
}

/// One country
///
/// Its score and readings, its rank among all countries and within its last year, and its newest events. `standing` is the
/// reason why a country has no score. `events` is empty for a caller without the scope `events:read`.
#[utoipa::path(
    get, path = "/v1/countries/{country}", operation_id = "getCountry", tag = "countries",
    params(
        ("country" = String, Path, description = "ISO 3166-1 alpha-2, in capitals.", pattern = "^[A-Z]{2}$", max_length = 2),
        AsOf,
    ),
    responses((status = 200, description = "The country.", body = CountryBody))
)]
pub async fn one(
    response: ResponseContext,
    CountrySegment(country): CountrySegment,
    Query(as_of): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    let shows_events = response.request.covers(Scope::Events);
    response.read_store(move |service| one_page(service, country, as_of.time(), shows_events)).await
}

fn one_page(
    service: &RequestService,
    country: CountryCode,
    as_of: Option<Timestamp>,
    shows_events: bool,
) -> Result<Page, RequestRefusal> {
    // Each variant has its own name in the cache, so that no caller gets the other one.
    let what = if shows_events { "country with events" } else { "country" };
    cached(service, what, country, as_of, |snapshot, scored, shown_at| {
        let events = match shows_events {
            true => newest_events(service, country, snapshot.tick)?,
            false => Vec::new(),
        };
        Ok(json_bytes(&CountryBody::of(snapshot, scored, shown_at, events)))
    })
}

fn newest_events(
    service: &RequestService,
    country: CountryCode,
    tick: Timestamp,
) -> Result<Vec<ConflictEvent>, RequestRefusal> {
    let asked = EventQuery {
        since: tick.minus(EVENTS_WITHIN_SECONDS),
        countries: vec![country],
        statuses: vec![EventStatus::Confirmed, EventStatus::Reported],
        ..EventQuery::any(tick, EVENTS_SHOWN)
    };
    let events = service.store.events(&asked)?;
    Ok(events.iter().filter_map(ConflictEvent::of).collect())
}

/// How a country's score comes about
///
/// Every pillar and indicator that the country has. Contributions add to the score and changes to the 24 h change, exactly.
#[utoipa::path(
    get, path = "/v1/countries/{country}/explain", operation_id = "explainCountry", tag = "countries",
    params(
        ("country" = String, Path, description = "ISO 3166-1 alpha-2, in capitals.", pattern = "^[A-Z]{2}$", max_length = 2),
        AsOf,
    ),
    responses((status = 200, description = "The explanation.", body = CountryExplanation))
)]
pub async fn explain(
    response: ResponseContext,
    CountrySegment(country): CountrySegment,
    Query(as_of): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    response
        .read_store(move |service| {
            cached(service, "explain country", country, as_of.time(), |snapshot, scored, _| {
                Ok(json_bytes(&CountryExplanation::of(snapshot, scored)))
            })
        })
        .await
}

/// A country over time
///
/// Published scores of one country in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused.
#[utoipa::path(
    get, path = "/v1/countries/{country}/history", operation_id = "getCountryHistory", tag = "countries",
    params(
        ("country" = String, Path, description = "ISO 3166-1 alpha-2, in capitals.", pattern = "^[A-Z]{2}$", max_length = 2),
        HistoryWindow, TableFormat,
    ),
    responses((
        status = 200, description = "The buckets.",
        content((CountryHistoryBody = "application/json"), (String = "text/csv")),
    ))
)]
pub async fn history(
    CountrySegment(country): CountrySegment,
    Formed { response, query, form, .. }: Formed<HistoryWindow, TableFormat>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| history_page(service, country, &query, form)).await
}

fn history_page(
    service: &RequestService,
    country: CountryCode,
    query: &HistoryWindow,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let tick = current(service)?.snapshot.tick;
    let (from, to, step) = (query.from(tick), query.to(tick), query.step());
    check_window(from, to, step)?;
    let points = service.store.country_history(country, from, to)?;
    let body = CountryHistoryBody {
        country: country.to_string(),
        from,
        to,
        step,
        points: buckets(&points, step.seconds()),
    };
    let bytes = if form == AnswerForm::Csv { csv_bytes(&body.points) } else { json_bytes(&body) };
    Ok(Page::new(form, EncodedBody::new(bytes), tick))
}

/// Returns the newest country snapshot up to this tick, and the time at which it was published.
fn countries_of(
    service: &RequestService,
    tick: Timestamp,
) -> Result<(CountrySnapshot, Timestamp), RequestRefusal> {
    let found = service.store.countries_at(tick)?;
    let snapshot =
        found.ok_or_else(|| RequestRefusal::no_snapshot_then("No country had been scored at that time."))?;
    let shown_at = service.store.published_at(snapshot.tick)?.map(|p| p.published_at);
    let shown_at = shown_at.unwrap_or(snapshot.tick);
    Ok((snapshot, shown_at))
}

/// Returns an answer about one country. It is made once per tick and cached.
fn cached(
    service: &RequestService,
    what: &str,
    country: CountryCode,
    as_of: Option<Timestamp>,
    make: impl FnOnce(&CountrySnapshot, &CountryScore, Timestamp) -> Result<bytes::Bytes, RequestRefusal>,
) -> Result<Page, RequestRefusal> {
    let pinned = pinned_tick(service, as_of)?;
    let name = format!("{what} {country} {}", pinned.unix());
    if let Some(page) = service.published.pages.get(&name) {
        return Ok(page);
    }
    let (snapshot, shown_at) = countries_of(service, pinned)?;
    let scored = snapshot.country(country).ok_or_else(|| {
        let detail = format!("Nothing at all is known of {}.", country.name());
        RequestRefusal::new(ProblemCode::UnknownCountry, detail)
    })?;
    let page = Page::json(EncodedBody::new(make(&snapshot, scored, shown_at)?), snapshot.tick);
    service.published.pages.put(name, &page);
    Ok(page)
}
