//! The filters of the list of alerts.

use crate::request::parameters::{AsOf, Paging, Window, read_value, schema_of};
use crate::resources::alerts::body::AlertState;
use gsi_model::{AlertRuleKind, CountryCode};
use serde::{Deserialize, Deserializer};
use serde_json::json;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

pub type AlertsQuery = (Paging, AlertFilters, Window, AsOf);

/// The filters of the list of alerts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AlertFilters {
    /// Only alerts in this state.
    #[param(inline)]
    pub state: Option<AlertState>,
    /// Only alerts by this rule.
    #[param(inline)]
    pub rule: Option<PublicRule>,
    /// Only this country, ISO 3166-1 alpha-2.
    #[param(inline)]
    pub country: Option<CountryCode>,
}

impl<'de> Deserialize<'de> for AlertState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_value(deserializer, "active, ended", |text| {
            let state = [AlertState::Active, AlertState::Ended].into_iter().find(|state| state.key() == text);
            state.ok_or("is not one of the allowed values")
        })
    }
}

// A rule that alerts are published by. `AlertRuleKind` has one more, for the rules of hooks.
#[derive(Clone, Copy)]
pub struct PublicRule(pub AlertRuleKind);

impl PublicRule {
    fn keys() -> [&'static str; AlertRuleKind::PUBLIC.len()] {
        AlertRuleKind::PUBLIC.map(AlertRuleKind::key)
    }
}

impl<'de> Deserialize<'de> for PublicRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_value(deserializer, &PublicRule::keys().join(", "), |text| {
            let rule = AlertRuleKind::PUBLIC.into_iter().find(|rule| rule.key() == text);
            rule.map(PublicRule).ok_or("is not one of the allowed values")
        })
    }
}

impl PartialSchema for PublicRule {
    fn schema() -> RefOr<Schema> {
        schema_of(json!({ "type": "string", "enum": PublicRule::keys() }))
    }
}

impl ToSchema for PublicRule {}
