//! Who is said to have acted, or to have been acted upon.

use crate::Text;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStrBuilder;
use std::borrow::Cow;
use std::fmt;

/// An actor of a coded event, as the coder put it. Its few short texts are kept as one, because a million rows with two actors
/// each are held at once: nearly all actors need no memory beyond the row and are copied like a number.
#[derive(Clone, PartialEq, Eq)]
pub struct Actor {
    /// Code and name; then, unless the code is made of them, country, group and the roles with blanks between.
    all: Text,
    /// Where each of the first four ends.
    ends: [u16; 4],
    /// Whether the code is country, group and roles in a row, as in `UKRMIL`. Most are.
    is_composed: bool,
}

/// What an actor is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActorTexts<'a> {
    /// Concatenated CAMEO codes, for example `UKRMIL`; empty when unknown.
    pub code: &'a str,
    pub name: &'a str,
    /// CAMEO alpha-3 country or region; empty when unknown.
    pub country: &'a str,
    /// Known group, for example `NAT`, `UNO`, `TAL`.
    pub group: &'a str,
    /// Up to three role codes: `MIL`, `REB`, `GOV` … Empty ones count for nothing.
    pub roles: &'a [&'a str],
}

const MOST_ROLES: usize = 3;
/// Letters of a role code.
const ROLE: usize = 3;
/// No text of an actor is nearly as long; a longer one is left out.
const MAX_PART: usize = 8_000;

/// Nobody in particular.
impl Default for Actor {
    fn default() -> Self {
        ActorTexts::default().into()
    }
}

impl From<ActorTexts<'_>> for Actor {
    fn from(texts: ActorTexts<'_>) -> Self {
        let mut all = SmolStrBuilder::new();
        let mut length = 0;
        let mut push = |part: &str| {
            if (1..=MAX_PART).contains(&part.len()) {
                all.push_str(part);
                length += part.len() as u16;
            }
            length
        };
        let (code_end, name_end) = (push(texts.code), push(texts.name));
        if texts.is_composed() {
            let country_end = texts.country.len() as u16;
            let ends = [code_end, name_end, country_end, country_end + texts.group.len() as u16];
            return Actor { all: all.finish(), ends, is_composed: true };
        }
        let ends = [code_end, name_end, push(texts.country), push(texts.group)];
        for (i, role) in texts.roles().enumerate() {
            if i > 0 {
                push(" ");
            }
            push(role);
        }
        Actor { all: all.finish(), ends, is_composed: false }
    }
}

impl<'a> ActorTexts<'a> {
    fn roles(&self) -> impl Iterator<Item = &'a str> {
        self.roles.iter().copied().filter(|role| !role.is_empty()).take(MOST_ROLES)
    }

    /// Of plain letters and digits, so that roles can be told apart by their length.
    fn is_composed(&self) -> bool {
        let rest = self.code.strip_prefix(self.country).and_then(|rest| rest.strip_prefix(self.group));
        let rest = self.roles().try_fold(rest, |rest, role| {
            (role.len() == ROLE).then(|| rest.and_then(|rest| rest.strip_prefix(role)))
        });
        let is_plain = self.code.len() <= MAX_PART && self.code.bytes().all(|b| b.is_ascii_alphanumeric());
        rest == Some(Some("")) && is_plain
    }
}

impl Actor {
    pub fn code(&self) -> &str {
        &self.all[..self.end(0)]
    }

    pub fn name(&self) -> &str {
        &self.all[self.end(0)..self.end(1)]
    }

    pub fn country(&self) -> &str {
        let start = if self.is_composed { 0 } else { self.end(1) };
        &self.all[start..self.end(2)]
    }

    pub fn group(&self) -> &str {
        &self.all[self.end(2)..self.end(3)]
    }

    pub fn roles(&self) -> impl Iterator<Item = &str> {
        let end = if self.is_composed { self.end(0) } else { self.all.len() };
        let mut rest = &self.all[self.end(3)..end];
        std::iter::from_fn(move || {
            let length =
                if self.is_composed { ROLE.min(rest.len()) } else { rest.find(' ').unwrap_or(rest.len()) };
            let role = &rest[..length];
            rest = rest[length..].trim_start_matches(' ');
            (!role.is_empty()).then_some(role)
        })
    }

    pub fn is_unknown(&self) -> bool {
        self.code().is_empty() && self.name().is_empty()
    }

    fn end(&self, part: usize) -> usize {
        usize::from(self.ends[part])
    }
}

impl fmt::Debug for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles: Vec<&str> = self.roles().collect();
        let (code, name, country, group) = (self.code(), self.name(), self.country(), self.group());
        ActorTexts { code, name, country, group, roles: &roles }.fmt(f)
    }
}

/// As it is stored.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    code: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    name: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    country: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    group: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    types: Vec<Cow<'a, str>>,
}

impl Serialize for Actor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Stored {
            code: self.code().into(),
            name: self.name().into(),
            country: self.country().into(),
            group: self.group().into(),
            types: self.roles().map(Cow::from).collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { code, name, country, group, types } = Stored::deserialize(deserializer)?;
        let roles: Vec<&str> = types.iter().map(Cow::as_ref).collect();
        let texts = ActorTexts { code: &code, name: &name, country: &country, group: &group, roles: &roles };
        Ok(texts.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were() {
        let long = "x".repeat(MAX_PART + 1);
        for (texts, stored) in [
            (ActorTexts::default(), "{}"),
            (ActorTexts { name: "Харків", ..ActorTexts::default() }, r#"{"name":"Харків"}"#),
            (
                ActorTexts {
                    code: "UKRMILGOV",
                    name: "UKRAINE",
                    country: "UKR",
                    group: "",
                    roles: &["MIL", "GOV"],
                },
                r#"{"code":"UKRMILGOV","name":"UKRAINE","country":"UKR","types":["MIL","GOV"]}"#,
            ),
            (
                ActorTexts { code: "IGOUNO", name: "", country: "", group: "UNO", roles: &["IGO", "longer"] },
                r#"{"code":"IGOUNO","group":"UNO","types":["IGO","longer"]}"#,
            ),
            (
                ActorTexts {
                    code: "\u{20ac}a\u{e9}",
                    name: "",
                    country: "",
                    group: "",
                    roles: &["\u{20ac}", "a\u{e9}"],
                },
                r#"{"code":"€aé","types":["€","aé"]}"#,
            ),
            (
                ActorTexts {
                    code: "UKRMIL",
                    name: "UKRAINIAN \"ARMY\"",
                    country: "UKR",
                    group: "NAT",
                    roles: &["MIL", "GOV"],
                },
                r#"{"code":"UKRMIL","name":"UKRAINIAN \"ARMY\"","country":"UKR","group":"NAT","types":["MIL","GOV"]}"#,
            ),
        ] {
            let actor = Actor::from(texts);
            let got = (actor.code(), actor.name(), actor.country(), actor.group());
            assert_eq!(got, (texts.code, texts.name, texts.country, texts.group));
            assert_eq!(actor.roles().collect::<Vec<_>>(), texts.roles);
            assert_eq!(serde_json::to_string(&actor).unwrap(), stored);
            assert_eq!(serde_json::from_str::<Actor>(stored).unwrap(), actor);
        }
        let actor =
            Actor::from(ActorTexts { code: "A", name: &long, roles: &["", "MIL"], ..Default::default() });
        assert_eq!((actor.code(), actor.name()), ("A", ""));
        assert_eq!(actor.roles().collect::<Vec<_>>(), ["MIL"]);
    }

    #[test]
    fn the_same_letters_elsewhere_are_another_actor() {
        let a = Actor::from(ActorTexts { code: "USA", ..Default::default() });
        let b = Actor::from(ActorTexts { country: "USA", ..Default::default() });
        assert_ne!(a, b);
        assert!(!a.is_unknown() && b.is_unknown());
        assert_eq!(Actor::default(), Actor::from(ActorTexts::default()));
    }
}
