//! The list of briefings, and one briefing with its facts.

pub(crate) mod body;
pub(crate) mod feeds;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::representation::json_bytes;
use crate::representation::table::csv_bytes;
use crate::request::as_of::pinned_tick;
use crate::request::context::ResponseContext;
use crate::request::cursor::ListKind;
use crate::request::formed::Formed;
use crate::request::list_walk::{ListWalk, next_link, sorted};
use crate::request::query::{AsOf, Query, QueryParameters, QueryReader, document_parameters};
use crate::request::segments::PathSegment;
use crate::resources::briefings::body::{BriefingBody, BriefingDetail, BriefingPage};
use crate::state::service::Service;
use axum::response::Response;
use gsi_model::{BriefingId, Timestamp};
use gsi_store::{BriefingQuery, PageAfter};
use http::Uri;

/// What the list can be asked for.
pub struct BriefingsQuery {
    limit: usize,
    cursor: Option<String>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    tags: Vec<String>,
    as_of: Option<Timestamp>,
}

impl QueryParameters for BriefingsQuery {
    const FORMS: &'static [AnswerForm] = &[AnswerForm::Json, AnswerForm::Csv];

    fn read(query: &mut QueryReader) -> Self {
        let (limit, cursor) = (query.limit(), query.cursor());
        let (since, until) = query.since_until();
        BriefingsQuery { limit, cursor, since, until, tags: sorted(query.tags()), as_of: query.as_of() }
    }
}

document_parameters!(BriefingsQuery);

/// Daily briefings
///
/// Newest first.
#[utoipa::path(
    get, path = "/v1/briefings", operation_id = "listBriefings", tag = "briefings", params(BriefingsQuery),
    responses((
        status = 200, description = "A page of briefings.",
        content((BriefingPage = "application/json"), (String = "text/csv")),
    ))
)]
pub async fn list(
    uri: Uri,
    Formed { response, query, form }: Formed<BriefingsQuery>,
) -> Result<Response, RequestRefusal> {
    let first = query.cursor.is_none() && query.as_of.is_none();
    response.read_page(uri, form, first, move |service, uri| page(service, uri, query, form)).await
}

fn page(
    service: &Service,
    uri: &Uri,
    query: BriefingsQuery,
    form: AnswerForm,
) -> Result<Page, RequestRefusal> {
    let BriefingsQuery { limit, cursor, since, until, tags, as_of } = query;
    let filters = format!("{tags:?} {since:?} {until:?} {as_of:?}");
    let walk = ListWalk::begin(service, ListKind::Briefings, &filters, cursor.as_deref(), as_of)?;
    walk.page(limit, form, || {
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
    Query(AsOf { as_of }): Query<AsOf>,
) -> Result<Response, RequestRefusal> {
    let none = || RequestRefusal::not_found("No briefing has this identifier.");
    response
        .read_store(move |service| {
            let id = BriefingId::parse(&id).map_err(|_| none())?;
            let pinned = pinned_tick(service, as_of)?;
            let briefing = service.store.briefing(&id, pinned)?.ok_or_else(none)?;
            let correction = service.store.correction(&id, pinned)?;
            let body = BriefingDetail::of(&briefing, correction.as_ref());
            Ok(Page::json(EncodedBody::new(json_bytes(&body)), pinned))
        })
        .await
}
