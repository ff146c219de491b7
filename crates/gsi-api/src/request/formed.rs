//! A question whose answer comes in several forms, and the form that this caller gets.

use crate::problem::RequestRefusal;
use crate::representation::form::AnswerForm;
use crate::request::context::ResponseContext;
use crate::request::query::{QueryParameters, QueryReader};
use crate::state::service::Service;
use axum::extract::FromRequestParts;
use http::request::Parts;
use std::sync::Arc;

/// The parameters of an endpoint whose answer comes in several forms, and the form that this caller gets.
pub struct Formed<T> {
    pub response: ResponseContext,
    pub query: T,
    pub form: AnswerForm,
}

impl<T: QueryParameters> FromRequestParts<Arc<Service>> for Formed<T> {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        let mut reader = QueryReader::parse(parts.uri.query());
        let query = T::read(&mut reader);
        let asked = reader.form(T::FORMS);
        let form = asked.unwrap_or_else(|| AnswerForm::by_accept(T::FORMS, &parts.headers));
        let response = ResponseContext::negotiate(parts, service, form)?;
        if asked.is_none() && T::FORMS.len() > 1 {
            response.request.set_formed_by_accept();
        }
        reader.finish()?;
        Ok(Formed { response, query, form })
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
