//! Rows from a running service, page by page.

use super::manifest::{MethodNamed, Provenance, SourceNamed};
use super::row::{ExportCell, ExportRow};
use super::sink::ExportSink;
use super::source::ExportSource;
use super::window::ExportWindow;
use crate::cli::ExportKind;
use anyhow::{Context, bail};
use gsi_model::{CountryCode, DAY, Timestamp};
use reqwest::header::RETRY_AFTER;
use serde_json::Value;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(60);
/// An answer has at most 2000 quarter hours.
const DAYS_AT_ONCE: i64 = 20;
const PAGE: usize = 200;
/// Maximum retries of a request when the service asks to wait, and the longest wait.
const MOST_WAITS: u32 = 20;
const LONGEST_WAIT_SECONDS: u64 = 120;

pub struct ServiceSource {
    runtime: tokio::runtime::Runtime,
    client: reqwest::Client,
    url: url::Url,
    key: String,
}

struct ServiceAnswer {
    body: Value,
    is_simulated: bool,
}

impl ServiceSource {
    pub fn new(url: url::Url, key: String) -> anyhow::Result<Self> {
        // The process may have installed the same provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(ServiceSource { runtime, client, url, key })
    }

    /// Returns the answer. Waits and asks again if the service requests it.
    fn get(&self, path: &str, query: &[(&str, String)]) -> anyhow::Result<ServiceAnswer> {
        let mut address = self.url.join(path)?;
        if !query.is_empty() {
            address.query_pairs_mut().extend_pairs(query);
        }
        self.runtime.block_on(async {
            for _ in 0..MOST_WAITS {
                let answer = self.client.get(address.clone()).bearer_auth(&self.key).send().await;
                let response = answer.map_err(|e| e.without_url()).context("cannot reach the service")?;
                let status = response.status().as_u16();
                let header = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok());
                let wait = header(RETRY_AFTER.as_str()).and_then(|v| v.parse::<u64>().ok());
                let is_simulated = header("gsi-simulated").is_some();
                let bytes =
                    response.bytes().await.map_err(|e| e.without_url()).context("cannot read the answer")?;
                if status == 200 {
                    let body = serde_json::from_slice(&bytes).context("cannot read the answer")?;
                    return Ok(ServiceAnswer { body, is_simulated });
                }
                match wait {
                    Some(seconds) if matches!(status, 429 | 503) && seconds <= LONGEST_WAIT_SECONDS => {
                        tokio::time::sleep(Duration::from_secs(seconds)).await;
                    }
                    _ => {
                        let problem: Value = serde_json::from_slice(&bytes).unwrap_or_default();
                        bail!(
                            "{path}: {status} {}",
                            problem["detail"].as_str().unwrap_or("without a reason")
                        );
                    }
                }
            }
            bail!("{path}: the service is still too busy after {MOST_WAITS} tries")
        })
    }

    /// Reads every page of a list.
    fn pages(
        &self,
        path: &str,
        query: &[(&str, String)],
        mut each: impl FnMut(&Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut query_of_page = query.to_vec();
        loop {
            let page = self.get(path, &query_of_page)?.body;
            each(&page)?;
            let Some(next) = page["next_cursor"].as_str() else { return Ok(()) };
            query_of_page.truncate(query.len());
            query_of_page.push(("cursor", next.to_owned()));
        }
    }

    fn scores(&self, window: ExportWindow, sink: &mut ExportSink) -> anyhow::Result<()> {
        for piece in window.pieces(DAYS_AT_ONCE * DAY) {
            let mut query = quarter_hours(piece);
            query.push(("series", "all".to_owned()));
            let body = self.get("/v1/global-stability/history", &query)?.body;
            let pillars = ["conflict", "cyber", "supply_chain", "macro"].map(|p| items(&body["pillars"][p]));
            let mut next = [0; 4];
            for point in items(&body["points"]) {
                let mut row = published(point)?;
                row.push(ExportCell::Number(number(&point["last"])?));
                for (points, next) in pillars.iter().zip(&mut next) {
                    // Both are in chronological order.
                    while points.get(*next).is_some_and(|p| p["at"].as_str() < point["at"].as_str()) {
                        *next += 1;
                    }
                    let same = points.get(*next).filter(|p| p["at"] == point["at"]);
                    row.push(ExportCell::maybe_number(same.and_then(|p| p["last"].as_f64())));
                }
                sink.row(row)?;
            }
            sink.reached(window.share_before(piece.to));
        }
        Ok(())
    }

    fn events(&self, window: ExportWindow, sink: &mut ExportSink) -> anyhow::Result<()> {
        let mut query = list(window);
        query.push(("format", "geojson".to_owned()));
        self.pages("/v1/conflict", &query, |page| {
            for feature in items(&page["features"]) {
                let event = &feature["properties"];
                let at = time(&event["occurred_at"])?;
                let actors: Vec<&str> = items(&event["actors"]).iter().filter_map(Value::as_str).collect();
                let place = &feature["geometry"]["coordinates"];
                sink.reached(1.0 - window.share_before(at));
                sink.row(vec![
                    text(&feature["id"])?,
                    ExportCell::Time(at),
                    ExportCell::Number(number(&place[1])?),
                    ExportCell::Number(number(&place[0])?),
                    ExportCell::maybe_text(event["country"].as_str().map(str::to_owned)),
                    text(&event["place"])?,
                    text(&event["category"])?,
                    text(&event["status"])?,
                    ExportCell::Number(number(&event["escalation"])?),
                    ExportCell::text(actors.join("; ")),
                ])?;
            }
            Ok(())
        })
    }

    fn briefings(&self, window: ExportWindow, sink: &mut ExportSink) -> anyhow::Result<()> {
        self.pages("/v1/briefings", &list(window), |page| {
            for briefing in items(&page["briefings"]) {
                let at = time(&briefing["published_at"])?;
                let tags: Vec<&str> = items(&briefing["tags"]).iter().filter_map(Value::as_str).collect();
                sink.reached(1.0 - window.share_before(at));
                sink.row(vec![
                    text(&briefing["id"])?,
                    ExportCell::Time(at),
                    text(&briefing["headline"])?,
                    text(&briefing["summary"])?,
                    ExportCell::text(tags.join("; ")),
                ])?;
            }
            Ok(())
        })
    }

    fn countries(&self, window: ExportWindow, sink: &mut ExportSink) -> anyhow::Result<()> {
        let all = CountryCode::all();
        for (n, country) in all.iter().enumerate() {
            for piece in window.pieces(DAYS_AT_ONCE * DAY) {
                let path = format!("/v1/countries/{}/history", country.as_str());
                for point in items(&self.get(&path, &quarter_hours(piece))?.body["points"]) {
                    let mut row = vec![ExportCell::text(country.as_str()), ExportCell::text(country.name())];
                    row.extend(published(point)?);
                    row.push(ExportCell::Number(number(&point["last"])?));
                    sink.row(row)?;
                }
            }
            sink.reached((n + 1) as f64 / all.len() as f64);
        }
        Ok(())
    }
}

impl ExportSource for ServiceSource {
    fn provenance(&self) -> anyhow::Result<Provenance> {
        let newest = self.get("/v1/global-stability/explain", &[])?;
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let source = |feed: &Value| SourceNamed {
            feed: word(&feed["feed"]),
            publisher: word(&feed["publisher"]),
            homepage: word(&feed["homepage"]),
            licence: word(&feed["licence"]),
            attribution: word(&feed["attribution"]),
        };
        Ok(Provenance {
            as_of: time(&newest.body["as_of"])?,
            is_simulated: newest.is_simulated,
            method: MethodNamed {
                version: word(&newest.body["method"]["version"]),
                digest: word(&newest.body["method"]["digest"]),
            },
            sources: items(&self.get("/v1/feeds", &[])?.body["feeds"]).iter().map(source).collect(),
        })
    }

    fn export(
        &self,
        what: ExportKind,
        window: ExportWindow,
        _: Timestamp,
        sink: &mut ExportSink,
    ) -> anyhow::Result<()> {
        match what {
            ExportKind::Scores => self.scores(window, sink),
            ExportKind::Events => self.events(window, sink),
            ExportKind::Briefings => self.briefings(window, sink),
            ExportKind::Countries => self.countries(window, sink),
            ExportKind::Observations => bail!("a service has no list of observations"),
        }
    }
}

fn quarter_hours(window: ExportWindow) -> Vec<(&'static str, String)> {
    vec![("from", window.from.to_string()), ("to", window.to.to_string()), ("step", "15m".to_owned())]
}

fn list(window: ExportWindow) -> Vec<(&'static str, String)> {
    vec![("since", window.from.to_string()), ("until", window.to.to_string()), ("limit", PAGE.to_string())]
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn published(point: &Value) -> anyhow::Result<ExportRow> {
    Ok(vec![
        ExportCell::Time(time(&point["at"])?),
        ExportCell::Time(time(&point["published_at"])?),
        ExportCell::Flag(point["late"].as_bool().unwrap_or(false)),
    ])
}

fn number(value: &Value) -> anyhow::Result<f64> {
    value.as_f64().with_context(|| format!("{value} is not a number"))
}

fn text(value: &Value) -> anyhow::Result<ExportCell> {
    value.as_str().map(ExportCell::text).with_context(|| format!("{value} is not a text"))
}

fn time(value: &Value) -> anyhow::Result<Timestamp> {
    value.as_str().and_then(|text| text.parse().ok()).with_context(|| format!("{value} is not a time"))
}
