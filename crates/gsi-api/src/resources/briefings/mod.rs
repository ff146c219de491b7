//! The list of briefings, and one briefing with its facts.

pub(crate) mod body;
pub(crate) mod feeds;
mod query;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
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
use crate::resources::briefings::body::{BriefingBody, BriefingDetail, BriefingPage};
use crate::resources::briefings::query::{BriefingsQuery, TagFilter};
use axum::response::Response;
use gsi_model::{BriefingId, Timestamp};
use gsi_store::{BriefingQuery, PageAfter};
use http::Uri;

/// Daily briefings
///
/// Newest first.
#[utoipa::path(
    get, path = "/v1/briefings", operation_id = "listBriefings", tag = "briefings",
    params(Paging, Window, TagFilter, AsOf, TableFormat),
    responses((
        status = 200, description = "A page of briefings.",
        content((BriefingPage = "application/json"), (String = "text/csv")),
    ))
)]
pub async fn list(
    uri: Uri,
    Formed { response, query, form, .. }: Formed<BriefingsQuery, TableFormat>,
) -> Result<Response, RequestRefusal> {
    let (paging, _, _, as_of) = &query;
    let is_first_of_now = paging.cursor().is_none() && as_of.time().is_none();
    let job = move |service: &RequestService, uri: &Uri| page(service, uri, &query, form);
    response.read_page(uri, form, is_first_of_now, job).await
}

fn page(
    service: &RequestService,
    uri: &Uri,
    (paging, window, tags, as_of): &BriefingsQuery,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let (since, until, as_of) = (window.since(), window.until(), as_of.time());
    let tags = tags.sorted();
    let digested = format!("{tags:?} {since:?} {until:?} {as_of:?}");
    let limit = paging.limit.0;
    let walk = ListWalk::begin(service, ListKind::Briefings, &digested, paging.cursor(), as_of)?;
    walk.page(uri, limit, form, || {
        let asked = BriefingQuery {
            as_of: walk.pinned,
            since: since.unwrap_or(Timestamp::MIN),
            until: until.unwrap_or(Timestamp::MAX),
            tags,
            after: walk.after(),
            limit: limit + 1,
        };
        let mut found = service.store.briefings(&asked)?;
        let next_cursor =
            walk.cut(&mut found, limit, |last| PageAfter { at: last.published_at, id: last.id.to_string() });
        let link = next_link(uri, next_cursor.as_deref());
        let briefings: Vec<BriefingBody> = found.iter().map(BriefingBody::of).collect();
        if form == AnswerForm::Csv {
            return Ok((csv_bytes(&briefings), link));
        }
        let body = BriefingPage { briefings, next_cursor };
        Ok((json_bytes(&body), link))
    })
}

/// One briefing
///
/// A briefing with the facts it states and their sources, the one it corrects and the one that corrects it.
#[utoipa::path(
    get, path = "/v1/briefings/{id}", operation_id = "getBriefing", tag = "briefings",
    params(
        ("id" = String, Path, description = "The briefing.", pattern = "^brf_[0-9A-HJKMNP-TV-Z]{26}$", max_length = 30),
        AsOf,
    ),
    responses((status = 200, description = "The briefing.", body = BriefingDetail))
)]
pub async fn one(
    response: ResponseContext,
    PathSegment(id): PathSegment,
    Query(as_of): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    let none = || RequestRefusal::not_found("No briefing has this identifier.");
    response
        .read_store(move |service| {
            let id = BriefingId::parse(&id).map_err(|_| none())?;
            let pinned = pinned_tick(service, as_of.time())?;
            let briefing = service.store.briefing(&id, pinned)?.ok_or_else(none)?;
            let correction = service.store.correction(&id, pinned)?;
            let body = BriefingDetail::of(&briefing, correction.as_ref());
            Ok(Page::json(EncodedBody::new(json_bytes(&body)), pinned))
        })
        .await
}
