//! The resources whose bodies are made at publication, answered in front of the router: no matching, no extractors, no
//! allocation beyond the headers. So are the first pages of the lists once somebody has asked for them. Only the plain case is
//! taken; everything else, refusals included, is the router's, where the same endpoints stand.

use crate::auth::endpoint::Endpoint;
use crate::prepared::publication::{FIRST_PAGES, SINGLES, Single};
use crate::representation::encoding::Encoding;
use crate::representation::form::AnswerForm;
use crate::representation::negotiate;
use crate::request::context::RequestContext;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::Full;

/// The lines in the list of endpoints of what is prepared.
pub struct PreparedAnswers {
    singles: [Option<Endpoint>; SINGLES],
    first_pages: [Option<Endpoint>; FIRST_PAGES.len()],
}

impl PreparedAnswers {
    pub fn new(endpoints: &[Endpoint]) -> Self {
        let find = |path: &str| endpoints.iter().find(|e| e.path == path).cloned();
        let singles = Single::ALL.map(|single| find(single.template()));
        PreparedAnswers { singles, first_pages: FIRST_PAGES.map(find) }
    }

    pub fn answer<B>(&self, context: &RequestContext, request: &Request<B>) -> Option<Response<Full<Bytes>>> {
        let (uri, headers) = (request.uri(), request.headers());
        if uri.query().is_some() || !matches!(context.method, Method::GET | Method::HEAD) {
            return None;
        }
        let Some(single) = context.single else { return self.first_page(context, uri.path(), headers) };
        let endpoint = self.singles[single.index()].as_ref()?;
        let encoding = plain_encoding(context, headers, endpoint)?;
        let response = context.service.prepared_response(single, encoding, context, headers).ok()?;
        context.set_label(endpoint.label);
        Some(response)
    }

    fn first_page(
        &self,
        context: &RequestContext,
        path: &str,
        headers: &HeaderMap,
    ) -> Option<Response<Full<Bytes>>> {
        let list = FIRST_PAGES.iter().position(|list| *list == path)?;
        let endpoint = self.first_pages[list].as_ref()?;
        let encoding = plain_encoding(context, headers, endpoint)?;
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
fn plain_encoding(context: &RequestContext, headers: &HeaderMap, endpoint: &Endpoint) -> Option<Encoding> {
    if endpoint.admits(context).is_err() || context.check_head().is_err() {
        return None;
    }
    negotiate::acceptable(&context.head, headers, AnswerForm::Json).ok()
}
