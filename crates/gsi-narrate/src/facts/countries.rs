//! Facts about single countries: their scores, the moves of these, and changes of band.

use super::scores::{delta, new};
use super::{FactKind, FactWord, Facts, FigureForm, Subject};
use crate::Context;
use crate::figures::{integer, is_news, percent};
use crate::names;
use gsi_model::{Band, CountryCode, CountryScore, round_half_away};

/// A country whose score texts may mention.
#[derive(Clone, Debug, PartialEq)]
pub struct CountryNote {
    pub country: CountryCode,
    /// The rounded change in 24 hours; 0 without a score to compare with.
    pub moved: f64,
    pub changed_band: bool,
}

/// Adds facts about countries whose scores moved, and about theaters with a briefing.
pub(super) fn gather(context: &Context, facts: &mut Facts) {
    let Some(countries) = context.countries else { return };
    for country in &countries.countries {
        let Some(score) = country.score else { continue };
        // The score of a silent country is held, so its change is not a move.
        let moved = country.shown_delta().filter(|_| !country.silent);
        let is_theater = facts.theaters.iter().any(|t| t.country == country.country && t.deserves);
        if is_theater || moved.is_some_and(is_news) {
            note(context, facts, country, score, moved);
        }
    }
    facts
        .countries
        .sort_by(|a, b| b.moved.abs().total_cmp(&a.moved.abs()).then_with(|| a.country.cmp(&b.country)));
}

fn note(context: &Context, facts: &mut Facts, country: &CountryScore, score: f64, moved: Option<f64>) {
    let (code, tick) = (country.country, context.snapshot.tick);
    let subject = Subject::Country(code);
    let source = format!("{}/countries/{code}", context.snapshot.id);
    let fact = |kind| {
        let name = names::country(code);
        new(kind, subject, tick)
            .name(format!("the country score of {name}"))
            .name(format!("the score of {name}"))
            .sure(country.coverage)
            .sources([source.clone()])
    };
    let band = band(context, score);
    let mut level = fact(FactKind::Level).value(score, "score").figure(FigureForm::Score, integer(score));
    level.word = band.map(FactWord::Band);
    facts.push(level);
    facts.push(
        fact(FactKind::Coverage)
            .value(country.coverage, "share")
            .figure(FigureForm::Percent, percent(country.coverage)),
    );
    if !country.silent {
        delta(facts, subject, moved, tick, country.coverage, &source);
    }
    let before = moved.filter(|d| is_news(*d)).map(|d| self::band(context, score - d));
    let changed_band = before.is_some_and(|before| before != band);
    if let Some(before) = before.filter(|_| changed_band) {
        // A rise enters a band, a fall leaves one.
        let mut change = fact(FactKind::BandChange);
        change.word = if moved.is_some_and(|d| d > 0.0) {
            band.map(FactWord::BandEntered)
        } else {
            before.map(FactWord::BandLeft)
        };
        facts.push(change);
    }
    facts.countries.push(CountryNote { country: code, moved: moved.unwrap_or_default(), changed_band });
}

/// The band of the rounded score; `None` below the bands of countries.
fn band(context: &Context, score: f64) -> Option<Band> {
    let shown = round_half_away(score, 1);
    let bands = context.country_bands.into_iter().zip([Band::High, Band::Severe]);
    bands.filter(|(edge, _)| shown >= *edge).map(|(_, band)| band).next_back()
}
