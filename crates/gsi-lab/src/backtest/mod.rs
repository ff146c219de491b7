//! `gsi-lab backtest`: judges the index on past crises. Every value is used only from the moment when it was known.
//!
//! Without arguments it uses the history and the crises in the program, and prints docs/validation.md.

mod coded;
mod plot;
mod report;

use crate::cli::{BACKTEST_FROM, BACKTEST_TO, Backtest};
use crate::history;
use anyhow::{Context, bail};
use coded::countries;
use gsi::setup::observations;
use gsi::{ConfigError, notice, result_line, result_text};
use gsi_index::backtest::{CrisisList, History, PairedSeparation, by_list, compare, method_on};
use gsi_index::{Method, SeriesTable};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Returns the feeds that are off by default because their values may not be republished. They are used only with `--with`.
fn optional_feeds() -> Vec<String> {
    let connectors = gsi_feeds::all_connectors();
    let origins = connectors.iter().map(|c| c.origin()).filter(|o| !o.default_on && !o.licence.republish);
    origins.map(|o| o.feed.to_owned()).collect()
}

pub fn run(arguments: &Backtest) -> anyhow::Result<ExitCode> {
    let (from, to) = (arguments.from, arguments.to);
    if from >= to {
        bail!(ConfigError::Invalid("--from must be before --to".into()));
    }
    for name in &arguments.with {
        if !optional_feeds().contains(name) {
            bail!(ConfigError::Invalid(format!("--with takes {}", optional_feeds().join(", "))));
        }
    }
    let table = match &arguments.observations {
        Some(folder) => load(folder, arguments.coded.as_ref().map(|_| coded::STAND_IN))?,
        None => history::read(arguments.history.as_deref())?.table(),
    };
    let lists = crisis_lists(arguments)?;
    if let Some(folder) = &arguments.coded {
        let page = match arguments.countries {
            true => countries::page(folder)?,
            false => coded::page(folder, &table, &lists[0].crises)?,
        };
        match &arguments.report {
            Some(path) => write(path, &page)?,
            None => result_line!("{page}"),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let catalogues: Vec<String> = match arguments.method.as_slice() {
        [] => vec![Method::default_text().to_owned()],
        [first, second, third, ..] => {
            bail!(
                "two methods are compared, not {}, {} and {}",
                first.display(),
                second.display(),
                third.display()
            )
        }
        given => given.iter().map(|path| read(path)).collect::<anyhow::Result<_>>()?,
    };
    let spinner = ProgressBar::new_spinner().with_message("scoring every day, then judging");
    spinner.enable_steady_tick(std::time::Duration::from_millis(100));
    let compute = |catalogue: &str, with: &[String]| -> anyhow::Result<History> {
        Ok(History::compute(Arc::new(method(catalogue, &table, with)?), &table, from, to))
    };
    if let [first, second] = &catalogues[..] {
        let (first, second) = (compute(first, &arguments.with)?, compute(second, &arguments.with)?);
        let paired = compare(&first, &second, &lists[0].crises);
        spinner.finish_and_clear();
        return print_paired(arguments, &first, &second, &paired);
    }
    let catalogue = catalogues[0].as_str();
    let crises = &lists[0].crises;
    let history = compute(catalogue, &arguments.with)?;
    let report = gsi_index::backtest::run(catalogue, &history, &table, crises);
    let by_list = by_list(&history, &lists);
    // The optional values may be available without `--with`.
    let with_all = method(catalogue, &table, &optional_feeds())?;
    let options = (arguments.with.is_empty() && with_all.digest() != report.method_digest).then(|| {
        let history = History::compute(Arc::new(with_all), &table, from, to);
        gsi_index::backtest::run(catalogue, &history, &table, crises)
    });
    let picture = |path: &Path| {
        let edges = history.method().parameters().band_edges;
        write(path, &plot::history(&history.points, crises, edges))
    };
    if let Some(path) = &arguments.plot {
        picture(path)?;
    }
    let picture_of_report = arguments.report.as_ref().map(|path| path.with_extension("svg"));
    let page = report::page(&report::Pages {
        report: &report,
        by_list: &by_list,
        with_options: options.as_ref(),
        plot: picture_of_report.as_ref().and_then(|p| p.file_name()?.to_str()).unwrap_or("validation.svg"),
        command: &command(arguments),
    });
    if let Some(path) = &arguments.report {
        write(path, &page)?;
    }
    if let Some(path) = &picture_of_report {
        picture(path)?;
    }
    spinner.finish_and_clear();
    match (arguments.json, &arguments.report) {
        (true, _) => {
            let mut shown = serde_json::to_value(&report)?;
            shown["lists"] = serde_json::to_value(&by_list)?;
            result_line!("{shown:#}");
        }
        (false, None) => result_text!("{page}"),
        (false, Some(path)) => notice!("gsi-lab: the report is in {}", path.display()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the command that writes the same page, with the options that are not the defaults.
fn command(arguments: &Backtest) -> String {
    let mut command = "gsi-lab backtest".to_owned();
    let mut add = |flag: &str, value: &str| command.push_str(&format!(" --{flag} {value}"));
    arguments.observations.iter().for_each(|_| add("observations", "DIR"));
    arguments.history.iter().for_each(|_| add("history", "FILE"));
    arguments.crises.iter().for_each(|_| add("crises", "FILE"));
    arguments.method.iter().for_each(|_| add("method", "FILE"));
    arguments.with.iter().for_each(|feed| add("with", feed));
    let (from, to) = (arguments.from.to_string(), arguments.to.to_string());
    if (from.as_str(), to.as_str()) != (BACKTEST_FROM, BACKTEST_TO) {
        add("from", &from);
        add("to", &to);
    }
    command
}

/// Returns the given lists, named by their files, or the packed list.
fn crisis_lists(arguments: &Backtest) -> anyhow::Result<Vec<CrisisList>> {
    if arguments.crises.is_empty() {
        let crises = history::read(arguments.history.as_deref())?.crises;
        return Ok(vec![CrisisList { name: "packed".into(), crises }]);
    }
    let list = |path: &std::path::PathBuf| {
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(CrisisList { name, crises: history::read_crises(path)? })
    };
    arguments.crises.iter().map(list).collect()
}

/// Returns the part of a catalogue that the available series support.
fn method(catalogue: &str, table: &SeriesTable, with: &[String]) -> anyhow::Result<Method> {
    let optional = optional_feeds();
    let is_used = |f: &String| !optional.contains(f) || with.contains(f);
    Ok(method_on(catalogue, table, &|indicator| indicator.feeds.iter().all(is_used))?)
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Loads a folder in the observations format, with revisions in the order in which they became known, without one series.
pub fn load(folder: &Path, left_out: Option<&str>) -> anyhow::Result<SeriesTable> {
    let mut table = SeriesTable::new();
    let rows = observations::read_folder(folder)?;
    for mut row in rows.into_iter().filter(|row| Some(row.series.as_str()) != left_out) {
        let Some(revision) = table.admit(&row) else { continue };
        row.revision = revision;
        table.insert(&row);
    }
    Ok(table)
}

fn print_paired(
    arguments: &Backtest,
    first: &History,
    second: &History,
    paired: &BTreeMap<String, PairedSeparation>,
) -> anyhow::Result<ExitCode> {
    let name =
        |history: &History| format!("{} ({})", history.method().version(), &history.method().digest()[..12]);
    if arguments.report.is_some() || arguments.plot.is_some() {
        bail!(ConfigError::Invalid("--report and --plot need one method".into()));
    }
    if arguments.json {
        let shown = serde_json::json!({ "first": name(first), "second": name(second), "separation": paired });
        result_line!("{shown:#}");
        return Ok(ExitCode::SUCCESS);
    }
    let figure = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
    let signed = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:+.3}"));
    result_line!("first: method {}; second: method {}", name(first), name(second));
    result_line!("AUC on the days that both score; the interval of the difference is paired, 95 %");
    result_line!();
    result_line!("| | first | second | difference | days |\n|---|---|---|---|---|");
    for (subject, p) in paired {
        result_line!(
            "| {subject} | {} | {} | {} [{}, {}] | {} / {} |",
            figure(p.first),
            figure(p.second),
            signed(p.difference),
            signed(p.lo),
            signed(p.hi),
            p.positives,
            p.negatives
        );
    }
    Ok(ExitCode::SUCCESS)
}
