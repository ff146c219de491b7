//! Facts of single countries: where their own scores stand, how those moved, and whether that led them into another band.

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
    /// Points in 24 hours, as they are shown; 0 where there is nothing to compare with.
    pub moved: f64,
    pub changed_band: bool,
}

/// Of countries that moved, and of those that reporting gathers on.
pub(super) fn gather(context: &Context, facts: &mut Facts) {
    let Some(countries) = context.countries else { return };
    for country in &countries.countries {
        let Some(score) = country.score else { continue };
        // Where reports have stopped what was known is held, and nothing has moved.
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
        // A rise leads into a band, a fall out of one.
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

/// On the score as it is shown.
fn band(context: &Context, score: f64) -> Option<Band> {
    let shown = round_half_away(score, 1);
    let bands = context.country_bands.into_iter().zip([Band::High, Band::Severe]);
    bands.filter(|(edge, _)| shown >= *edge).map(|(_, band)| band).next_back()
}
