//! The sides of a coded event.

use crate::Text;
use serde::{Deserialize, Serialize};

/// An actor of a coded event, with the coder's codes. Unknown parts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Actor {
    /// Concatenated CAMEO codes, for example `UKRMIL`.
    #[serde(skip_serializing_if = "Text::is_empty")]
    pub code: Text,
    #[serde(skip_serializing_if = "Text::is_empty")]
    pub name: Text,
    /// CAMEO alpha-3 country or region.
    #[serde(skip_serializing_if = "Text::is_empty")]
    pub country: Text,
    /// Known group, for example `NAT`, `UNO`, `TAL`.
    #[serde(skip_serializing_if = "Text::is_empty")]
    pub group: Text,
    /// Up to three role codes: `MIL`, `REB`, `GOV` … None of them is empty.
    #[serde(rename = "types", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Text>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_are_stored_without_their_empty_parts() {
        let ukraine = Actor { code: "UKR".into(), country: "UKR".into(), ..Actor::default() };
        let roles = vec!["MIL".into(), "GOV".into()];
        for (actor, stored) in [
            (Actor::default(), "{}"),
            (Actor { name: "Харків".into(), ..Actor::default() }, r#"{"name":"Харків"}"#),
            (ukraine.clone(), r#"{"code":"UKR","country":"UKR"}"#),
            (
                Actor { name: "\"ARMY\"".into(), group: "NAT".into(), roles, ..ukraine },
                r#"{"code":"UKR","name":"\"ARMY\"","country":"UKR","group":"NAT","types":["MIL","GOV"]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&actor).unwrap(), stored);
            assert_eq!(serde_json::from_str::<Actor>(stored).unwrap(), actor);
        }
    }
}
