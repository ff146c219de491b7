//! A question whose answer comes in several forms, and the form that this caller gets.

use crate::context::ResponseContext;
use crate::form::AnswerForm;
use crate::problem::RequestRefusal;
use crate::query::{QueryParameters, QueryReader};
use crate::service::Service;
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
