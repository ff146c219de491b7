//! Describes the sides of an event, with each name once: `Russia and Ukraine (both military)`, `Mali (armed group and
//! military)`, and `its military and rebels` after a place in that country.

use crate::names;
use gsi_model::CountryCode;

/// Roles of which a country has several, so `its group` would be ambiguous.
const ONE_OF_MANY: [&str; 7] = ["group", "company", "party", "agency", "body", "movement", "state"];

/// The description of the sides without context, and right after the event's country.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sides {
    pub alone: String,
    pub in_place: String,
}

/// Describes at most two sides. A label is a name, with or without a role in brackets, or a role with a country in brackets.
/// The labels are sorted, so that two reports of one conflict get the same description.
pub fn describe(labels: &[String], country: Option<CountryCode>) -> Sides {
    let mut labels = labels.to_vec();
    labels.sort();
    let mut sides: Vec<NamedSide> = labels.iter().map(|l| NamedSide::read(l)).collect();
    // "civilians in Ukraine and Russia" would be ambiguous.
    sides.sort_by_key(|s| matches!(s, NamedSide::Within(..)));
    let alone = match &sides[..] {
        [NamedSide::Of(a, r), NamedSide::Of(b, q)] if a == b => format!("{a} ({r} and {q})"),
        [NamedSide::Of(a, r), NamedSide::Of(b, q)] if r == q => format!("{a} and {b} (both {r})"),
        _ => names::list(&sides.iter().map(|s| s.describe(None)).collect::<Vec<_>>()),
    };
    let own: Option<Vec<String>> = sides.iter().map(|s| s.own(country)).collect();
    let in_place = match own {
        Some(roles) if !roles.is_empty() => format!("its {}", names::list(&roles)),
        _ if sides.iter().any(|s| s.is_local(country)) => {
            names::list(&sides.iter().map(|s| s.describe(country)).collect::<Vec<_>>())
        }
        _ => alone.clone(),
    };
    Sides { alone, in_place }
}

enum NamedSide {
    Named(String),
    /// A name with its article and a role: `Mali` and `military`.
    Of(String, String),
    /// A group in a country: `civilians` in Ukraine.
    Within(String, CountryCode),
}

impl NamedSide {
    fn read(label: &str) -> NamedSide {
        let named = |name: &str| names::country_named(name).map_or_else(|| name.to_owned(), names::country);
        let Some((name, role)) = label.split_once(" (") else { return NamedSide::Named(named(label)) };
        let role = role.trim_end_matches(')');
        match names::country_named(role) {
            Some(place) => NamedSide::Within(names::mid_sentence(name), place),
            None => NamedSide::Of(named(name), role.to_owned()),
        }
    }

    /// The sentence has named `here` already.
    fn describe(&self, here: Option<CountryCode>) -> String {
        match self {
            NamedSide::Named(name) => name.clone(),
            NamedSide::Of(name, role) => format!("{name} ({role})"),
            NamedSide::Within(who, place) if here == Some(*place) => who.clone(),
            NamedSide::Within(who, place) => format!("{who} in {}", names::country(*place)),
        }
    }

    fn is_local(&self, here: Option<CountryCode>) -> bool {
        matches!(self, NamedSide::Within(_, place) if here == Some(*place))
    }

    /// Returns the role, if it is the country's own, such as `military`.
    fn own(&self, country: Option<CountryCode>) -> Option<String> {
        let NamedSide::Of(name, role) = self else { return None };
        let is_own = country.map(names::country).as_ref() == Some(name);
        (is_own && !ONE_OF_MANY.iter().any(|one| role.ends_with(one))).then(|| role.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_occurs_once() {
        let check = |country: &str, labels: &[&str], alone: &str, in_place: &str| {
            let labels: Vec<String> = labels.iter().map(|l| (*l).to_owned()).collect();
            let sides = describe(&labels, CountryCode::from_iso2(country));
            assert_eq!((sides.alone.as_str(), sides.in_place.as_str()), (alone, in_place), "{labels:?}");
        };
        let same = |country: &str, labels: &[&str], want: &str| check(country, labels, want, want);
        same("UA", &[], "");
        same("LB", &["Hezbollah"], "Hezbollah");
        same("LB", &["Israel (military)", "Hezbollah"], "Hezbollah and Israel (military)");
        same("UA", &["Russia (military)", "Ukraine (military)"], "Russia and Ukraine (both military)");
        same(
            "UA",
            &["Russia (military)", "Ukraine (civilians)"],
            "Russia (military) and Ukraine (civilians)",
        );
        same("IR", &["United States (military)", "Hamas"], "Hamas and the United States (military)");
        same("ML", &["Mali (military)", "Mali (armed group)"], "Mali (armed group and military)");
        check(
            "SD",
            &["Sudan (military)", "Sudan (rebels)"],
            "Sudan (military and rebels)",
            "its military and rebels",
        );
        check("SD", &["Sudan (police)"], "Sudan (police)", "its police");
        same("TD", &["Sudan (police)"], "Sudan (police)");
        let (far, near) = ("Russia (military) and civilians in Ukraine", "Russia (military) and civilians");
        check("UA", &["Russia (military)", "Civilians (Ukraine)"], far, near);
        same("PL", &["Russia (military)", "Civilians (Ukraine)"], far);
    }
}
