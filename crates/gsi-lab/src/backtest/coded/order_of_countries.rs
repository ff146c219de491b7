//! The section of the page that lists every country on real files, and explains surprising ranks.

use super::every_country::{COUNTED_YEAR, EveryCountry};
use super::rank_correlation::spearman;
use gsi_index::CountryMethod;
use gsi_model::{Category, CountryCode, CountryScore, CountryStanding, Event};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Deaths in a year that researchers call a war.
const WAR: f64 = 1_000.0;
/// Deaths in a year with which a low rank is surprising.
const ARMED_CONFLICT: f64 = 100.0;
/// Countries with lower scores, which are shown as 0.0, are listed by name.
const SHOWN: f64 = 0.05;
/// The number of surprising ranks from the top, and from the bottom.
const SURPRISES: usize = 5;
/// The number of parts of a score in a row of the table.
const NAMED_PARTS: usize = 3;
/// The number of events that explain a surprising rank.
const NAMED_EVENTS: usize = 2;

pub fn section(out: &mut String, every: &EveryCountry) {
    let ranked = every.snapshot.ranked();
    let without = |standing: CountryStanding| {
        every.snapshot.countries.iter().filter(|c| c.standing == standing).count()
    };
    let _ = writeln!(
        out,
        "\n## Every country on real event files\n\n\
         {} quarter-hours of coded news of 2024 and 2025 ({} articles), put one after the other as if they had been published in\n\
         one day, through the filter, the clustering and the engine of the service; `fatalities_30d` are the deaths of the last\n\
         month that researchers counted. There is no past to compare with, so surprise is missing and levels are ranked by their\n\
         priors. {} countries have a score. {} are hardly reported in these files and {} have too little known of them: these have none.\n\
         *News* is the conflict pillar without counted deaths. Deaths are those of {COUNTED_YEAR} (UCDP).\n",
        every.files,
        every.articles,
        ranked.len(),
        without(CountryStanding::Unmonitored),
        without(CountryStanding::Thin),
    );
    out.push_str("| place | country | score | news | deaths | largest parts |\n|---|---|---|---|---|---|\n");
    let (listed, calm): (Vec<&CountryScore>, Vec<&CountryScore>) =
        ranked.iter().partition(|country| country.score.unwrap_or_default() >= SHOWN);
    for (n, country) in listed.iter().enumerate() {
        let _ = writeln!(
            out,
            "| {} | {} | {:.1} | {:.1} | {:.0} | {} |",
            n + 1,
            country.country.name(),
            country.score.unwrap_or_default(),
            from_news(country),
            every.deaths_of(country.country),
            parts(country, NAMED_PARTS)
        );
    }
    let names: Vec<&str> = calm.iter().map(|country| country.country.name()).collect();
    let _ = writeln!(
        out,
        "\n{} more are reported on, without a violent event in these files or a death in that month, and have 0.0: {}.",
        calm.len(),
        names.join(", ")
    );
    judged(out, every, &ranked);
    surprises(out, every, &ranked);
}

/// Judges the news alone, which do not contain the deaths.
fn judged(out: &mut String, every: &EveryCountry, ranked: &[&CountryScore]) {
    let deaths = |c: &&&CountryScore| every.deaths_of(c.country);
    let wars: Vec<&&CountryScore> = ranked.iter().filter(|c| deaths(c) >= WAR).collect();
    let peaceful: Vec<&&CountryScore> = ranked.iter().filter(|c| deaths(c) == 0.0).collect();
    let below = |value: &dyn Fn(&CountryScore) -> f64| {
        let pairs = wars.iter().flat_map(|war| peaceful.iter().map(move |peace| (war, peace)));
        pairs.filter(|(war, peace)| value(war) <= value(peace)).count()
    };
    let pairs = wars.len() * peaceful.len();
    let all: Vec<f64> = ranked.iter().map(|c| every.deaths_of(c.country)).collect();
    let news: Vec<f64> = ranked.iter().map(|c| from_news(c)).collect();
    let _ = writeln!(
        out,
        "\n{} of these countries were at war (at least {WAR:.0} deaths in {COUNTED_YEAR}), {} saw no death. Of {pairs} pairs of one and the \
         other, the war is the lower by score in {}, by news alone in {}. Rank correlation of news with deaths: {:.2} (n = {}).",
        wars.len(),
        peaceful.len(),
        below(&|c| c.score.unwrap_or_default()),
        below(&from_news),
        spearman(&news, &all),
        all.len()
    );
    let unscored = every.snapshot.countries.iter().filter(|c| c.score.is_none()).map(|c| c.country);
    let missed: Vec<&str> = unscored.filter(|c| every.deaths_of(*c) >= WAR).map(CountryCode::name).collect();
    if !missed.is_empty() {
        let _ = writeln!(
            out,
            "At war and without a score, because these files hardly report on them: {}.",
            missed.join(", ")
        );
    }
}

fn surprises(out: &mut String, every: &EveryCountry, ranked: &[&CountryScore]) {
    let of = |c: &&CountryScore| every.deaths_of(c.country);
    let high = ranked.iter().enumerate().filter(|(_, c)| of(c) == 0.0).take(SURPRISES);
    let low = ranked.iter().enumerate().rev().filter(|(_, c)| of(c) >= ARMED_CONFLICT).take(SURPRISES);
    let _ = writeln!(
        out,
        "\n### Places that would surprise\n\n\
         The {SURPRISES} highest without a death in {COUNTED_YEAR}, and the {SURPRISES} lowest with at least {ARMED_CONFLICT:.0}, by what their own explanation says:\n"
    );
    for (n, country) in high.chain(low) {
        let _ = write!(
            out,
            "- **{}**, place {}, {:.1}: {}.",
            country.country.name(),
            n + 1,
            country.score.unwrap_or_default(),
            parts(country, usize::MAX)
        );
        let events = violent_events(&every.events, country.country);
        let places: BTreeSet<&str> = events.iter().map(|e| e.place.as_str()).collect();
        let _ = match events.first() {
            None => writeln!(out, " The files tell of no violent event there."),
            Some(_) => {
                let named: Vec<String> = events.iter().take(NAMED_EVENTS).map(|e| event_words(e)).collect();
                writeln!(
                    out,
                    " Violent events: {} in {} {}, first {}.",
                    events.len(),
                    places.len(),
                    if places.len() == 1 { "place" } else { "places" },
                    named.join("; ")
                )
            }
        };
    }
}

/// Returns the quadratic mean of the conflict indicators from coded news.
fn from_news(country: &CountryScore) -> f64 {
    let method = CountryMethod::compiled();
    let is_news =
        |key: &str| method.indicators().iter().any(|rule| rule.key == key && rule.formula.is_news());
    let indicators = || country.indicators().filter(|i| is_news(&i.key));
    let weight: f64 = indicators().map(|i| i.weight).sum();
    (indicators().map(|i| i.weight * i.score * i.score).sum::<f64>() / weight.max(f64::MIN_POSITIVE)).sqrt()
}

/// Returns the indicators with their values and their points of the score, most points first.
fn parts(country: &CountryScore, most: usize) -> String {
    let mut indicators: Vec<_> = country.indicators().collect();
    indicators.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then_with(|| a.key.cmp(&b.key)));
    indicators.retain(|i| i.contribution >= SHOWN);
    let named =
        indicators.iter().take(most).map(|i| format!("`{}` {:.2} ({:.1})", i.key, i.value, i.contribution));
    let named: Vec<String> = named.collect();
    if named.is_empty() { "nothing adds to it".to_owned() } else { named.join(", ") }
}

/// Returns the country's violent events, highest weight first.
fn violent_events(events: &[Event], country: CountryCode) -> Vec<&Event> {
    let weight = |e: &Event| e.escalation * e.probability.unwrap_or_default();
    let mut violent: Vec<&Event> =
        events.iter().filter(|e| e.country == Some(country) && e.category == Category::Kinetic).collect();
    violent.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.id.cmp(&b.id)));
    violent
}

fn event_words(event: &Event) -> String {
    let actors =
        if event.actors.is_empty() { "no actor named".to_owned() } else { event.actors.join(" and ") };
    format!(
        "{} ({actors}, {}, escalation {:.2}, probability {:.2})",
        event.place,
        event.status.key(),
        event.escalation,
        event.probability.unwrap_or_default()
    )
}
