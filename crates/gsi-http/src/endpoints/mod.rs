//! One file per resource, and the one list of endpoints: a line gives the label for metrics, who may ask, what an operator
//! has to publish for it to be read without a key (`add_open`; nothing does without), and the handler, whose
//! `#[utoipa::path]` gives address, parameters and documentation. Router, metrics, scopes and the OpenAPI document are all
//! made from these lines.

mod alerts;
mod briefings;
mod countries;
mod events;
mod explain;
mod feeds;
mod history;
mod inputs;
mod key_self;
mod layers;
mod likeness;
mod list;
mod method;
pub mod outside;
mod pictures;
mod reconstruction;
mod scores;
pub mod session;
mod stream;
mod syndication;

use axum::Router;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use gsi_model::{Pillar, Scope, Timestamp};
use gsi_serve::context::RequestContext;
use gsi_serve::endpoint::{Access, Endpoint};
use gsi_serve::prepared::Prepared;
use gsi_serve::problem::{ProblemCode, RequestRefusal};
use gsi_serve::public::PublicResource;
use gsi_serve::service::Service;
use gsi_serve::settings::RETRY_AFTER_OVERLOAD_SECONDS;
use gsi_store::{Published, StoreError};
use http::request::Parts;
use http::{Method, header};
use std::sync::Arc;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

/// Everything that needs a key, or can be published by an operator.
pub fn all() -> Endpoints {
    use Access::{AnyKey, Feed, Needs};
    use PublicResource::{Briefings, Countries, History, Score, Summary};
    Endpoints::default()
        .add_open("overview", Needs(Scope::Scores), &[Score], routes!(scores::overview))
        .add_open("pillar", Needs(Scope::Scores), &[Score], routes!(scores::pillar))
        .add_open("summary", Needs(Scope::Scores), &[Summary], routes!(scores::summary))
        .add_open("history", Needs(Scope::Scores), &[History], routes!(history::composite))
        .add_open("pillar_history", Needs(Scope::Scores), &[History], routes!(history::pillar))
        .add("explain", Needs(Scope::Scores), routes!(explain::explain))
        .add("reconstruction", Needs(Scope::Scores), routes!(reconstruction::composite))
        .add("pillar_reconstruction", Needs(Scope::Scores), routes!(reconstruction::pillar))
        .add("analogues", Needs(Scope::Scores), routes!(likeness::analogues))
        .add("meaning", Needs(Scope::Scores), routes!(likeness::meaning))
        .add("crises", Needs(Scope::Scores), routes!(reconstruction::crises))
        .add_open("countries", Needs(Scope::Scores), &[Countries], routes!(countries::list))
        .add_open("country", Needs(Scope::Scores), &[Countries], routes!(countries::one))
        .add_open("country_history", Needs(Scope::Scores), &[Countries, History], routes!(countries::history))
        .add("country_explain", Needs(Scope::Scores), routes!(countries::explain))
        .add("events", Needs(Scope::Events), routes!(events::list))
        .add("event", Needs(Scope::Events), routes!(events::one))
        .add("layers", Needs(Scope::Events), routes!(layers::list))
        .add_open("briefings", Needs(Scope::Briefings), &[Briefings], routes!(briefings::list))
        .add_open("briefing", Needs(Scope::Briefings), &[Briefings], routes!(briefings::one))
        .add("alerts", Needs(Scope::Alerts), routes!(alerts::list))
        .add("alert", Needs(Scope::Alerts), routes!(alerts::one))
        .add("feeds", Needs(Scope::Scores), routes!(feeds::list))
        .add("method", Needs(Scope::Scores), routes!(method::method))
        .add("method_changes", Needs(Scope::Scores), routes!(method::changes))
        .add("inputs", Needs(Scope::Scores), routes!(inputs::inputs))
        .add("key_self", AnyKey, routes!(key_self::key_self))
        // Outside `/v1`, where every body is JSON, but they need a key like everything in it.
        .add("stream", AnyKey, routes!(stream::stream))
        .add_open("briefings_atom", Feed(Scope::Briefings), &[Briefings], routes!(syndication::atom))
        .add_open(
            "briefings_json_feed",
            Feed(Scope::Briefings),
            &[Briefings],
            routes!(syndication::json_feed),
        )
        .add("alerts_atom", Feed(Scope::Alerts), routes!(syndication::alerts_atom))
        .add("alerts_json_feed", Feed(Scope::Alerts), routes!(syndication::alerts_json_feed))
        .add_open("card", Needs(Scope::Scores), &[Score], routes!(pictures::card))
        .add_open("badge", Needs(Scope::Scores), &[Score], routes!(pictures::badge))
}

#[derive(Default)]
pub struct Endpoints {
    router: OpenApiRouter<Arc<Service>>,
    pub list: Vec<Endpoint>,
}

impl Endpoints {
    fn add(self, label: &'static str, access: Access, routes: UtoipaMethodRouter<Arc<Service>>) -> Self {
        self.add_open(label, access, &[], routes)
    }

    /// What is also read without a key, where an operator publishes all of these resources.
    fn add_open(
        mut self,
        label: &'static str,
        access: Access,
        public: &'static [PublicResource],
        (schemas, paths, methods): UtoipaMethodRouter<Arc<Service>>,
    ) -> Self {
        let line = |path: &String| Endpoint { path: path.clone(), label, access, public };
        self.list.extend(paths.paths.keys().map(line));
        let entered = Arc::new(line(&String::new()));
        let methods = methods.fallback(refuse_method).layer(from_fn_with_state(entered, enter));
        self.router = self.router.routes((schemas, paths, methods));
        self
    }

    /// The operations and schemas that the handlers declare.
    pub fn into_openapi(self) -> OpenApi {
        self.router.into_openapi()
    }

    pub fn into_router(self) -> Router<Arc<Service>> {
        self.router.split_for_parts().0
    }
}

/// Around every endpoint: label, scope, and what no request may bring along.
async fn enter(
    State(endpoint): State<Arc<Endpoint>>,
    request: Request,
    next: Next,
) -> Result<Response, RequestRefusal> {
    let context = request.extensions().get::<Arc<RequestContext>>();
    let context =
        context.ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The request is not known."))?;
    context.set_label(endpoint.label);
    // Another method is refused before the scope is looked at.
    if matches!(context.method, Method::GET | Method::HEAD) {
        endpoint.admits(context)?;
        context.check_head()?;
    }
    Ok(next.run(request).await)
}

async fn refuse_method(State(service): State<Arc<Service>>) -> RequestRefusal {
    RequestRefusal::new(ProblemCode::MethodNotAllowed, "Resources here can only be read: GET or HEAD.")
        .with(header::ALLOW, service.exposure.cors.allow())
}

/// The variable segment of the path, exactly as it was sent: names are compared as they are, never decoded.
pub struct PathSegment(pub String);

impl<S: Sync> FromRequestParts<S> for PathSegment {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestRefusal> {
        let template = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let mut pairs = template.split('/').zip(parts.uri.path().split('/'));
        let found = pairs.find(|(template, _)| template.starts_with('{'));
        found
            .map(|(_, sent)| PathSegment(sent.to_owned()))
            .ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The address has no such part."))
    }
}

/// The pillar that the path names by its key, letter for letter.
pub struct PillarSegment(pub Pillar);

impl<S: Sync> FromRequestParts<S> for PillarSegment {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, RequestRefusal> {
        let PathSegment(name) = PathSegment::from_request_parts(parts, state).await?;
        Pillar::from_key(&name).map(PillarSegment).ok_or_else(|| {
            let shown: String = gsi_serve::keys::redact(&name).chars().take(40).collect();
            let detail = format!(
                "There is no pillar {shown}; the pillars are conflict, cyber, supply_chain and macro."
            );
            RequestRefusal::new(ProblemCode::UnknownPillar, detail)
        })
    }
}

fn current(service: &Service) -> Result<Arc<Prepared>, RequestRefusal> {
    service.published.current().as_ref().cloned().ok_or_else(|| service.published.no_snapshot())
}

/// What the store could not do, without saying how it is built.
fn store_failed(error: StoreError) -> RequestRefusal {
    if let StoreError::Pruned { .. } = error {
        // The store's own sentence says what is gone and since when, and nothing about how it is built.
        let mut detail = error.to_string();
        detail[..1].make_ascii_uppercase();
        return RequestRefusal::new(ProblemCode::NoLongerKept, detail + ".");
    }
    tracing::error!(%error, "the store failed a request");
    match error {
        StoreError::Unavailable(_) => {
            RequestRefusal::new(ProblemCode::Overloaded, "The data cannot be reached at the moment.")
                .retry_after(RETRY_AFTER_OVERLOAD_SECONDS)
        }
        StoreError::Overloaded(_) => {
            RequestRefusal::new(ProblemCode::Overloaded, "The question takes longer than a question may.")
                .retry_after(RETRY_AFTER_OVERLOAD_SECONDS)
        }
        _ => RequestRefusal::new(ProblemCode::Internal, "The request could not be answered."),
    }
}

/// What was being served at `as_of`.
fn published_at(service: &Service, as_of: Timestamp) -> Result<Published, RequestRefusal> {
    if as_of > service.clock.now() {
        return Err(RequestRefusal::no_snapshot_then(
            "as_of lies in the future; nothing has been published then.",
        ));
    }
    match service.store.published_by(as_of).map_err(store_failed)? {
        Some(published) => Ok(published),
        None => Err(RequestRefusal::no_snapshot_then("as_of lies before the first snapshot.")),
    }
}

/// The tick that an answer about one record is pinned to.
fn pinned_tick(service: &Service, as_of: Option<Timestamp>) -> Result<Timestamp, RequestRefusal> {
    Ok(match as_of {
        Some(as_of) => published_at(service, as_of)?.snapshot.tick,
        None => current(service)?.snapshot.tick,
    })
}
