//! Facts that compare the score with the days before it: the share of lower days, and the last time it was as high.
//! Reconstructed and published days give separate facts, and no text mixes them.

use super::{CountedNoun, Fact, FactKind, FactWord, Facts, FigureForm, LastHigh, Subject, past::RECORD_DAYS};
use crate::Context;
use crate::figures::{date, percent};
use gsi_model::{DayPlace, LineName};

pub(super) fn gather(context: &Context, facts: &mut Facts) {
    let Some(own) = &context.snapshot.context else { return };
    if let Some((place, line)) = own.reconstructed.as_ref().zip(own.line.as_ref()) {
        let kinds = (FactKind::ReconstructedPlace, FactKind::ReconstructedHigh);
        compare(context, facts, place, kinds, &source(line));
    }
    // A comparison with few days means nothing.
    if let Some(place) = own.published.as_ref().filter(|place| i64::from(place.days) >= RECORD_DAYS) {
        compare(context, facts, place, (FactKind::PublishedPlace, FactKind::PublishedHigh), "history");
    }
}

fn source(line: &LineName) -> String {
    format!("reconstruction {} {}", line.method_version, line.digest)
}

fn compare(
    context: &Context,
    facts: &mut Facts,
    place: &DayPlace,
    kinds: (FactKind, FactKind),
    source: &str,
) {
    // A low share would sound like calm while data are missing.
    if facts.partial && place.share_lower() < 0.5 {
        return;
    }
    let s = context.snapshot;
    let fact = |kind: FactKind| {
        Fact::new(kind, Subject::Global, format!("global.{}", kind.key()), s.tick)
            .sources([s.id.to_string(), source.to_owned()])
            .sure(s.confidence.value)
    };
    facts.push(
        fact(kinds.0)
            .value(place.share_lower(), "share")
            .figure(FigureForm::Percent, percent(place.share_lower()))
            .figure(FigureForm::Count(CountedNoun::ComparedDays), place.days.to_string()),
    );
    let high = fact(kinds.1);
    // If yesterday was as high, the texts state the length of the run, today included.
    let high = match (place.run, place.last_high) {
        (run @ 1.., _) => {
            let days = run + 1;
            high.word(FactWord::LastHigh(LastHigh::Run))
                .value(f64::from(days), "days")
                .figure(FigureForm::Count(CountedNoun::Days), days.to_string())
        }
        (0, None) => high.word(FactWord::LastHigh(LastHigh::Never)),
        (0, Some(last)) => {
            let high = high
                .value(f64::from(last.days()), "days")
                .figure(FigureForm::Date, date(last.to.start(), s.tick));
            match last.days() {
                1 => high.word(FactWord::LastHigh(LastHigh::OneDay)),
                days => high
                    .word(FactWord::LastHigh(LastHigh::SeveralDays))
                    .figure(FigureForm::Count(CountedNoun::Days), days.to_string()),
            }
        }
    };
    facts.push(high);
}
