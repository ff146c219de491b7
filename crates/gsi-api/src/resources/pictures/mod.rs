//! The score as a picture, for previews of links and for other sites.

pub(crate) mod drawing;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::form::AnswerForm;
use crate::request::as_of::current;
use crate::request::context::ResponseContext;
use crate::request::query::{NoParameters, Query};
use crate::state::service::Service;
use axum::extract::FromRequestParts;
use axum::response::Response;
use gsi_model::{DataStatus, Timestamp};
use http::request::Parts;
use std::sync::Arc;
use utoipa::ToSchema;

/// An answer as PNG.
pub struct PngResponse(ResponseContext);

impl FromRequestParts<Arc<Service>> for PngResponse {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        ResponseContext::negotiate(parts, service, AnswerForm::Png).map(PngResponse)
    }
}

/// An answer as SVG.
pub struct SvgResponse(ResponseContext);

impl FromRequestParts<Arc<Service>> for SvgResponse {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        ResponseContext::negotiate(parts, service, AnswerForm::Svg).map(SvgResponse)
    }
}

/// A PNG file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[allow(dead_code)]
pub struct CardPicture(Vec<u8>);

/// The score as a picture
///
/// 1200 × 630 pixels in the colour of the score's band, with its time, for previews of links. A simulated world says so.
#[utoipa::path(
    get, path = "/card.png", operation_id = "getCard", tag = "scores",
    responses((status = 200, description = "The picture.", body = CardPicture, content_type = "image/png", headers(("GSI-Data-Status"))))
)]
pub async fn card(
    PngResponse(response): PngResponse,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    let prepared = current(&response.service)?;
    let status = response.service.moment().status;
    if let Some(drawn) = prepared.drawn_card() {
        return Ok(response.page(&picture(AnswerForm::Png, drawn, prepared.snapshot.tick, status)));
    }
    // Drawn once for each snapshot, off the event loop.
    response
        .read_store(move |_| Ok(picture(AnswerForm::Png, prepared.card(), prepared.snapshot.tick, status)))
        .await
}

fn picture(form: AnswerForm, document: &Arc<EncodedBody>, tick: Timestamp, status: DataStatus) -> Page {
    Page {
        document: Arc::clone(document),
        content_type: form.content_type(),
        modified: Some(tick),
        data_status: Some(status),
        link: None,
    }
}

/// The score as a badge
///
/// A line of SVG with the score and its band, for other people's pages.
#[utoipa::path(
    get, path = "/badge.svg", operation_id = "getBadge", tag = "scores",
    responses((status = 200, description = "The badge.", body = String, content_type = "image/svg+xml", headers(("GSI-Data-Status"))))
)]
pub async fn badge(
    SvgResponse(response): SvgResponse,
    _: Query<NoParameters>,
) -> Result<Response, RequestRefusal> {
    let prepared = current(&response.service)?;
    let status = response.service.moment().status;
    Ok(response.page(&picture(AnswerForm::Svg, prepared.badge(), prepared.snapshot.tick, status)))
}
