//! The resources whose bodies are made at publication, answered in front of the router: no matching, no extractors, no
//! allocation beyond the headers. So are the first pages of the lists once somebody has asked for them. Only the plain case is
//! taken; everything else, refusals included, is the router's, where the same endpoints stand.

use super::{Call, LayerAnswer, answer};
use crate::endpoint::Endpoint;
use crate::form::AnswerForm;
use crate::negotiate;
use crate::prepared::{FIRST_PAGES, SINGLES, Single};
use axum::Router;
use axum::response::Response;
use futures_util::future::Either;
use gsi_wire::encoding::Encoding;
use http::Method;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

#[derive(Clone)]
pub struct PreparedAnswers<S> {
    inner: S,
    endpoints: Arc<PreparedEndpoints>,
}

/// Their lines in the list of endpoints.
struct PreparedEndpoints {
    singles: [Option<Endpoint>; SINGLES],
    first_pages: [Option<Endpoint>; FIRST_PAGES.len()],
}

impl<S> PreparedAnswers<S> {
    pub fn new(inner: S, endpoints: &[Endpoint]) -> Self {
        let find = |path: &str| endpoints.iter().find(|e| e.path == path).cloned();
        let singles = Single::ALL.map(|single| find(single.template()));
        let endpoints = PreparedEndpoints { singles, first_pages: FIRST_PAGES.map(find) };
        PreparedAnswers { inner, endpoints: Arc::new(endpoints) }
    }

    fn try_answer(&self, call: &Call) -> Option<Response> {
        let (context, uri) = (&call.context, call.request.uri());
        if uri.query().is_some() || !matches!(context.method, Method::GET | Method::HEAD) {
            return None;
        }
        let Some(single) = context.single else { return self.try_list(call) };
        let endpoint = self.endpoints.singles[single.index()].as_ref()?;
        let encoding = plain_encoding(call, endpoint)?;
        let headers = call.request.headers();
        let response = context.service.prepared_response(single, encoding, context, headers).ok()?;
        context.set_label(endpoint.label);
        Some(response)
    }

    fn try_list(&self, call: &Call) -> Option<Response> {
        let (context, headers) = (&call.context, call.request.headers());
        let path = call.request.uri().path();
        let list = FIRST_PAGES.iter().position(|list| *list == path)?;
        let endpoint = self.endpoints.first_pages[list].as_ref()?;
        let encoding = plain_encoding(call, endpoint)?;
        if context.head.negotiates
            && AnswerForm::by_accept(&AnswerForm::OF_LISTS, headers) != AnswerForm::Json
        {
            return None;
        }
        let response = context.service.first_page_response(list, encoding, context, headers)?;
        context.set_label(endpoint.label);
        context.set_formed_by_accept();
        Some(response)
    }
}

/// The encoding of a JSON answer, for a caller who may read this and asks for nothing out of the ordinary.
fn plain_encoding(call: &Call, endpoint: &Endpoint) -> Option<Encoding> {
    let context = &call.context;
    if endpoint.admits(context).is_err() || context.check_head().is_err() {
        return None;
    }
    negotiate::acceptable(&context.head, call.request.headers(), AnswerForm::Json).ok()
}

impl tower::Service<Call> for PreparedAnswers<Router> {
    type Response = Response;
    type Error = Infallible;
    type Future = LayerAnswer<<Router as tower::Service<axum::extract::Request>>::Future>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        if let Some(response) = self.try_answer(&call) {
            return answer(response);
        }
        call.request.extensions_mut().insert(call.context);
        Either::Right(tower::Service::<axum::extract::Request>::call(&mut self.inner, call.request))
    }
}
