//! Endpoints as `resources` declares them: the path, the label in metrics, and who may ask.

use crate::auth::key_ring::{KeySchemes, lacks_scope};
use crate::auth::public::PublicResource;
use crate::problem::RequestRefusal;
use crate::request::context::RequestContext;
use gsi_model::Scope;
use http::Uri;

/// Who may ask, and how a key may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A read with a key that has this scope.
    Needs(Scope),
    /// The same for feed readers, which can send a key only as the password of HTTP Basic.
    Feed(Scope),
    /// A read with any key.
    AnyKey,
    /// Any request with any key: the handler checks the rest.
    KeyAlone,
    /// Any request, without a key.
    Everyone,
}

impl Access {
    /// The scope that the key must have.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Access::Needs(scope) | Access::Feed(scope) => Some(scope),
            Access::AnyKey | Access::KeyAlone | Access::Everyone => None,
        }
    }

    /// Whether the endpoint only answers plain reads: `GET` or `HEAD`, one `Host`, no body.
    pub(crate) fn is_read(self) -> bool {
        matches!(self, Access::Needs(_) | Access::Feed(_) | Access::AnyKey)
    }
}

/// One endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The path as OpenAPI writes it: `/v1/conflict/{id}`.
    pub path: String,
    /// The name in metrics, which is one of a bounded set.
    pub label: &'static str,
    pub access: Access,
    /// The endpoint can be read without a key when an operator publishes all of these; never when there are none.
    pub public: &'static [PublicResource],
    /// The answer also comes as CSV.
    pub has_table: bool,
}

impl Endpoint {
    /// An endpoint that the OpenAPI document does not have. It is never public and has no table.
    pub(crate) const fn unlisted(path: String, label: &'static str, access: Access) -> Self {
        Endpoint { path, label, access, public: &[], has_table: false }
    }

    /// How a request may send its key. Feed readers and spreadsheets know only HTTP Basic.
    pub(crate) fn key_schemes(&self, uri: &Uri) -> KeySchemes {
        let asks_for_csv =
            || uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "format=csv"));
        match self.access {
            Access::Feed(_) => KeySchemes::BearerOrBasic,
            _ if self.has_table && asks_for_csv() => KeySchemes::BearerOrBasic,
            _ => KeySchemes::Bearer,
        }
    }

    /// Refuses a key without the scope. A request without a key was admitted because the endpoint is published.
    pub(crate) fn check_scope(&self, context: &RequestContext) -> Result<(), RequestRefusal> {
        match (context.auth(), self.access.scope()) {
            (Some(auth), Some(scope)) if !auth.key.covers(scope) => Err(lacks_scope(scope)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feed_readers_and_spreadsheets_may_send_a_key_by_basic() {
        for (access, has_table, uri, schemes) in [
            (Access::AnyKey, true, "/pictures/a", KeySchemes::Bearer),
            (Access::AnyKey, true, "/pictures/a?format=csv", KeySchemes::BearerOrBasic),
            (Access::AnyKey, true, "/pictures/a?format=csvs", KeySchemes::Bearer),
            (Access::AnyKey, false, "/pictures/a?format=csv", KeySchemes::Bearer),
            (Access::Feed(Scope::Briefings), false, "/news.atom", KeySchemes::BearerOrBasic),
            (Access::KeyAlone, false, "/v1/none?format=csv", KeySchemes::Bearer),
        ] {
            let endpoint = Endpoint { has_table, ..Endpoint::unlisted(String::new(), "x", access) };
            assert_eq!(endpoint.key_schemes(&uri.parse().unwrap()), schemes, "{uri}");
        }
    }
}
