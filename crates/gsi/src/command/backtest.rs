//! `gsi backtest`: the index on past crises, with every value used only from the moment it was known.

mod coded;
mod coded_files;

use crate::cli::Backtest;
use crate::results::result_line;
use crate::{observations, plot, validation};
use anyhow::{Context, bail};
use gsi_index::backtest::{Crisis, History, Report, Separation, method_on};
use gsi_index::{Method, SeriesTable};
use gsi_model::{Day, Observation, Timestamp};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Feeds that are off by default because their values belong to their owners: used only when asked for.
fn optional_feeds() -> Vec<String> {
    let connectors = gsi_feeds::all_connectors();
    let origins = connectors.iter().map(|c| c.origin()).filter(|o| !o.default_on && !o.licence.republish);
    origins.map(|o| o.feed.to_owned()).collect()
}

pub fn run(arguments: &Backtest) -> anyhow::Result<ExitCode> {
    let table = load(&arguments.observations, arguments.coded.as_ref().map(|_| coded::STAND_IN))?;
    let text = std::fs::read_to_string(&arguments.crises)
        .with_context(|| format!("cannot read {}", arguments.crises.display()))?;
    let crises = Crisis::parse_list(&text)?;
    let (from, to) = (day(&arguments.from)?, day(&arguments.to)?);
    if from >= to {
        bail!("--from lies before --to");
    }
    if let Some(folder) = &arguments.coded {
        let page = coded::page(folder, &table, &crises)?;
        match &arguments.report {
            Some(path) => write(path, &page)?,
            None => result_line!("{page}"),
        }
        return Ok(ExitCode::SUCCESS);
    }
    for name in &arguments.with {
        if !optional_feeds().contains(name) {
            bail!("--with takes {}", optional_feeds().join(", "));
        }
    }
    let spinner = ProgressBar::new_spinner().with_message("scoring every day, then judging");
    spinner.enable_steady_tick(std::time::Duration::from_millis(100));
    let history = History::compute(Arc::new(method(&table, &arguments.with)?), &table, from, to);
    let report = gsi_index::backtest::run(&history, &table, &crises);
    let edges = history.method().parameters().band_edges;
    if let Some(path) = &arguments.plot {
        write(path, &plot::history(&history.points, &crises, edges))?;
    }
    if let Some(path) = &arguments.report {
        let picture = path.with_extension("svg");
        write(&picture, &plot::history(&history.points, &crises, edges))?;
        // The optional values may be at hand without having been asked for.
        let with_all = method(&table, &optional_feeds())?;
        let options = (arguments.with.is_empty() && with_all.digest() != report.method_digest).then(|| {
            let history = History::compute(Arc::new(with_all), &table, from, to);
            gsi_index::backtest::run(&history, &table, &crises)
        });
        let command = format!(
            "gsi backtest --observations DIR --crises FILE --from {from} --to {to} --report {}",
            path.display()
        );
        let page = validation::page(&validation::Pages {
            report: &report,
            with_options: options.as_ref(),
            plot: picture.file_name().and_then(|n| n.to_str()),
            command: &command,
        });
        write(path, &page)?;
    }
    spinner.finish_and_clear();
    if arguments.json {
        result_line!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    Ok(ExitCode::SUCCESS)
}

/// The catalogue as far as the series at hand carry it.
fn method(table: &SeriesTable, with: &[String]) -> anyhow::Result<Method> {
    let optional = optional_feeds();
    let asked = |f: &String| !optional.contains(f) || with.contains(f);
    Ok(method_on(table, &|indicator| indicator.feeds.iter().all(asked))?)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn day(text: &str) -> anyhow::Result<Day> {
    Day::parse_iso(text).with_context(|| format!("{text:?} is not a day such as 2008-01-01"))
}

/// A folder in the observations format as a table, vintages in the order they became known, without one series.
pub fn load(folder: &Path, left_out: Option<&str>) -> anyhow::Result<SeriesTable> {
    let mut table = SeriesTable::new();
    let mut additions: Vec<Observation> = Vec::new();
    for path in observations::files(folder)? {
        let decoded = observations::read(&path)?;
        for (code, n) in &decoded.rejected {
            eprintln!("gsi: {}: rejected {n}: {code}", path.display());
        }
        let mut rows = decoded.observations;
        rows.retain(|row| Some(row.series.as_str()) != left_out);
        // Vintages of one period are numbered in the order they became known.
        rows.sort_by_key(|o| (o.period_end, o.known_at));
        for mut row in rows {
            let Some(revision) = table.admit(&row) else { continue };
            row.revision = revision;
            table.insert(&row);
            if row.series == "kev.added" || row.series == "kev.added_ransomware" {
                additions.push(row);
            }
        }
    }
    if table.is_empty_series("kev.weighted") {
        weigh_additions(&mut table, &additions);
    }
    Ok(table)
}

/// The catalogue's weighted additions, as far as a history of counts allows: ransomware use counts double; which entries
/// were of old vulnerabilities is not in it.
fn weigh_additions(table: &mut SeriesTable, additions: &[Observation]) {
    let ransomware: BTreeMap<Timestamp, f64> = additions
        .iter()
        .filter(|o| o.series == "kev.added_ransomware")
        .map(|o| (o.period_end, o.value))
        .collect();
    for row in additions.iter().filter(|o| o.series == "kev.added") {
        let value = row.value + ransomware.get(&row.period_end).copied().unwrap_or(0.0);
        table.insert(&Observation { series: "kev.weighted".to_owned(), value, ..row.clone() });
    }
}

fn print(report: &Report) {
    result_line!(
        "{} to {}, {} crises, method {}",
        report.from,
        report.to,
        report.crises,
        report.method_version
    );
    result_line!();
    result_line!(
        "{:<14}{:>6}  {:<15}{:>6}{:>7}{:>7}  alerts",
        "",
        "AUC",
        "95 % interval",
        "AP",
        "pos",
        "neg"
    );
    for (name, separation) in &report.pillars {
        line(name, separation);
    }
    line("composite", &report.composite);
    result_line!();
    result_line!("{:<28}{:>6}  95 % interval", "arm (composite)", "AUC");
    for (name, arm) in &report.arms {
        let interval = interval(arm.lo, arm.hi);
        result_line!("{name:<28}{:>6}  {interval}", figure(arm.composite_auc));
    }
    result_line!();
    for (name, value) in &report.anchors {
        result_line!("anchor {name:<40}{:>6}", figure(*value));
    }
    let s = &report.stability;
    result_line!();
    result_line!(
        "daily move of the published score: median {}, p95 {}",
        figure(s.daily_move_median),
        figure(s.daily_move_p95)
    );
    result_line!("trend changes a week: {}", figure(s.trend_changes_per_week));
    result_line!("rank correlation under other weights, 5 % point: {}", figure(s.weight_rank_correlation_p5));
    let tested: Vec<String> = report
        .tested_weight
        .iter()
        .map(|(pillar, share)| format!("{pillar} {:.0} %", 100.0 * share))
        .collect();
    result_line!("live weight tested here: {}", tested.join(", "));
}

fn line(name: &str, s: &Separation) {
    let alerts = s.alerts.as_ref().map_or_else(String::new, |a| {
        format!(
            "at {}: {} of {} crises, {:.0} % of days, {} false a quiet year, Peirce {}",
            a.rule.level,
            a.hits,
            a.crises,
            100.0 * a.alarm_fraction,
            figure(a.false_alarms_per_quiet_year),
            figure(a.peirce)
        )
    });
    result_line!(
        "{name:<14}{:>6}  {:<15}{:>6}{:>7}{:>7}  {alerts}",
        figure(s.auc),
        interval(s.lo, s.hi),
        figure(s.average_precision),
        s.positives,
        s.negatives
    );
    if let Some(note) = &s.note {
        result_line!("              {note}");
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:.3}"))
}

fn interval(lo: Option<f64>, hi: Option<f64>) -> String {
    match (lo, hi) {
        (Some(lo), Some(hi)) => format!("{lo:.3} to {hi:.3}"),
        _ => "-".into(),
    }
}
