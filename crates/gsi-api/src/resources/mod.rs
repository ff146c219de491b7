//! One folder per resource, and the list of endpoints. Each line declares the label in metrics, who may ask, what an operator
//! has to publish for the endpoint to be read without a key (`add_open`), and the handler. The handler's `#[utoipa::path]`
//! declares path, parameters and documentation. Router, metrics, scopes and the OpenAPI document all come from these lines.

pub(crate) mod alerts;
pub(crate) mod briefings;
pub(crate) mod countries;
pub(crate) mod events;
pub(crate) mod explain;
mod feeds;
pub(crate) mod history;
pub(crate) mod inputs;
mod keys;
mod layers;
mod likeness;
pub(crate) mod method;
pub(crate) mod pictures;
pub(crate) mod reconstruction;
pub(crate) mod scores;
pub(crate) mod session;
pub(crate) mod site;

use crate::auth::authenticate::authenticate;
use crate::auth::endpoint::{Access, Endpoint};
use crate::auth::public::PublicResource;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::form::AnswerForm;
use crate::state::service::Service;
use crate::stream::endpoint as stream;
use axum::Router;
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use gsi_model::Scope;
use http::header;
use std::sync::Arc;
use utoipa::openapi::{OpenApi, PathItem, RefOr};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

/// Every endpoint that needs a key or can be published by an operator.
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
        .add("key_self", AnyKey, routes!(keys::own))
        // Outside `/v1`, because their bodies are not JSON. They need a key like everything under `/v1`.
        .add("stream", AnyKey, routes!(stream::stream))
        .add_open("briefings_atom", Feed(Scope::Briefings), &[Briefings], routes!(briefings::feeds::atom))
        .add_open(
            "briefings_json_feed",
            Feed(Scope::Briefings),
            &[Briefings],
            routes!(briefings::feeds::json_feed),
        )
        .add("alerts_atom", Feed(Scope::Alerts), routes!(alerts::feeds::atom))
        .add("alerts_json_feed", Feed(Scope::Alerts), routes!(alerts::feeds::json_feed))
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

    /// An endpoint that can also be read without a key when an operator publishes all of these resources.
    fn add_open(
        mut self,
        label: &'static str,
        access: Access,
        public: &'static [PublicResource],
        (schemas, paths, methods): UtoipaMethodRouter<Arc<Service>>,
    ) -> Self {
        let has_table = paths.paths.values().any(declares_table);
        let endpoint = |path: &String| Endpoint { path: path.clone(), label, access, public, has_table };
        self.list.extend(paths.paths.keys().map(endpoint));
        let declared = Arc::new(endpoint(&String::new()));
        let methods = methods.fallback(refuse_method).layer(from_fn_with_state(declared, authenticate));
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

/// Whether the operation declares that its answer also comes as CSV.
fn declares_table(path: &PathItem) -> bool {
    let mut responses = path.get.iter().flat_map(|operation| operation.responses.responses.values());
    responses.any(|response| match response {
        RefOr::T(response) => response.content.contains_key(AnswerForm::Csv.media_type()),
        RefOr::Ref(_) => false,
    })
}

pub(crate) async fn refuse_method(State(service): State<Arc<Service>>) -> RequestRefusal {
    RequestRefusal::new(ProblemCode::MethodNotAllowed, "Resources here can only be read: GET or HEAD.")
        .with(header::ALLOW, service.exposure.cors.allow())
}
