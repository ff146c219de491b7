//! `gsi-lab backtest --coded DIR`: judges the coded-news indicator on histories that it was not fitted to.
//!
//! The histories are ICEWS 2012 to 2015 with coups and dated crises, with and without the indicator; the daily releases of 2018-19; and
//! India's daily counts, where 2017 to 2020 set the level of an alarm and later years judge it.

pub mod countries;
mod every_country;
mod files;
mod order_of_countries;
mod rank_correlation;

use anyhow::{Context, bail};
use files::CodedFiles;
use gsi_index::backtest::coded::{self, MeanRank, Onset, alarms, level_for, mean_rank, rank_onset};
use gsi_index::backtest::{History, method_on, tested_weight};
use gsi_index::{Catalogue, Formula, Method, SeriesTable};
use gsi_model::{Crisis, Day, Pillar};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const INDICATOR: &str = "country_surprise";
/// The series under which the catalogue expects the indicator's history in a backtest.
pub const STAND_IN: &str = "icews.country_surprise";
/// ICEWS is dense from October 2011. A quarter later there are enough weeks to compare with.
const SPARSE: (&str, &str) = ("2012-01-12", "2015-12-31");
const INDIA_FITTED_UNTIL: &str = "2020-12-31";
const ALARMS_PER_YEAR: f64 = 3.0;
const QUIET_DAYS: i32 = 14;
/// An alarm counts for a crisis that began at most this number of days before.
const HEARD_WITHIN_DAYS: i32 = 14;

/// Widely reported crises of India and its neighbours, with the first day of wide reporting.
const INDIA: [(&str, &str); 12] = [
    ("2017-06-27", "Doklam standoff with China becomes public"),
    ("2019-02-14", "Pulwama attack"),
    ("2019-02-26", "Balakot strike"),
    ("2019-08-05", "Kashmir's status revoked"),
    ("2020-02-24", "Delhi riots"),
    ("2020-06-16", "Galwan clash with China"),
    ("2022-06-05", "remarks on the Prophet, protests abroad"),
    ("2022-12-12", "Tawang clash with China becomes public"),
    ("2023-05-03", "Manipur violence"),
    ("2023-09-18", "Canada accuses India of a killing"),
    ("2024-08-05", "fall of the government in Bangladesh"),
    ("2024-10-14", "India and Canada expel diplomats"),
];

pub fn page(folder: &Path, table: &SeriesTable, crises: &[Crisis]) -> anyhow::Result<String> {
    let files = CodedFiles::read(folder)?;
    let catalogue = Catalogue::parse(Method::default_text())?;
    let indicator = catalogue.indicators.iter().find(|i| i.key == INDICATOR);
    let formula = &indicator.with_context(|| format!("the catalogue has no {INDICATOR}"))?.formula;
    let mut out = String::from(
        "# Validation on coded histories\n\n\
         Written by `gsi-lab backtest --observations DIR --crises FILE --coded DIR --report FILE`; the files are listed in its help.\n\
         An onset's rank is the highest value of its first week among the highest values of the weeks of eleven months before:\n\
         chance is .50. Intervals are 90 %, from resampled onsets. Every value is used from the morning after its day.\n",
    );
    sparse(&mut out, &files, formula, table, crises)?;
    releases(&mut out, &files, formula, crises)?;
    india(&mut out, &files, formula)?;
    Ok(out)
}

fn day(text: &str) -> anyhow::Result<Day> {
    Day::parse_iso(text).with_context(|| format!("{text:?} is not a day"))
}

/// Returns the crises of the conflict pillar as onsets.
fn conflict_crises(crises: &[Crisis]) -> Vec<Onset> {
    let ours = crises.iter().filter(|c| c.pillars.contains(&Pillar::Conflict));
    ours.map(|c| Onset { name: c.name.clone(), day: c.start, country: None }).collect()
}

fn within(onsets: &[Onset], from: Day, to: Day) -> Vec<&Onset> {
    onsets.iter().filter(|o| (from..=to).contains(&o.day)).collect()
}

fn sparse(
    out: &mut String,
    files: &CodedFiles,
    formula: &Formula,
    table: &SeriesTable,
    crises: &[Crisis],
) -> anyhow::Result<()> {
    let (from, to) = (day(SPARSE.0)?, day(SPARSE.1)?);
    let formula = &coded::for_density(formula, &files.sparse);
    let world = coded::rises(&files.sparse, formula);
    if world.is_empty() {
        bail!("{INDICATOR} cannot be computed from tallies");
    }
    let mut table = table.clone();
    world.iter().for_each(|(day, value)| table.insert(&coded::observation(STAND_IN, "", *day, *value)));
    let pillar = |with: bool| -> anyhow::Result<Vec<(Day, f64)>> {
        let method = method_on(Method::default_text(), &table, &|i| with || i.key != INDICATOR)?;
        Ok(History::compute(Arc::new(method), &table, from, to).scored(Some(Pillar::Conflict)))
    };
    let (without, with) = (pillar(false)?, pillar(true)?);
    let crises = conflict_crises(crises);
    let (coups, crises) = (within(&files.coups, from, to), within(&crises, from, to));
    let all: Vec<&Onset> = coups.iter().chain(&crises).copied().collect();
    let reports: f64 = files.sparse.values().map(|d| d.reports).sum();
    let _ = writeln!(
        out,
        "\n## ICEWS, {from} to {to}\n\n\
         {reports:.0} reports on {} days since October 2011, by the countries of both sides, so few that the formula's offset is \
         one report of an ordinary day; \
         {} coups and attempts, {} dated crises of the conflict pillar.\n\n\
         | ranked | coups | crises | all |\n|---|---|---|---|",
        files.sparse.len(),
        coups.len(),
        crises.len()
    );
    let mut row = |name: &str, values: &[(Day, f64)]| {
        let cell = |onsets: &[&Onset]| shown(mean_rank(&ranks(values, onsets)));
        let _ = writeln!(out, "| {name} | {} | {} | {} |", cell(&coups), cell(&crises), cell(&all));
    };
    row("conflict pillar without `country_surprise`", &without);
    row("conflict pillar with it", &with);
    row("`country_surprise` alone", &world);
    let gain: Vec<f64> =
        all.iter().filter_map(|o| Some(rank_onset(&with, o.day)? - rank_onset(&without, o.day)?)).collect();
    let own: Vec<(&Onset, f64)> = coups
        .iter()
        .filter_map(|o| Some((*o, rank_onset(&coded::rises_of(o.country?, &files.sparse, formula), o.day)?)))
        .collect();
    let own_ranks: Vec<f64> = own.iter().map(|(_, rank)| *rank).collect();
    let _ = writeln!(
        out,
        "\nThe indicator moves the rank of all onsets together by {} on average. A coup's own country alone, by the same \
         formula: {}, {:.0} % of them in the top twentieth of their weeks.\n",
        shown_change(mean_rank(&gain)),
        shown(mean_rank(&own_ranks)),
        100.0 * mean_rank(&own_ranks).map_or(0.0, |r| r.top)
    );
    let _ = writeln!(out, "| onset | day | without | with | own country |\n|---|---|---|---|---|");
    for onset in &all {
        let own = own.iter().find(|(o, _)| std::ptr::eq(*o, *onset)).map(|(_, rank)| *rank);
        let cell = |rank: Option<f64>| rank.map_or("–".to_owned(), |r| format!("{r:.2}"));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            onset.name,
            onset.day,
            cell(rank_onset(&without, onset.day)),
            cell(rank_onset(&with, onset.day)),
            cell(own)
        );
    }
    let missed: Vec<String> = all
        .iter()
        .filter(|o| rank_onset(&with, o.day).is_some_and(|r| r < 0.5))
        .map(|o| format!("{} ({})", o.name, o.day))
        .collect();
    let _ = writeln!(out, "\nBelow the median of its weeks even with the indicator: {}.", listed(&missed));
    let tested =
        tested_weight(Method::default_text(), &method_on(Method::default_text(), &table, &|_| true)?);
    let tested: Vec<String> = tested.iter().map(|(p, share)| format!("{p} {:.0} %", 100.0 * share)).collect();
    let _ = writeln!(
        out,
        "\nTogether with the observations that `gsi-lab backtest` reads, this history tests these shares of the live weight: {}.",
        tested.join(", ")
    );
    Ok(())
}

fn releases(
    out: &mut String,
    files: &CodedFiles,
    formula: &Formula,
    crises: &[Crisis],
) -> anyhow::Result<()> {
    let days = &files.releases;
    let (Some(from), Some(to)) = (days.keys().next(), days.keys().next_back()) else { bail!("no releases") };
    let reports: f64 = days.values().map(|d| d.reports).sum();
    let formula = &coded::for_density(formula, days);
    let world = coded::rises(days, formula);
    let _ = writeln!(
        out,
        "\n## ICEWS daily releases, {from} to {to}\n\n\
         {reports:.0} reports in {} releases as they were published, by place. Half a year leaves few weeks to rank among: \
         at least eight are asked for.\n\n| onset | day | world | own country |\n|---|---|---|---|",
        days.len()
    );
    let crises = conflict_crises(crises);
    let mut found = 0;
    for onset in within(&files.coups, *from, *to).into_iter().chain(within(&crises, *from, *to)) {
        let own = onset.country.and_then(|c| rank_onset(&coded::rises_of(c, days, formula), onset.day));
        let cell = |rank: Option<f64>| rank.map_or("too few weeks".to_owned(), |r| format!("{r:.2}"));
        let own = if onset.country.is_some() { cell(own) } else { "–".to_owned() };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {own} |",
            onset.name,
            onset.day,
            cell(rank_onset(&world, onset.day))
        );
        found += 1;
    }
    if found == 0 {
        let _ = writeln!(out, "\nNo listed onset falls into these months.");
    }
    Ok(())
}

fn india(out: &mut String, files: &CodedFiles, formula: &Formula) -> anyhow::Result<()> {
    let fitted_until = day(INDIA_FITTED_UNTIL)?;
    let _ = writeln!(
        out,
        "\n## India, daily counts of GDELT 1.0\n\n\
         The level of an alarm is the lowest with at most {ALARMS_PER_YEAR} alarms a year until {fitted_until} and is then \
         left alone; an alarm begins when the value reaches it after {QUIET_DAYS} days below. What began until then shows the \
         fit, what came later is the test. The list of crises is ours, from memory of the news, and short.\n"
    );
    let by_pair = coded::rises(&files.india_pairs, formula);
    let nation = coded::rises(&files.india, formula);
    let arms = [("India as a whole", &nation), ("India with each other country", &by_pair)];
    let mut heard: Vec<Vec<Heard>> = Vec::new();
    let _ = writeln!(
        out,
        "| value | level | days at it | alarms a year until {fitted_until} | after it | heard, until then | heard, after |\n\
         |---|---|---|---|---|---|---|"
    );
    for (name, values) in arms {
        let fitted: Vec<(Day, f64)> = values.iter().filter(|(d, _)| *d <= fitted_until).copied().collect();
        let level = level_for(&fitted, ALARMS_PER_YEAR, QUIET_DAYS).context("too few days for a level")?;
        let begun = alarms(values, level, QUIET_DAYS);
        let years =
            |part: &dyn Fn(Day) -> bool| values.iter().filter(|(d, _)| part(*d)).count() as f64 / 365.25;
        let rate =
            |part: &dyn Fn(Day) -> bool| begun.iter().filter(|d| part(**d)).count() as f64 / years(part);
        let before = |d: Day| d <= fitted_until;
        let after = |d: Day| d > fitted_until;
        let at_level = values.iter().filter(|(_, v)| *v >= level).count() as f64 / values.len() as f64;
        let delays: Vec<Heard> = INDIA
            .iter()
            .map(|(date, _)| Ok(Heard::of(day(date)?, values, level, &begun)))
            .collect::<anyhow::Result<_>>()?;
        let count = |part: &dyn Fn(Day) -> bool| {
            let of =
                INDIA.iter().zip(&delays).filter(|((date, _), _)| Day::parse_iso(date).is_some_and(part));
            let of: Vec<_> = of.collect();
            format!("{} of {}", of.iter().filter(|(_, heard)| **heard != Heard::Never).count(), of.len())
        };
        let _ = writeln!(
            out,
            "| {name} | {level:.2} | {:.0} % | {:.1} | {:.1} | {} | {} |",
            100.0 * at_level,
            rate(&before),
            rate(&after),
            count(&before),
            count(&after)
        );
        heard.push(delays);
    }
    let _ = writeln!(out, "\n| crisis | day | as a whole | with each other country |\n|---|---|---|---|");
    for (i, (date, name)) in INDIA.iter().enumerate() {
        let _ = writeln!(out, "| {name} | {date} | {} | {} |", heard[0][i].shown(), heard[1][i].shown());
    }
    Ok(())
}

/// Whether an alarm noticed a crisis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    /// An alarm began this number of days after its onset.
    After(i32),
    /// An earlier alarm was still on.
    AlreadyOn,
    Never,
}

impl Heard {
    fn of(onset: Day, values: &[(Day, f64)], level: f64, begun: &[Day]) -> Heard {
        let in_time = |day: &Day| (onset.0..=onset.0 + HEARD_WITHIN_DAYS).contains(&day.0);
        match begun.iter().find(|day| in_time(day)) {
            Some(day) => Heard::After(day.0 - onset.0),
            None if values.iter().any(|(day, value)| in_time(day) && *value >= level) => Heard::AlreadyOn,
            None => Heard::Never,
        }
    }

    fn shown(self) -> String {
        match self {
            Heard::After(days) => format!("day {days}"),
            Heard::AlreadyOn => "an alarm was on".to_owned(),
            Heard::Never => "not heard".to_owned(),
        }
    }
}

fn ranks(values: &[(Day, f64)], onsets: &[&Onset]) -> Vec<f64> {
    onsets.iter().filter_map(|o| rank_onset(values, o.day)).collect()
}

fn shown(rank: Option<MeanRank>) -> String {
    rank.map_or("–".to_owned(), |r| {
        format!("{:.2} [{:.2}, {:.2}], n = {}", r.mean, r.low, r.high, r.onsets)
    })
}

fn shown_change(rank: Option<MeanRank>) -> String {
    rank.map_or("nothing".to_owned(), |r| format!("{:+.2} [{:+.2}, {:+.2}]", r.mean, r.low, r.high))
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join("; ") }
}
