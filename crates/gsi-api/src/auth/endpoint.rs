//! What is known of an endpoint before it is asked: one line of the list in `resources`.

use crate::auth::key_ring::{KeySchemes, lacks_scope, missing};
use crate::auth::public::PublicResource;
use crate::problem::RequestRefusal;
use crate::request::context::RequestContext;
use gsi_model::Scope;

/// Who may ask with a key, and how it may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Needs(Scope),
    /// The same, for feed readers: they can send a key only as the password of HTTP Basic.
    Feed(Scope),
    AnyKey,
}

impl Access {
    /// The scope that the key must have.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Access::Needs(scope) | Access::Feed(scope) => Some(scope),
            Access::AnyKey => None,
        }
    }

    pub(crate) fn schemes(self) -> KeySchemes {
        match self {
            Access::Feed(_) => KeySchemes::BearerOrBasic,
            Access::Needs(_) | Access::AnyKey => KeySchemes::Bearer,
        }
    }
}

/// One line of the list.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// As OpenAPI writes it: `/v1/conflict/{id}`.
    pub path: String,
    /// A bounded name for metrics.
    pub label: &'static str,
    pub access: Access,
    /// Read without a key where an operator publishes all of these; never when there are none.
    pub public: &'static [PublicResource],
}

impl Endpoint {
    /// Whether this caller may read it. The gate has looked at the key, or found that none is needed; this is the second
    /// look, at what the endpoint says itself.
    pub fn admits(&self, context: &RequestContext) -> Result<(), RequestRefusal> {
        match (context.auth(), context.public(), self.access.scope()) {
            (Some(auth), _, Some(scope)) if !auth.key.covers(scope) => Err(lacks_scope(scope)),
            (Some(_), _, _) => Ok(()),
            (None, Some(readers), _) if readers.may_read(self.public) => Ok(()),
            (None, _, _) => Err(missing(self.access.schemes())),
        }
    }
}
