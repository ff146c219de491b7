//! The resources whose bodies are made at publication, answered in front of the router: no matching, no extractors, no
//! allocation beyond the headers. So are the first pages of the lists once somebody has asked for them. Only the plain case is
//! taken; everything else, refusals included, is the router's, where the same endpoints stand.

use super::{Answer, Call};
use crate::endpoint::Endpoint;
use crate::form::AnswerForm;
use crate::negotiate;
use crate::prepared::{FIRST_PAGES, SINGLES, Single};
use axum::Router;
use bytes::Bytes;
use futures_util::FutureExt;
use gsi_wire::encoding::Encoding;
use http::{Method, Response};
use http_body_util::{Either, Full};
use std::sync::Arc;
use tower::Service as _;

#[derive(Clone)]
pub struct PreparedAnswers {
    router: Router,
    endpoints: Arc<PreparedEndpoints>,
}

/// Their lines in the list of endpoints.
struct PreparedEndpoints {
    singles: [Option<Endpoint>; SINGLES],
    first_pages: [Option<Endpoint>; FIRST_PAGES.len()],
}

impl PreparedAnswers {
    pub fn new(router: Router, endpoints: &[Endpoint]) -> Self {
        let find = |path: &str| endpoints.iter().find(|e| e.path == path).cloned();
        let singles = Single::ALL.map(|single| find(single.template()));
        let endpoints = PreparedEndpoints { singles, first_pages: FIRST_PAGES.map(find) };
        PreparedAnswers { router, endpoints: Arc::new(endpoints) }
    }

    pub fn answer(&self, mut call: Call) -> Answer {
        if let Some(response) = self.try_answer(&call) {
            return Answer::Now(response.map(Either::Left));
        }
        call.request.extensions_mut().insert(call.context);
        let answer = self.router.clone().call(call.request);
        Answer::Later(Box::pin(answer.map(|response| response.map(|r| r.map(Either::Right)))))
    }

    fn try_answer(&self, call: &Call) -> Option<Response<Full<Bytes>>> {
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

    fn try_list(&self, call: &Call) -> Option<Response<Full<Bytes>>> {
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
