//! Actors: readable labels, the two sides of a dyad, and whether they are states.
//!
//! Labels are built from code tables, never from article text. An actor without country, role or known group gets the
//! coder's name for it, cleaned and cut.

use crate::location::place::clean_text;
use crate::lookup::FastMap;
use crate::parameters::{PARAMETERS, has_pair};
use gsi_model::{Actor, CountryCode, method_files};
use std::sync::LazyLock;

/// Longest free name shown as an actor.
const MAX_NAME: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorKind {
    State,
    Armed,
    Political,
    Civil,
    Body,
}

impl ActorKind {
    fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "state" => ActorKind::State,
            "armed" => ActorKind::Armed,
            "political" => ActorKind::Political,
            "civil" => ActorKind::Civil,
            "body" => ActorKind::Body,
            _ => return None,
        })
    }
}

struct ActorRole {
    kind: ActorKind,
    after_country: &'static str,
    alone: &'static str,
}

struct Group {
    kind: ActorKind,
    label: &'static str,
}

struct Region {
    label: &'static str,
    country: Option<CountryCode>,
}

fn cells(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('\t').collect())
}

static ROLES: LazyLock<FastMap<&'static str, ActorRole>> = LazyLock::new(|| {
    cells(method_files::ROLES)
        .filter_map(|c| match c[..] {
            [code, kind, after_country, alone] => {
                Some((code, ActorRole { kind: ActorKind::from_key(kind)?, after_country, alone }))
            }
            _ => None,
        })
        .collect()
});

static GROUPS: LazyLock<FastMap<&'static str, Group>> = LazyLock::new(|| {
    cells(method_files::GROUPS)
        .filter_map(|c| match c[..] {
            [code, kind, label] => Some((code, Group { kind: ActorKind::from_key(kind)?, label })),
            _ => None,
        })
        .collect()
});

static REGIONS: LazyLock<FastMap<&'static str, Region>> = LazyLock::new(|| {
    cells(method_files::REGIONS)
        .filter_map(|c| match c[..] {
            [code, label, country] => {
                Some((code, Region { label, country: CountryCode::from_iso2(country) }))
            }
            _ => None,
        })
        .collect()
});

/// One side of a row, as the rules read it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Side<'a> {
    /// Identifies the side: the country, else the group, else the role, else empty.
    pub key: &'a str,
    pub country: Option<CountryCode>,
    kind: Option<ActorKind>,
}

/// Whether the coder's name does not identify an actor.
fn is_misread(actor: &Actor) -> bool {
    has_pair(&PARAMETERS.actors.misread, &actor.name, &actor.country)
}

impl<'a> Side<'a> {
    pub fn from_actor(actor: &'a Actor) -> Self {
        if is_misread(actor) {
            return Side::default();
        }
        let group = GROUPS.get(&*actor.group).or_else(|| GROUPS.get(&*actor.name));
        let mut roles = actor.roles.iter().filter_map(|code| ROLES.get(code.as_str())).map(|role| role.kind);
        let first_role = roles.next();
        let is_armed = first_role == Some(ActorKind::Armed) || roles.any(|kind| kind == ActorKind::Armed);
        let kind = match group {
            Some(group) => Some(group.kind),
            None if is_armed => Some(ActorKind::Armed),
            None => first_role,
        };
        let key = [&actor.country, &actor.group]
            .into_iter()
            .chain(actor.roles.first())
            .chain([&actor.name])
            .find(|k| !k.is_empty())
            .map_or("", |k| k.as_str());
        Side { key: cut(key), country: country_of(&actor.country), kind }
    }

    pub fn is_unknown(&self) -> bool {
        self.key.is_empty()
    }

    /// The country of a state acting as a whole or through its own organs.
    fn state(&self) -> Option<CountryCode> {
        self.country.filter(|_| matches!(self.kind, None | Some(ActorKind::State)))
    }

    fn is_state_like(&self) -> bool {
        self.state().is_some() || self.kind == Some(ActorKind::State)
    }
}

/// Keys are codes of three letters; a free name is cut so that memory stays small.
fn cut(key: &str) -> &str {
    key.char_indices().nth(PARAMETERS.clustering.max_side_characters).map_or(key, |(at, _)| &key[..at])
}

fn country_of(code: &str) -> Option<CountryCode> {
    CountryCode::from_iso3(code).or_else(|| REGIONS.get(code).and_then(|r| r.country))
}

/// Both sides name a country, and not the same one.
pub fn crosses_border(a: &Side, b: &Side) -> bool {
    matches!((a.country, b.country), (Some(x), Some(y)) if x != y)
}

/// How grave a clash between these two would be, 0–1.
pub fn gravity(a: &Side, b: &Side) -> f64 {
    let levels = &PARAMETERS.gravity;
    match (a.state(), b.state()) {
        (Some(x), Some(y)) if x != y => {
            match [x, y].iter().filter(|c| levels.nuclear_armed.contains(c.as_str())).count() {
                2 => levels.two_nuclear_states,
                1 => levels.one_nuclear_state,
                _ => levels.two_states,
            }
        }
        _ if a.is_unknown() || b.is_unknown() => levels.unknown,
        _ if a.is_state_like() != b.is_state_like() => levels.state_and_other,
        _ => levels.other,
    }
}

/// A label for readers, or `None` when nothing is known.
pub fn label(actor: &Actor, place: CountryCode) -> Option<String> {
    if is_misread(actor) {
        return None;
    }
    let group = GROUPS.get(&*actor.name).or_else(|| GROUPS.get(&*actor.group));
    if let Some(group) = group {
        return Some(group.label.to_owned());
    }
    let role = actor.roles.iter().find_map(|t| ROLES.get(&**t));
    let country = CountryCode::from_iso3(&actor.country)
        .map(CountryCode::name)
        .or_else(|| REGIONS.get(&*actor.country).map(|r| r.label));
    match (country, role) {
        (Some(country), Some(role)) => Some(format!("{country} ({})", role.after_country)),
        (Some(country), None) => Some(country.to_owned()),
        // Civilians, police or protesters without a country belong to the country of the place. Forces and armed
        // groups may well be another country's.
        (None, Some(role))
            if matches!(role.kind, ActorKind::Civil | ActorKind::Political) || role.alone == "Police" =>
        {
            Some(format!("{} ({})", role.alone, place.name()))
        }
        (None, Some(role)) => Some(role.alone.to_owned()),
        (None, None) => free_name(&actor.name),
    }
}

fn free_name(raw: &str) -> Option<String> {
    let cleaned = clean_text(raw, MAX_NAME).replace(['(', ')', '.'], " ");
    let words: Vec<String> = cleaned.split_whitespace().map(title_case).collect();
    let name = words.join(" ");
    name.chars().any(char::is_alphabetic).then_some(name)
}

fn title_case(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars.flat_map(char::to_lowercase)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actor(name: &str, country: &str, group: &str, types: &[&str]) -> Actor {
        let code = format!("{country}{group}{}", types.concat()).into();
        let [name, country, group] = [name, country, group].map(Into::into);
        Actor { code, name, country, group, roles: types.iter().map(|role| (*role).into()).collect() }
    }

    #[test]
    fn the_tables_are_read_whole() {
        let lines = |text: &str| text.lines().filter(|l| !l.starts_with('#')).count();
        assert_eq!(ROLES.len(), lines(method_files::ROLES));
        assert_eq!(GROUPS.len(), lines(method_files::GROUPS));
        assert_eq!(REGIONS.len(), lines(method_files::REGIONS));
    }

    #[test]
    fn labels_read_well() {
        let kenya = CountryCode::from_iso2("KE").unwrap();
        for (name, country, group, types, want) in [
            ("RUSSIA", "RUS", "", &["MIL"][..], Some("Russia (military)")),
            ("MOSCOW", "RUS", "", &[], Some("Russia")),
            ("HAMAS", "PSE", "", &["REB"], Some("Hamas")),
            ("NATO", "WST", "NAT", &["IGO"], Some("NATO")),
            ("POLICE", "", "", &["COP"], Some("Police (Kenya)")),
            ("PROTESTER", "", "", &["OPP"], Some("Opposition (Kenya)")),
            ("MILITARY", "", "", &["MIL"], Some("Military")),
            ("GUNMAN", "", "", &["UAF"], Some("Armed group")),
            ("EUROPE", "EUR", "", &[], Some("Europe")),
            ("ROMANIAN", "ROM", "", &["GOV"], Some("Romania (government)")),
            ("WEST BANK", "WSB", "", &[], Some("West Bank")),
            ("HONDA", "JPN", "", &["MNC"], Some("Japan (company)")),
            ("KURD", "", "", &[], Some("Kurd")),
            ("", "", "", &[], None),
            ("12 <> \0", "", "", &[], None),
            ("<IMG SRC=X ONERROR=ALERT(1)>", "", "", &[], Some("Img Src X Onerror Alert 1")),
            ("X", "ZZZ", "QQQ", &["???"], Some("X")),
            ("ALBERT", "MCO", "", &["ELI"], None),
        ] {
            assert_eq!(label(&actor(name, country, group, types), kenya).as_deref(), want, "{name}");
        }
        let long = label(&actor(&"NAME ".repeat(50), "", "", &[]), kenya).unwrap();
        assert!(long.chars().count() <= MAX_NAME);
    }

    #[test]
    fn gravity_depends_on_both_sides() {
        let check = |a: Actor, b: Actor, want: f64| {
            assert_eq!(gravity(&Side::from_actor(&a), &Side::from_actor(&b)), want, "{a:?} {b:?}");
            assert_eq!(
                gravity(&Side::from_actor(&b), &Side::from_actor(&a)),
                want,
                "the order must not matter"
            );
        };
        let state = |code: &str| actor("", code, "", &[]);
        check(state("IND"), state("PAK"), 1.0);
        check(state("RUS"), actor("", "UKR", "", &["MIL"]), 0.8);
        check(state("RWA"), state("COD"), 0.6);
        check(state("ISR"), actor("HAMAS", "PSE", "", &["REB"]), 0.4);
        check(actor("", "", "", &["COP"]), actor("", "", "", &["OPP"]), 0.4);
        check(state("USA"), state("USA"), 0.2);
        check(state("USA"), Actor::default(), 0.2);
        check(actor("", "", "", &["REB"]), actor("", "", "", &["CVL"]), 0.2);
    }

    #[test]
    fn keys_and_borders() {
        let side_key = |a: Actor| Side::from_actor(&a).key.to_owned();
        assert_eq!(side_key(actor("X", "RUS", "NAT", &["MIL"])), "RUS");
        assert_eq!(side_key(actor("X", "", "NAT", &["MIL"])), "NAT");
        assert_eq!(side_key(actor("X", "", "", &["MIL"])), "MIL");
        assert_eq!(side_key(actor("KURDISH SOMEBODY OR OTHER", "", "", &[])), "KURDISH SOMEBODY");
        assert_eq!(side_key(Actor::default()), "");
        let (usa, us_police, rus) =
            (actor("", "USA", "", &[]), actor("", "USA", "", &["COP"]), actor("", "RUS", "", &[]));
        assert!(!crosses_border(&Side::from_actor(&usa), &Side::from_actor(&us_police)));
        assert!(crosses_border(&Side::from_actor(&usa), &Side::from_actor(&rus)));
        assert!(!crosses_border(&Side::from_actor(&usa), &Side::from_actor(&Actor::default())));
    }
}
