//! The resources whose bodies are made at publication, answered in front of the router: no matching, no extractors, no
//! allocation beyond the headers. Only the plain case is taken; everything else, refusals included, is the router's,
//! where the same endpoints stand.

use super::{Call, LayerAnswer, answer};
use crate::endpoints::Endpoint;
use crate::form::AnswerForm;
use crate::negotiate;
use crate::prepared::{SINGLES, Single};
use axum::Router;
use axum::response::Response;
use futures_util::future::Either;
use http::Method;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

#[derive(Clone)]
pub struct PreparedAnswers<S> {
    inner: S,
    /// The line of each single resource in the list of endpoints.
    endpoints: Arc<[Option<Endpoint>; SINGLES]>,
}

impl<S> PreparedAnswers<S> {
    pub fn new(inner: S, endpoints: &[Endpoint]) -> Self {
        let find = |single: Single| endpoints.iter().find(|e| e.path == single.template()).cloned();
        PreparedAnswers { inner, endpoints: Arc::new(Single::ALL.map(find)) }
    }

    fn try_answer(&self, call: &Call) -> Option<Response> {
        let (context, uri) = (&call.context, call.request.uri());
        let single = Single::find(uri.path())?;
        let endpoint = self.endpoints[single.index()].as_ref()?;
        let is_plain = matches!(context.method, Method::GET | Method::HEAD)
            && uri.query().is_none()
            && endpoint.admits(context).is_ok()
            && context.check_head().is_ok();
        if !is_plain {
            return None;
        }
        let headers = call.request.headers();
        let encoding = negotiate::acceptable(&context.head, headers, AnswerForm::Json).ok()?;
        let response =
            call.service.prepared_response(single, encoding, context.audience(), &context.head, headers);
        let response = response.ok()?;
        context.set_label(endpoint.label);
        Some(response)
    }
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
