//! `gsi history`: the real past that comes with the program, packed into one file and shown.
//!
//! `method/history/series.tsv` says of every series whether it may be passed on, and why. A series that it does not know is
//! not packed silently and not left out silently: the command stops and asks for a decision.

use crate::cli::HistoryCommand;
use crate::config::ConfigError;
use crate::observations;
use crate::past;
use crate::results::{notice, result_line};
use anyhow::{Context, bail};
use gsi_index::backtest::parse_crises;
use gsi_index::{HistoryFile, PackedRow, PackedSeries, SeriesOrigin};
use gsi_model::{Crisis, Day, Observation};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

const DECISIONS: &str = include_str!("../../../../method/history/series.tsv");
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
        HistoryCommand::Reconstruct { out, parent } => {
            if let Some(parent) = parent {
                past::end_with(*parent)?;
            }
            match out {
                Some(file) => past::keep(file)?,
                None => result_line!("{}", serde_json::to_string(&past::compute()?)?),
            }
        }
        HistoryCommand::Show { file, json } => show(&read(file.as_deref())?, *json),
    }
    Ok(ExitCode::SUCCESS)
}

/// A packed file, or the one this program was built with.
pub fn read(file: Option<&Path>) -> anyhow::Result<HistoryFile> {
    let Some(path) = file else { return Ok(HistoryFile::packed()?) };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    HistoryFile::parse(&bytes).with_context(|| path.display().to_string())
}

pub fn read_crises(path: &Path) -> anyhow::Result<Vec<Crisis>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse_crises(&text).with_context(|| path.display().to_string())
}

/// Whether a series may be passed on: its origin, or nothing.
fn decisions(table: &str) -> anyhow::Result<BTreeMap<&str, Option<SeriesOrigin>>> {
    let mut lines = table.lines();
    if lines.next() != Some(DECISION_COLUMNS) {
        bail!("the first line of the table of decisions is not {DECISION_COLUMNS:?}");
    }
    let mut decided = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let [series, decision, feed, publisher, licence, retrieved, released, attribution, why] = cells[..]
        else {
            bail!("a decision has nine columns: {line:?}");
        };
        if why.is_empty() {
            bail!("the decision on {series} gives no reason");
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

/// The rows of the days `from..=to` of every series that may be passed on. `rows` are ordered by series and period.
fn pack(rows: Vec<Observation>, crises: Vec<Crisis>, from: Day, to: Day) -> anyhow::Result<HistoryFile> {
    if from > to {
        bail!(ConfigError::Invalid("--from lies after --to".into()));
    }
    let decided = decisions(DECISIONS)?;
    let mut series = Vec::new();
    let mut left_out = Vec::new();
    for rows in rows.chunk_by(|a, b| a.series == b.series) {
        let name = rows[0].series.as_str();
        match decided.get(name) {
            None => bail!(
                "nobody has decided whether {name} may be passed on; add a line to method/history/series.tsv"
            ),
            Some(None) => left_out.push(name),
            Some(Some(origin)) => series.push(packed_series(name, origin, rows, from, to)?),
        }
    }
    let is_packed = |name: &str| series.iter().any(|s| s.name == name);
    if let Some((name, _)) = decided.iter().find(|(name, origin)| origin.is_some() && !is_packed(name)) {
        bail!("{name} is to be packed, and no file holds it");
    }
    notice!("gsi: left out as decided: {}", left_out.join(", "));
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
            pack(rows("somebody.else")).contains("nobody has decided whether somebody.else may be passed on")
        );
        assert!(pack(rows("cboe.vix")).contains("is to be packed, and no file holds it"));
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

    /// The table and the feeds' own origin records say the same about who may pass what on.
    #[test]
    fn what_is_packed_is_what_was_decided_and_what_its_feed_allows() {
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
