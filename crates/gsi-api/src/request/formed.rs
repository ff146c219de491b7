//! Queries of endpoints whose answer comes in several forms, and the form that the caller gets.

use crate::problem::RequestRefusal;
use crate::representation::form::AnswerForm;
use crate::request::context::ResponseContext;
use crate::request::query::QueryReader;
use crate::state::service::Service;
use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// The parameters of an endpoint, and the form of the answer: the one that `F` asks for, or the one that `Accept` prefers.
pub struct Formed<T, F> {
    pub response: ResponseContext,
    pub query: T,
    pub form: AnswerForm,
    asked_by: PhantomData<F>,
}

/// The `format` parameter.
pub trait FormatParameter: DeserializeOwned {
    /// The forms of the answer. JSON comes first and is the default.
    const FORMS: &'static [AnswerForm];

    fn form(&self) -> Option<AnswerForm>;
}

impl<T: DeserializeOwned, F: FormatParameter> FromRequestParts<Arc<Service>> for Formed<T, F> {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        let mut reader = QueryReader::parse(parts.uri.query());
        let (query, format): (T, F) = reader.read()?;
        let form = format.form().unwrap_or_else(|| AnswerForm::by_accept(F::FORMS, &parts.headers));
        let response = ResponseContext::negotiate(parts, service, form)?;
        if format.form().is_none() {
            response.request.set_formed_by_accept();
        }
        reader.finish()?;
        Ok(Formed { response, query, form, asked_by: PhantomData })
    }
}

/// The form of a list or a history.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TableFormat {
    /// The form of the answer; without it, `Accept` decides.
    #[param(inline)]
    format: Option<TableForm>,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(default = "json")]
enum TableForm {
    Json,
    Csv,
}

impl FormatParameter for TableFormat {
    const FORMS: &'static [AnswerForm] = &[AnswerForm::Json, AnswerForm::Csv];

    fn form(&self) -> Option<AnswerForm> {
        self.format.map(|format| match format {
            TableForm::Json => AnswerForm::Json,
            TableForm::Csv => AnswerForm::Csv,
        })
    }
}

/// The form of a list whose entries are places.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MapFormat {
    /// The form of the answer; without it, `Accept` decides.
    #[param(inline)]
    format: Option<MapForm>,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(default = "json")]
enum MapForm {
    Json,
    GeoJson,
    Csv,
}

impl FormatParameter for MapFormat {
    const FORMS: &'static [AnswerForm] = &[AnswerForm::Json, AnswerForm::GeoJson, AnswerForm::Csv];

    fn form(&self) -> Option<AnswerForm> {
        self.format.map(|format| match format {
            MapForm::Json => AnswerForm::Json,
            MapForm::GeoJson => AnswerForm::GeoJson,
            MapForm::Csv => AnswerForm::Csv,
        })
    }
}

/// An answer as Atom.
pub struct AtomResponse(pub ResponseContext);

impl FromRequestParts<Arc<Service>> for AtomResponse {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        ResponseContext::negotiate(parts, service, AnswerForm::Atom).map(AtomResponse)
    }
}

/// An answer as JSON Feed.
pub struct JsonFeedResponse(pub ResponseContext);

impl FromRequestParts<Arc<Service>> for JsonFeedResponse {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        ResponseContext::negotiate(parts, service, AnswerForm::JsonFeed).map(JsonFeedResponse)
    }
}
