//! Wordings that compare the score with the days before it.

use super::TextContext;
use crate::facts::{CountedNoun, Fact, FactKind, FactWord, FigureForm, LastHigh};
use crate::plan::Item;

pub fn day_place(context: &TextContext, item: &Item) -> Vec<String> {
    let reconstructed = (FactKind::ReconstructedPlace, FactKind::ReconstructedHigh, "reconstructed");
    let published = (FactKind::PublishedPlace, FactKind::PublishedHigh, "published");
    for (place, high, days) in [reconstructed, published] {
        if let (Some(place), Some(high)) = (context.fact_of(item, place), context.fact_of(item, high)) {
            return wordings(place, high, days);
        }
    }
    Vec::new()
}

fn wordings(place: &Fact, high: &Fact, days: &str) -> Vec<String> {
    let share = place.shown(FigureForm::Percent);
    let count = place.shown(FigureForm::Count(CountedNoun::ComparedDays));
    let (date, long) = (high.shown(FigureForm::Date), high.shown(FigureForm::Count(CountedNoun::Days)));
    let Some(FactWord::LastHigh(last_high)) = high.word else { return Vec::new() };
    let comparison = match last_high {
        LastHigh::Run => format!("it has been this high for {long} days in a row"),
        LastHigh::Never => "none was as high".to_owned(),
        LastHigh::OneDay => format!("the last as high was {date}, for that day alone"),
        LastHigh::SeveralDays => format!("the last as high were {long} days in a row, ending on {date}"),
    };
    vec![
        format!("on {share} % of {count} {days} days the global score was lower, and {comparison}."),
        format!("of {count} {days} days, {share} % had a lower global score, and {comparison}."),
    ]
}
