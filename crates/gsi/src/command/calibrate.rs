//! `gsi calibrate`: what history says about every indicator, as the one file a service loads.

use crate::cli;
use crate::command::backtest;
use crate::config::Config;
use crate::results::result_line;
use crate::running;
use anyhow::{Context, bail};
use gsi_index::{BaselineFile, Calibration, Catalogue, Manifest, Method, SeriesTable, calibrate};
use gsi_model::Day;
use std::process::ExitCode;

pub fn run(config: &Config, arguments: &cli::Calibrate) -> anyhow::Result<ExitCode> {
    let day = Day::parse_iso(&arguments.as_of)
        .with_context(|| format!("{:?} is not a day such as 2024-12-31", arguments.as_of))?;
    let table = match &arguments.observations {
        Some(folder) => backtest::load(folder)?,
        None => {
            let mut table = SeriesTable::new();
            running::open_store(config)?.observations(day.start(), &mut |o| table.insert(&o))?;
            table
        }
    };
    if table.row_count() == 0 {
        bail!("nothing was known before {day}; `gsi import` reads history in");
    }
    // Optional indicators are measured too: whoever switches one on has its prior.
    let method = Method::from_catalogue(Catalogue::parse(Method::default_text())?, &|_| true)?;
    let measured: Vec<Calibration> =
        calibrate(&method, &table, day).into_iter().filter(|c| c.values > 0).collect();
    let connectors = gsi_feeds::all_connectors();
    let used = |feed: &str| {
        method
            .indicators()
            .iter()
            .any(|i| i.feeds.iter().any(|f| f == feed) && measured.iter().any(|c| c.key == i.key))
    };
    let attributions = connectors
        .iter()
        .map(|c| c.origin())
        .filter(|o| used(o.feed))
        .map(|o| o.attribution.to_owned())
        .collect();
    let manifest = Manifest {
        format: BaselineFile::FORMAT,
        as_of: day.to_string(),
        method_version: method.version().to_owned(),
        method_digest: method.digest().to_owned(),
        rows: table.row_count() as u64,
        attributions,
    };
    let file = BaselineFile::new(manifest, measured);
    let path = arguments.out.clone().unwrap_or_else(|| format!("baseline-{day}.json").into());
    // What is written must be readable: the same check that a service makes.
    let text = file.to_text();
    BaselineFile::parse(&text)?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    print(&file);
    result_line!("{}  {}", file.digest, path.display());
    Ok(ExitCode::SUCCESS)
}

fn print(file: &BaselineFile) {
    let number = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.3}"));
    result_line!(
        "{:<32}{:>7}{:>12}{:>12}{:>9}{:>7}  ",
        "indicator",
        "values",
        "median",
        "q95",
        "p<.01",
        "tau"
    );
    for c in &file.indicators {
        let (median, q95) = (c.quantiles.get("p50").copied(), c.quantiles.get("p95").copied());
        let mut notes = Vec::new();
        if c.drift {
            notes.push("drifts: three years instead of ten");
        }
        if c.rare_share_ok == Some(false) {
            notes.push("its tail does not fit");
        }
        if c.suggested_prior.is_none() {
            notes.push("too short to replace the prior");
        }
        result_line!(
            "{:<32}{:>7}{:>12}{:>12}{:>9}{:>7}  {}",
            c.key,
            c.values,
            number(median),
            number(q95),
            number(c.rare_share),
            c.trend_tau.map_or("-".into(), |t| format!("{t:.2}")),
            notes.join("; ")
        );
    }
}
