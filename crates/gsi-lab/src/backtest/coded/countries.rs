//! `gsi-lab backtest --coded DIR --countries`: judges the conflict score of single countries on coded histories.
//!
//! The questions: does a country's score stand out when a coup is attempted there, is the right country named, and does the score
//! correlate with the deaths that researchers counted? Two simple alternatives are measured as well: the number of violent reports, and
//! the deaths of the month before.

use super::every_country::EveryCountry;
use super::files::CodedFiles;
use super::order_of_countries;
use super::rank_correlation::spearman;
use gsi_index::backtest::coded::{self, CodedDays, MeanRank, Onset, mean_rank, rank_onset};
use gsi_index::{Catalogue, CountryMethod, Method, SeriesTable, conflict_by_day};
use gsi_model::{CountryCode, Day};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// ICEWS is dense from October 2011. A quarter later there are enough weeks to compare with.
const SPARSE: (&str, &str) = ("2012-01-12", "2015-12-31");
const ALARMS_A_YEAR: f64 = 12.0;
/// An alarm ends when its country has been below the level for this number of days.
const QUIET_DAYS: i32 = 14;
const NAMED_WITHIN_DAYS: i32 = 3;
/// Half-life of the plain count of violent reports.
const COUNT_HALF_LIFE_DAYS: f64 = 4.0;

type ByCountry = BTreeMap<CountryCode, Vec<(Day, f64)>>;

pub fn page(folder: &Path) -> anyhow::Result<String> {
    let files = CodedFiles::read(folder)?;
    let mut out = String::from(
        "# Validation of country scores\n\n\
         Written by `gsi-lab backtest --coded DIR --countries --report FILE`. The score is a country's conflict pillar from what coded\n\
         news alone can tell (`attack_surprise`, `attention_surprise`; a history of reports holds no events and\n\
         no counted deaths), ranked in what was known before its month. An onset's rank is the highest value of its first week\n\
         among the highest values of the weeks of eleven months before: chance is .50. Intervals are 90 %, from resampled onsets.\n",
    );
    let day = |text: &str| Day::parse_iso(text).ok_or_else(|| anyhow::anyhow!("{text:?} is not a day"));
    section(
        &mut out,
        "ICEWS 2012 to 2015, by the countries of both sides",
        &files,
        &files.sparse,
        (day(SPARSE.0)?, day(SPARSE.1)?),
    )?;
    if let (Some(first), Some(last)) = (files.releases.keys().next(), files.releases.keys().next_back()) {
        section(&mut out, "ICEWS daily releases, by place", &files, &files.releases, (*first, *last))?;
    }
    order_of_countries::section(&mut out, &EveryCountry::read(folder, &files.deaths)?);
    out.push_str(
        "\n## Where it fails\n\n\
         - **Long wars** are no surprise to their own year: a coup in a country at war (Libya) hardly stands out. Live, levels\n  \
           (confirmed events, deaths) complement surprise; this history has none of them.\n\
         - **Places that are hardly reported** (Guinea-Bissau) give a few reports a month: one more or less decides.\n\
         - **It does not say where to look first.** Each country is ranked in its own year, and among two hundred of them one or\n  \
           another has its rarest day nearly every day: at twelve alarms a year in all, no coup's country is among those named.\n\
         - **Attention is not violence**: elections, summits and disasters raise a country's score too, if less than war does.\n",
    );
    Ok(out)
}

fn section(
    out: &mut String,
    title: &str,
    files: &CodedFiles,
    days: &CodedDays,
    (from, to): (Day, Day),
) -> anyhow::Result<()> {
    let parameters = Catalogue::parse(Method::default_text())?.parameters;
    let mut table = SeriesTable::new();
    table.insert_all(&coded::tallies(days));
    let mut reports: Vec<f64> = days.values().map(|d| d.reports).collect();
    reports.sort_by(f64::total_cmp);
    let usual = reports[reports.len() / 2];
    let method = CountryMethod::compiled().for_density(usual);
    // Earlier days are scored as well, so that the first onsets have weeks to be ranked among.
    let first = days.keys().next().copied().unwrap_or(from);
    let scores = conflict_by_day(&method, &parameters, &table, first, to);
    let counts = violent_counts(days, first, to);
    let deaths = last_months_deaths(files, first, to);
    let coups: Vec<&Onset> = files.coups.iter().filter(|o| (from..=to).contains(&o.day)).collect();
    let _ = writeln!(
        out,
        "\n## {title}\n\n{} days from {from} to {to}, {usual:.0} reports on an ordinary one; {} coups and attempts.\n\n\
         | ranked by | own country's rank | in the top twentieth | right country named within {NAMED_WITHIN_DAYS} days, at {ALARMS_A_YEAR:.0} alarms a year |\n\
         |---|---|---|---|",
        days.len(),
        coups.len()
    );
    let arms = [("conflict score", &scores), ("violent reports", &counts), ("last month's deaths", &deaths)];
    for (name, values) in arms {
        let ranks: Vec<f64> =
            coups.iter().filter_map(|o| rank_onset(values.get(&o.country?)?, o.day)).collect();
        let rank = mean_rank(&ranks);
        let named = named(values, &coups);
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} |",
            shown(rank),
            rank.map_or("–".to_owned(), |r| format!("{:.0} %", 100.0 * r.top)),
            named.map_or("–".to_owned(), |(hits, of)| format!("{hits} of {of}"))
        );
    }
    if !coups.is_empty() {
        let _ = writeln!(
            out,
            "\n| coup or attempt | day | conflict score | violent reports |\n|---|---|---|---|"
        );
        for onset in &coups {
            let cell = |values: &ByCountry| {
                let rank = onset.country.and_then(|c| rank_onset(values.get(&c)?, onset.day));
                rank.map_or("–".to_owned(), |r| format!("{r:.2}"))
            };
            let _ =
                writeln!(out, "| {} | {} | {} | {} |", onset.name, onset.day, cell(&scores), cell(&counts));
        }
    }
    let _ = writeln!(
        out,
        "\nRank correlation with deaths, over countries and months with any death of the country in the span: conflict score {}, \
         violent reports {}.",
        correlation(files, &scores),
        correlation(files, &counts)
    );
    Ok(())
}

fn shown(rank: Option<MeanRank>) -> String {
    rank.map_or("–".to_owned(), |r| {
        format!("{:.2} [{:.2}, {:.2}], n = {}", r.mean, r.low, r.high, r.onsets)
    })
}

/// Returns the first alternative: a country's violent reports, averaged over a few days.
fn violent_counts(days: &CodedDays, from: Day, to: Day) -> ByCountry {
    let keep = (-1.0 / COUNT_HALF_LIFE_DAYS).exp2();
    let countries: std::collections::BTreeSet<CountryCode> =
        days.values().flat_map(|d| d.attention.keys().copied()).collect();
    let mut all = ByCountry::new();
    for country in countries {
        let mut average = 0.0;
        let values = all.entry(country).or_default();
        for (day, coded) in days {
            let today = coded.violent.get(&country).copied().unwrap_or_default();
            average = keep * average + (1.0 - keep) * today;
            if (from..=to).contains(day) {
                values.push((*day, average));
            }
        }
    }
    all
}

/// Returns the second alternative: the deaths of the month before, known a month late.
fn last_months_deaths(files: &CodedFiles, from: Day, to: Day) -> ByCountry {
    let mut all = ByCountry::new();
    let countries: std::collections::BTreeSet<CountryCode> = files.deaths.keys().map(|(c, _)| *c).collect();
    for country in countries {
        let values = all.entry(country).or_default();
        for day in (from.0..=to.0).map(Day) {
            let (year, month, _) = day.month_start(-2).ymd();
            values.push((day, files.deaths.get(&(country, (year, month))).copied().unwrap_or_default()));
        }
    }
    all
}

/// Returns how many coups raised an alarm for their country within `NAMED_WITHIN_DAYS`, at the level with `ALARMS_A_YEAR` alarms in all.
fn named(values: &ByCountry, coups: &[&Onset]) -> Option<(usize, usize)> {
    let days: std::collections::BTreeSet<Day> = values.values().flatten().map(|(day, _)| *day).collect();
    let years = days.len() as f64 / 365.25;
    let mut levels: Vec<f64> = values.values().flatten().map(|(_, v)| *v).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let alarms_at = |level: f64| -> Vec<(CountryCode, Day)> {
        let begun = values.iter().flat_map(|(country, values)| {
            coded::alarms(values, level, QUIET_DAYS).into_iter().map(move |day| (*country, day))
        });
        begun.collect()
    };
    // The number of alarms falls as the level rises, except for a few that split in two.
    let enough = levels.partition_point(|level| alarms_at(*level).len() as f64 > ALARMS_A_YEAR * years);
    let alarms = alarms_at(*levels.get(enough)?);
    let usable: Vec<&&Onset> =
        coups.iter().filter(|o| o.country.is_some_and(|c| values.contains_key(&c))).collect();
    let hit = |onset: &Onset| {
        let in_time = onset.day.0..=onset.day.0 + NAMED_WITHIN_DAYS;
        alarms.iter().any(|(country, day)| Some(*country) == onset.country && in_time.contains(&day.0))
    };
    Some((usable.iter().filter(|o| hit(o)).count(), usable.len()))
}

/// Returns Spearman's correlation over (country, month) of the month's mean value and its deaths, for countries with any deaths.
fn correlation(files: &CodedFiles, values: &ByCountry) -> String {
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (country, values) in values {
        let mut months: BTreeMap<(i16, i8), (f64, f64)> = BTreeMap::new();
        for (day, value) in values {
            let (year, month, _) = day.ymd();
            let (sum, n) = months.entry((year, month)).or_default();
            *sum += value;
            *n += 1.0;
        }
        let of = |month: &(i16, i8)| files.deaths.get(&(*country, *month)).copied();
        if months.keys().any(|m| of(m).is_some_and(|n| n > 0.0)) {
            pairs.extend(months.iter().filter_map(|(month, (sum, n))| Some((sum / n, of(month)?))));
        }
    }
    if pairs.len() < 30 {
        return "–".to_owned();
    }
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    format!("{:.2} (n = {})", spearman(&a, &b), pairs.len())
}
