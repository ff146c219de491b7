//! Answers from what is published: prepared headers that are copied, a prepared body, or 304 for a client that has it.

use crate::prepared::pages::PageParts;
use crate::prepared::publication::{Audience, MomentHeaders, Single, http_date, status_header};
use crate::problem::RequestRefusal;
use crate::representation::encoding::Encoding;
use crate::representation::headers::{
    DATA_STATUS, JSON, RATE_LIMIT, RATE_LIMIT_POLICY, REQUEST_ID, SIMULATED,
};
use crate::representation::negotiate;
use crate::request::context::RequestContext;
use crate::state::service::Service;
use bytes::Bytes;
use gsi_model::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use http_body_util::Full;
use std::sync::atomic::Ordering;

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Two years, as preload lists ask for.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=63072000");
/// More headers than an answer has, so that its map never grows.
const HEADER_ROOM: usize = 20;

/// The headers whose values differ from request to request. Prepared headers begin with these, in this order, without
/// a value.
const PERSONAL: [HeaderName; 3] = [REQUEST_ID, RATE_LIMIT_POLICY, RATE_LIMIT];

/// Sets the headers of [`PERSONAL`], in that order. In prepared headers they are the first, so none is looked up by name.
/// Returns whether the headers were prepared ones.
pub(crate) fn set_personal(headers: &mut HeaderMap, values: [Option<HeaderValue>; 3]) -> bool {
    let is_prepared = headers.keys().next() == Some(&PERSONAL[0]);
    if is_prepared {
        for (room, value) in headers.values_mut().zip(values.into_iter().flatten()) {
            *room = value;
        }
    } else {
        headers.extend(PERSONAL.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))));
    }
    is_prepared
}

/// The request headers that an answer depends on: also `Accept` when it chose the form, and `Origin` when the answer names
/// an allowed origin.
pub fn vary(by_accept: bool, by_origin: bool) -> HeaderValue {
    match (by_accept, by_origin) {
        (false, false) => const { HeaderValue::from_static("Authorization, Accept-Encoding") },
        (false, true) => const { HeaderValue::from_static("Authorization, Accept-Encoding, Origin") },
        (true, false) => const { HeaderValue::from_static("Authorization, Accept, Accept-Encoding") },
        (true, true) => const { HeaderValue::from_static("Authorization, Accept, Accept-Encoding, Origin") },
    }
}

impl Service {
    /// The current answer of a prepared resource. Its headers are made once a second and copied for each request.
    pub(crate) fn prepared_response(
        &self,
        single: Single,
        encoding: Encoding,
        context: &RequestContext,
        asked: &HeaderMap,
    ) -> Result<Response<Full<Bytes>>, RequestRefusal> {
        let current = self.published.current();
        let prepared = current.as_deref().ok_or_else(|| self.published.no_snapshot())?;
        let (moment, audience) = (self.moment_of(context.at(), Some(prepared)), context.audience());
        let document = prepared.document(single);
        let form = document.form(encoding);
        let make = || {
            let mut headers = HeaderMap::with_capacity(HEADER_ROOM);
            headers.insert(header::LAST_MODIFIED, prepared.last_modified.clone());
            headers.insert(header::CACHE_CONTROL, moment.cache_control(audience).clone());
            headers.insert(DATA_STATUS, status_header(moment.status));
            headers
        };
        if context.head.conditional
            && negotiate::not_modified(asked, &form.etag, prepared.snapshot.tick.unix())
        {
            return Ok(document.respond(JSON, encoding, make(), |_| true));
        }
        let headers = moment.head(audience, single, encoding, || {
            self.prepare_headers(document.respond(JSON, encoding, make(), |_| false), context, &moment)
        });
        let mut response = Response::new(form.body.clone().into());
        *response.headers_mut() = headers.clone();
        Ok(response)
    }

    /// The headers of an answer that hold for every request in this second, after room for those of [`PERSONAL`].
    fn prepare_headers<B>(
        &self,
        response: Response<B>,
        context: &RequestContext,
        moment: &MomentHeaders,
    ) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(HEADER_ROOM);
        let room = match context.audience() {
            Audience::KeyHolder => &PERSONAL[..],
            Audience::Everybody => &PERSONAL[..2],
        };
        headers.extend(room.iter().map(|name| (name.clone(), const { HeaderValue::from_static("") })));
        headers.extend(response.into_parts().0.headers);
        self.insert_common_headers(&mut headers, true, moment);
        headers
    }

    /// The answer with a finished page, or 304 when the headers in `asked` say that the client has it.
    pub(crate) fn page_response(
        &self,
        page: PageParts<'_>,
        encoding: Encoding,
        audience: Audience,
        asked: &HeaderMap,
    ) -> Response<Full<Bytes>> {
        let PageParts { document, content_type, modified, status, link } = page;
        let mut headers = HeaderMap::with_capacity(HEADER_ROOM);
        headers.extend(modified.map(|at| (header::LAST_MODIFIED, http_date(at))));
        headers.extend(link.map(|link| (header::LINK, link)));
        headers.extend(status.map(|status| (DATA_STATUS, status_header(status))));
        headers.insert(header::CACHE_CONTROL, self.moment().cache_control(audience).clone());
        let since = modified.map_or(i64::MAX, Timestamp::unix);
        document.respond(content_type, encoding, headers, |etag| negotiate::not_modified(asked, etag, since))
    }

    /// Inserts the headers that every answer has.
    pub(crate) fn insert_common_headers(
        &self,
        headers: &mut HeaderMap,
        is_guarded: bool,
        moment: &MomentHeaders,
    ) {
        headers.insert(header::DATE, moment.date.clone());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        headers.entry(header::CACHE_CONTROL).or_insert(crate::representation::headers::NO_STORE);
        if is_guarded {
            headers.insert(header::VARY, vary(false, self.exposure.cors.is_on()));
        }
        if self.published.is_secure.load(Ordering::Relaxed) {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
        }
        if self.published.simulated {
            headers.insert(SIMULATED, const { HeaderValue::from_static("true") });
        }
    }
}
