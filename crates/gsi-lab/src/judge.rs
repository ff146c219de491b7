//! `gsi-lab events judge`: judges raw event files as the service does, article by article and event by event.

use anyhow::{Context, bail};
use gsi::result_line;
use gsi_events::{EventClusterer, EventFilter, JudgedArticle, judge_articles};
use gsi_feeds::{Payload, gdelt};
use gsi_model::{Event, EventChange, NewsRow, NewsSlot, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The output.
#[derive(Debug, Serialize)]
struct JudgedFiles {
    rows: usize,
    articles: Vec<ArticleLine>,
    /// Highest escalation first.
    events: Vec<EventLine>,
}

#[derive(Debug, Serialize)]
struct ArticleLine {
    file: Timestamp,
    address: String,
    rows: usize,
    /// The probability that the article reports a real, current event. Missing if the filter was not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    kept: bool,
    /// Why the article was not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
}

#[derive(Debug, Serialize)]
struct EventLine {
    event: String,
    escalation: f64,
    status: &'static str,
    category: &'static str,
    place: String,
    country: Option<String>,
    lat: f64,
    lon: f64,
    sides: Vec<String>,
    probability: Option<f64>,
    first_seen: Timestamp,
    last_seen: Timestamp,
    /// The number of distinct sites. Copies of a wire story count once.
    domains: u32,
    sources: Vec<String>,
}

struct EventFile {
    stamp: Timestamp,
    rows: Vec<NewsRow>,
    slots: Vec<NewsSlot>,
}

pub fn run(files: &[PathBuf], json: bool) -> anyhow::Result<ExitCode> {
    let judged = judge(files)?;
    if json {
        result_line!("{}", serde_json::to_string_pretty(&judged)?);
    } else {
        print(&judged);
    }
    Ok(ExitCode::SUCCESS)
}

fn judge(paths: &[PathBuf]) -> anyhow::Result<JudgedFiles> {
    let mut files = paths.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    files.sort_by_key(|f| f.stamp);
    if let Some(twice) = files.windows(2).find(|pair| pair[0].stamp == pair[1].stamp) {
        bail!("two files are of {}; each moment has one file", twice[0].stamp);
    }
    let mut clusterer = EventClusterer::default();
    let mut events: BTreeMap<String, Event> = BTreeMap::new();
    for file in &files {
        for change in clusterer.advance(file.stamp, &file.rows, &file.slots).changes {
            match change {
                EventChange::Put(version) => drop(events.insert(version.event.id.to_string(), version.event)),
                EventChange::Merged { gone, .. } => drop(events.remove(gone.as_str())),
            }
        }
    }
    let mut event_of: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, event) in &events {
        event_of.extend(event.sources.iter().map(|s| (s.url.as_str(), id.as_str())));
    }
    let filter = EventFilter::shipped();
    let mut articles = Vec::new();
    for file in &files {
        let judged = judge_articles(&filter, &file.rows);
        articles.extend(judged.iter().map(|article| article_line(file.stamp, article, &event_of)));
    }
    let mut events: Vec<EventLine> = events.values().map(event_line).collect();
    events.sort_by(|a, b| b.escalation.total_cmp(&a.escalation).then_with(|| a.event.cmp(&b.event)));
    Ok(JudgedFiles { rows: files.iter().map(|f| f.rows.len()).sum(), articles, events })
}

fn read(path: &Path) -> anyhow::Result<EventFile> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let payload = Payload::new(&name, &bytes, Timestamp::MAX);
    let decoded = gdelt::decode(&payload)
        .with_context(|| format!("{} is not a GDELT 2.0 event file", path.display()))?;
    let mut stamps: Vec<Timestamp> = decoded.slots.iter().map(|s| s.stamp).collect();
    stamps.sort_unstable();
    match stamps[..] {
        [stamp] => Ok(EventFile { stamp, rows: decoded.rows, slots: decoded.slots }),
        [] => bail!("{} has no event rows; a mentions file has none", path.display()),
        [..] => bail!("{} has rows of {} moments; an event file has one", path.display(), stamps.len()),
    }
}

fn article_line(
    file: Timestamp,
    article: &JudgedArticle<'_>,
    event_of: &BTreeMap<&str, &str>,
) -> ArticleLine {
    let address = article.rows.first().map(|r| r.url.to_string()).unwrap_or_default();
    let report = article.verdict.report.as_ref();
    ArticleLine {
        file,
        rows: article.rows.len(),
        probability: article.verdict.probability,
        kept: report.is_ok(),
        reason: report.err().map(|reason| reason.key()),
        category: report.ok().map(|r| r.category.key()),
        country: report.ok().map(|r| r.place.country.to_string()),
        event: event_of.get(address.as_str()).map(|id| (*id).to_owned()),
        address,
    }
}

fn event_line(event: &Event) -> EventLine {
    EventLine {
        event: event.id.to_string(),
        escalation: event.escalation,
        status: event.status.key(),
        category: event.category.key(),
        place: event.place.clone(),
        country: event.country.map(|c| c.to_string()),
        lat: event.lat,
        lon: event.lon,
        sides: event.actors.clone(),
        probability: event.probability,
        first_seen: event.occurred_at,
        last_seen: event.last_activity,
        domains: event.domains,
        sources: event.sources.iter().map(|s| s.url.clone()).collect(),
    }
}

fn print(judged: &JudgedFiles) {
    let kept = judged.articles.iter().filter(|a| a.kept).count();
    result_line!(
        "{} rows of {} articles; {kept} articles kept; {} events",
        judged.rows,
        judged.articles.len(),
        judged.events.len()
    );
    result_line!("\nprobability  outcome                                    address");
    for article in &judged.articles {
        let probability = article.probability.map_or("-".to_owned(), |p| format!("{p:.2}"));
        let outcome = match (article.reason, article.category, &article.country, &article.event) {
            (Some(reason), ..) => format!("out: {reason}"),
            (None, Some(category), Some(country), Some(event)) => format!("{category} {country} {event}"),
            (None, category, country, _) => {
                format!("{} {} counted only", category.unwrap_or("-"), country.as_deref().unwrap_or("-"))
            }
        };
        result_line!("{probability:>11}  {outcome:<41}  {}", article.address);
    }
    result_line!("\nescalation  status       category  event");
    for event in &judged.events {
        result_line!(
            "{:>10.3}  {:<11}  {:<8}  {} · {} · {} · {} of {} · {}",
            event.escalation,
            event.status,
            event.category,
            event.event,
            event.place,
            event.sides.join(" and "),
            event.domains,
            event.sources.len(),
            event.sources.join(" ")
        );
    }
}
