//! `gsi-lab calibrate`: measures every indicator on its history, and writes the baseline file that a service can load.

use crate::{backtest, cli};
use anyhow::{Context, bail};
use gsi::setup::existing_store;
use gsi::{Config, notice, result_line};
use gsi_feeds::Payload;
use gsi_index::{
    BaselineFile, Calibration, Catalogue, Manifest, Method, NewsTopic, SeriesTable, calibrate, tallies_of_day,
};
use gsi_model::{Clock, Day, NewsSlot, Observation, SystemClock};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(config: &Config, arguments: &cli::Calibrate) -> anyhow::Result<ExitCode> {
    let day = arguments.as_of;
    let mut table = match (&arguments.observations, &arguments.events) {
        (Some(folder), _) => backtest::load(folder, None)?,
        (None, Some(_)) => SeriesTable::new(),
        (None, None) => {
            let mut table = SeriesTable::new();
            existing_store(config)?.observations(day.start(), &mut |o| table.insert(&o))?;
            table
        }
    };
    if let Some(folder) = &arguments.events {
        let days = read_event_files(folder, day)?;
        print_shares(&days);
        days.values().flat_map(|d| &d.tallies).for_each(|o| table.insert(o));
    }
    if table.row_count() == 0 {
        bail!("no value was known before {day}; `gsi import` reads history into the store");
    }
    // Optional indicators are measured too, so that each has a prior when it is switched on.
    let method = Method::from_catalogue(Catalogue::parse(Method::default_text())?, &|_| true)?;
    let measured: Vec<Calibration> =
        calibrate(&method, &table, day).into_iter().filter(|c| c.values > 0).collect();
    let connectors = gsi_feeds::all_connectors();
    let is_used = |feed: &str| {
        method
            .indicators()
            .iter()
            .any(|i| i.feeds.iter().any(|f| f == feed) && measured.iter().any(|c| c.key == i.key))
    };
    let attributions = connectors
        .iter()
        .map(|c| c.origin())
        .filter(|o| is_used(o.feed))
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
    // The same check as in the service.
    let text = file.to_text();
    BaselineFile::parse(&text)?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    print(&file);
    result_line!("{}  {}", file.digest, path.display());
    Ok(ExitCode::SUCCESS)
}

/// The event files of one UTC day.
struct DayOfFiles {
    files: usize,
    articles: f64,
    tallies: Vec<Observation>,
}

/// Reads every event file below a folder with a day before `as_of`, as .zip, .gz or plain text.
fn read_event_files(folder: &Path, as_of: Day) -> anyhow::Result<BTreeMap<Day, DayOfFiles>> {
    let connectors = gsi_feeds::all_connectors();
    let news = connectors.iter().find(|c| c.is_coded_news()).context("there is no feed of coded news")?;
    let mut slots: BTreeMap<Day, Vec<NewsSlot>> = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let listing =
            std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut paths: Vec<PathBuf> = listing.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if name.to_ascii_lowercase().contains(".export.csv") {
                let bytes =
                    std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let payload = Payload::new(&name, &bytes, SystemClock.now());
                match news.decode(&payload) {
                    Ok(decoded) => {
                        for slot in decoded.slots {
                            slots.entry(slot.stamp.minus(1).day()).or_default().push(slot);
                        }
                    }
                    Err(refusal) => notice!("gsi-lab: {}: refused: {refusal}", path.display()),
                }
            }
        }
    }
    let days = slots.into_iter().filter(|(day, _)| *day < as_of).map(|(day, mut slots)| {
        // A file that exists twice, compressed and plain, counts once.
        slots.sort_by_key(|s| s.stamp);
        slots.dedup_by_key(|s| s.stamp);
        let articles = slots.iter().map(|s| f64::from(s.articles)).sum();
        (day, DayOfFiles { files: slots.len(), articles, tallies: tallies_of_day(day, &slots) })
    });
    let days: BTreeMap<Day, DayOfFiles> = days.collect();
    if days.is_empty() {
        bail!(
            "{} has no event file (*.export.CSV, zipped or not) from a day before {as_of}",
            folder.display()
        );
    }
    Ok(days)
}

/// The standard normal quantile at 95 %.
const Z95: f64 = 1.645;

/// Prints what a few files tell about the shares: the level over all files, including days without an article of the topic, and a 95 %
/// point from the spread between days that sampling does not explain. With 250 whole days or more, the table below is more accurate.
fn print_shares(days: &BTreeMap<Day, DayOfFiles>) {
    let files: usize = days.values().map(|d| d.files).sum();
    result_line!("{files} event files of {} days", days.len());
    for topic in NewsTopic::ALL {
        let counts: Vec<(f64, f64)> = days
            .values()
            .filter_map(|d| Some((d.tallies.iter().find(|o| o.series == topic.close_series())?, d.articles)))
            .map(|(share, articles)| (share.value * articles / 100.0, articles))
            .collect();
        let (found, all) = counts.iter().fold((0.0, 0.0), |(f, a), (found, all)| (f + found, a + all));
        if found <= 0.0 {
            result_line!("{:<16} no article in {all:.0}", topic.close_series());
            continue;
        }
        let level = found / all;
        // Sampling explains a variance as large as the expected count. The rest is relative to the level.
        let expected = |all: &f64| all * level;
        let excess: f64 = counts.iter().map(|(n, all)| (n - expected(all)).powi(2) - expected(all)).sum();
        let scale: f64 = counts.iter().map(|(_, all)| expected(all).powi(2)).sum();
        let variance = (1.0 + (excess / scale).max(0.0)).ln();
        let median = 100.0 * level / (0.5 * variance).exp();
        result_line!(
            "{:<16} {found:.0} of {all:.0} articles, prior median {median:.3} %, q95 {:.3} %{}",
            topic.close_series(),
            median * (Z95 * variance.sqrt()).exp(),
            if variance > 0.0 { "" } else { " (no spread beyond sampling: too few articles)" },
        );
    }
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
