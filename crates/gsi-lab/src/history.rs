//! `gsi-lab history`: packs the real past that the programs contain into one file, and shows it.
//!
//! `method/history/series.tsv` decides for every series whether it may be republished, with the reason. The command stops at an unknown
//! series and asks for a decision.

use crate::cli::HistoryCommand;
use anyhow::{Context, bail};
use gsi::setup::observations;
use gsi::{ConfigError, notice, result_line};
use gsi_index::backtest::parse_crises;
use gsi_index::{HistoryFile, Method, PackedRow, PackedSeries, Reconstructor, SeriesOrigin};
use gsi_model::{Crisis, Day, Observation};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

const DECISIONS: &str = include_str!("../../../method/history/series.tsv");
const DECISION_COLUMNS: &str =
    "series\tdecision\tfeed\tpublisher\tlicence\tretrieved\treleased\tattribution\twhy";

pub fn run(command: &HistoryCommand) -> anyhow::Result<ExitCode> {
    match command {
        HistoryCommand::Pack { folder, crises, from, to, out } => {
            let crises = match crises {
                None => HistoryFile::packed()?.crises,
                Some(file) => read_crises(file)?,
            };
            let file = pack(observations::read_folder(folder)?, crises, *from, *to)?;
            let bytes = file.to_bytes();
            std::fs::write(out, &bytes).with_context(|| format!("cannot write {}", out.display()))?;
            result_line!(
                "{}: {} rows of {} series, {} crises, {} bytes",
                out.display(),
                file.row_count(),
                file.series.len(),
                file.crises.len(),
                bytes.len()
            );
        }
        HistoryCommand::Reconstruct { out } => {
            let history = HistoryFile::packed()?;
            let past = Reconstructor::new(Method::default_text(), &history)?.reconstruct(&history);
            let text = serde_json::to_string(&past)?;
            match out {
                Some(file) => {
                    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
                }
                None => result_line!("{text}"),
            }
        }
        HistoryCommand::Show { file, json } => show(&read(file.as_deref())?, *json),
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a packed file. The default is the one in the program.
pub fn read(file: Option<&Path>) -> anyhow::Result<HistoryFile> {
    let Some(path) = file else { return Ok(HistoryFile::packed()?) };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    HistoryFile::parse(&bytes).with_context(|| path.display().to_string())
}

pub fn read_crises(path: &Path) -> anyhow::Result<Vec<Crisis>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse_crises(&text).with_context(|| path.display().to_string())
}

/// Reads the decisions: the origin of each series that may be republished, or `None`.
fn decisions(table: &str) -> anyhow::Result<BTreeMap<&str, Option<SeriesOrigin>>> {
    let mut lines = table.lines();
    if lines.next() != Some(DECISION_COLUMNS) {
        bail!("the first line of the decisions is not {DECISION_COLUMNS:?}");
    }
    let mut decided = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let [series, decision, feed, publisher, licence, retrieved, released, attribution, why] = cells[..]
        else {
            bail!("a decision must have nine columns: {line:?}");
        };
        if why.is_empty() {
            bail!("the decision on {series} has no reason");
        }
        let origin = match decision {
            "left out" => None,
            "packed" => Some(SeriesOrigin {
                feed: feed.to_owned(),
                publisher: publisher.to_owned(),
                licence: licence.to_owned(),
                retrieved: retrieved.to_owned(),
                released: released.to_owned(),
                attribution: attribution.to_owned(),
            }),
            other => bail!("the decision on {series} is {other:?}, neither packed nor left out"),
        };
        if decided.insert(series, origin).is_some() {
            bail!("there are two decisions on {series}");
        }
    }
    Ok(decided)
}

/// Packs the rows of the days `from..=to` of every series that may be republished. `rows` are sorted by series and period.
fn pack(rows: Vec<Observation>, crises: Vec<Crisis>, from: Day, to: Day) -> anyhow::Result<HistoryFile> {
    if from > to {
        bail!(ConfigError::Invalid("--from is after --to".into()));
    }
    let decided = decisions(DECISIONS)?;
    let mut series = Vec::new();
    let mut left_out = Vec::new();
    for rows in rows.chunk_by(|a, b| a.series == b.series) {
        let name = rows[0].series.as_str();
        match decided.get(name) {
            None => bail!(
                "there is no decision whether {name} may be republished; add a line to method/history/series.tsv"
            ),
            Some(None) => left_out.push(name),
            Some(Some(origin)) => series.push(packed_series(name, origin, rows, from, to)?),
        }
    }
    let is_packed = |name: &str| series.iter().any(|s| s.name == name);
    if let Some((name, _)) = decided.iter().find(|(name, origin)| origin.is_some() && !is_packed(name)) {
        bail!("{name} is to be packed, but no file has it");
    }
    notice!("gsi-lab: left out by decision: {}", left_out.join(", "));
    Ok(HistoryFile { from, to, series, crises })
}

fn packed_series(
    name: &str,
    origin: &SeriesOrigin,
    rows: &[Observation],
    from: Day,
    to: Day,
) -> anyhow::Result<PackedSeries> {
    let mut packed: Vec<PackedRow> = Vec::new();
    for row in rows.iter().filter(|o| o.period_start >= from.start() && o.period_end <= to.end()) {
        if let Some(last) = packed.last().filter(|last| last.period_end == row.period_end) {
            if last.value == row.value {
                continue;
            }
            if last.known_at == row.known_at {
                bail!("{name} has two values for {} that became known together", row.period_start);
            }
        }
        packed.push(PackedRow {
            period_start: row.period_start,
            period_end: row.period_end,
            known_at: row.known_at,
            value: row.value,
        });
    }
    if packed.is_empty() {
        bail!("{name} has no row between {from} and {to}");
    }
    Ok(PackedSeries { name: name.to_owned(), origin: origin.clone(), rows: packed })
}

fn show(file: &HistoryFile, as_json: bool) {
    let span = |s: &PackedSeries| match (s.rows.first(), s.rows.last()) {
        (Some(first), Some(last)) => {
            (first.period_start.day().to_string(), last.period_start.day().to_string())
        }
        _ => Default::default(),
    };
    if as_json {
        let series = file.series.iter().map(|s| {
            let (from, to) = span(s);
            json!({
                "series": s.name, "feed": s.origin.feed, "from": from, "to": to, "rows": s.rows.len(),
                "publisher": s.origin.publisher, "licence": s.origin.licence, "retrieved": s.origin.retrieved,
                "released": s.origin.released, "attribution": s.origin.attribution,
            })
        });
        let crises = file.crises.iter().map(|c| {
            let pillars: Vec<&str> = c.pillars.iter().map(|p| p.key()).collect();
            json!({
                "name": c.name, "date": c.start.to_string(), "end": c.end.to_string(), "tier": c.tier, "pillars": pillars,
            })
        });
        let shown = json!({
            "format": HistoryFile::FORMAT, "from": file.from.to_string(), "to": file.to.to_string(),
            "rows": file.row_count(), "series": series.collect::<Vec<_>>(), "crises": crises.collect::<Vec<_>>(),
        });
        result_line!("{shown:#}");
        return;
    }
    let (format, rows) = (HistoryFile::FORMAT, file.row_count());
    result_line!(
        "format {format}, {} to {}, {rows} rows of {} series",
        file.from,
        file.to,
        file.series.len()
    );
    for s in &file.series {
        let (from, to) = span(s);
        result_line!();
        result_line!("{}  {from} to {to}, {} rows", s.name, s.rows.len());
        result_line!("  {} ({})", s.origin.publisher, s.origin.licence);
        result_line!("  {}", s.origin.attribution);
        result_line!("  values: {}; known: {}", s.origin.retrieved, s.origin.released);
    }
    result_line!();
    result_line!("{} crises", file.crises.len());
    for c in &file.crises {
        let pillars: Vec<&str> = c.pillars.iter().map(|p| p.key()).collect();
        result_line!("  {} to {}  {}  {} ({})", c.start, c.end, c.tier, c.name, pillars.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(series: &str) -> Vec<Observation> {
        let text = format!(
            "{}\n{series},2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z,1.5\n",
            observations::HEADER
        );
        observations::decode(text.as_bytes()).unwrap().observations
    }

    #[test]
    fn every_series_needs_a_decision_and_every_decision_a_series() {
        let from_to = |text: &str| Day::parse_iso(text).unwrap();
        let pack = |rows| {
            pack(rows, Vec::new(), from_to("2020-01-01"), from_to("2020-12-31")).unwrap_err().to_string()
        };
        assert!(
            pack(rows("somebody.else"))
                .contains("there is no decision whether somebody.else may be republished")
        );
        assert!(pack(rows("cboe.vix")).contains("is to be packed, but no file has it"));
        for bad in [
            "series\n".to_owned(),
            format!("{DECISION_COLUMNS}\na.b\tpacked\n"),
            format!("{DECISION_COLUMNS}\na.b\tperhaps\tf\tp\tl\tr\tr\ta\tw\n"),
            format!("{DECISION_COLUMNS}\na.b\tpacked\tf\tp\tl\tr\tr\ta\t\n"),
            format!(
                "{DECISION_COLUMNS}\na.b\tleft out\tf\tp\tl\tr\tr\ta\tw\na.b\tleft out\tf\tp\tl\tr\tr\ta\tw\n"
            ),
        ] {
            assert!(decisions(&bad).is_err(), "{bad}");
        }
    }

    /// The decisions agree with the licences in the feeds' origin records.
    #[test]
    fn the_packed_series_are_those_that_decisions_and_feeds_allow() {
        let decided = decisions(DECISIONS).unwrap();
        let wanted: Vec<(&str, &SeriesOrigin)> =
            decided.iter().filter_map(|(name, origin)| Some((*name, origin.as_ref()?))).collect();
        let file = HistoryFile::packed().unwrap();
        let packed: Vec<(&str, &SeriesOrigin)> =
            file.series.iter().map(|s| (s.name.as_str(), &s.origin)).collect();
        assert_eq!(packed, wanted);
        for (name, origin) in packed {
            if let Some(connector) = gsi_feeds::connector(&origin.feed) {
                let live = connector.origin();
                assert!(live.licence.republish, "{name}: {}", live.licence.name);
                assert!(
                    connector.series().iter().any(|s| s.series == name),
                    "{name} is no series of {}",
                    live.feed
                );
            }
        }
    }
}
