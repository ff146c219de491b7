//! Which coded rows may speak of a conflict event at all.
//!
//! A hand audit of 317 raw rows found about a quarter to report a real, recent event of the coded kind. The rules here
//! are therefore stricter than "has a place and is recent", and each says which finding it answers to:
//!
//! - no place, no actor: nearly always false, dropped; a single actor: may add to an event, never opens one;
//! - codes 160 and 172: nearly always false, dropped;
//! - unrest outside the lead paragraph: 7 % true against 43 %, dropped;
//! - violence without a border, a force or an armed group in it is crime (28 % of the false rows), dropped; so are
//!   arrests of anybody but political actors, which are most of code 173;
//! - threats and broken relations within one country and without arms are ordinary politics (16 %), dropped;
//! - a coded day more than three days before the file: retrospectives and anniversaries, dropped.

use crate::actors::{Side, crosses_border};
use crate::cameo;
use crate::exclusions::Exclusion;
use crate::place::{Place, PlaceError};
use gsi_model::{Category, GeoPrecision, NewsRow};

/// Days a coded date may lie before the file. Real files only show 1, 7, 30 and 365.
const MAX_AGE_DAYS: i32 = 3;

/// Why a row is kept out. A closed set of short words, fit for a counter's label.
pub type Reason = &'static str;

/// What a row may do to the list of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Voice {
    /// Only adds to an event that other rows opened.
    Reinforces,
    /// May open an event.
    Opens,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub category: Category,
    pub intensity: f64,
    pub place: Place,
    pub voice: Voice,
}

/// Everything about the row itself; cheap, and settles most rows before their address is looked at.
pub fn judge_row(row: &NewsRow) -> Result<Verdict, Reason> {
    let category = cameo::category(&row.code).ok_or("other_code")?;
    if row.code.starts_with("160") || row.code.starts_with("172") {
        return Err("noise_code");
    }
    let age = row.added.day().0.saturating_sub(row.day);
    if !(0..=MAX_AGE_DAYS).contains(&age) {
        return Err("old_day");
    }
    let (a, b) = (Side::of(&row.actor1), Side::of(&row.actor2));
    if a.is_unknown() && b.is_unknown() {
        return Err("no_actor");
    }
    judge_sides(category, row, &a, &b)?;
    let place = Place::of(row.geo.as_ref()).map_err(|e| match e {
        PlaceError::Missing => "no_place",
        PlaceError::BadCoordinates => "bad_coordinates",
    })?;
    let opens = place.precision != GeoPrecision::Country && !a.is_unknown() && !b.is_unknown();
    let voice = if opens { Voice::Opens } else { Voice::Reinforces };
    Ok(Verdict { category, intensity: cameo::intensity(&row.code), place, voice })
}

fn judge_sides(category: Category, row: &NewsRow, a: &Side, b: &Side) -> Result<(), Reason> {
    let across = crosses_border(a, b);
    let fighting = a.is_fighting() || b.is_fighting();
    let political = a.is_political() || b.is_political();
    let court_or_crime = a.is_court_or_crime() || b.is_court_or_crime();
    let code = row.code.as_str();
    match category {
        Category::Kinetic if fighting || (across && !court_or_crime) => Ok(()),
        Category::Kinetic => Err("crime"),
        Category::Threat if across || fighting => Ok(()),
        Category::Threat => Err("ordinary_politics"),
        Category::Coercion if code.starts_with("16") && !across => Err("ordinary_politics"),
        Category::Coercion if court_or_crime => Err("crime"),
        // Violent repression, embargoes and broken relations are nobody's petty crime.
        Category::Coercion if code.starts_with("16") || code.starts_with("175") => Ok(()),
        // Who arrests whom is not known better across a border: most are suspects on the run.
        Category::Coercion if code.starts_with("173") && political => Ok(()),
        Category::Coercion if !code.starts_with("173") && (across || fighting || political) => Ok(()),
        Category::Coercion => Err("crime"),
        Category::Unrest if !row.is_root => Err("not_in_lead"),
        Category::Unrest | Category::Posture => Ok(()),
    }
}

/// What the address adds: an article about something else.
pub fn judge_address(exclusion: &Exclusion, category: Category) -> Result<(), Reason> {
    exclusion.for_category(category).map_or(Ok(()), |topic| Err(topic.reason()))
}
