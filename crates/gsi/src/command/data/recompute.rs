//! `gsi recompute`: computes a published snapshot and its countries again from their downloaded inputs alone.

use crate::cli;
use crate::notice;
use anyhow::{Context, bail};
use gsi_api::{InputCountries, InputRow, Inputs};
use gsi_index::{CountryEngine, CountryInputs, CountryMethod, Engine, Method, SeriesTable};
use gsi_model::{
    CountryCode, CountrySnapshot, DAY, FeedId, NewsSlot, Observation, SlotCountry, Snapshot, Timestamp,
};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

/// Ten times the size of ten years of inputs.
const MAX_BYTES: u64 = 512 << 20;
/// The comparison found a difference.
const DIFFERENT: u8 = 3;

pub fn run(arguments: &cli::Recompute) -> anyhow::Result<ExitCode> {
    let place = arguments.inputs.display().to_string();
    let bytes = read(arguments).with_context(|| format!("cannot read {place}"))?;
    let inputs: Inputs = serde_json::from_slice(&bytes)
        .with_context(|| format!("{place} does not hold the inputs of a snapshot"))?;
    if inputs.format != Inputs::FORMAT {
        bail!("{place} has format {}, and this program reads format {}", inputs.format, Inputs::FORMAT);
    }
    if !inputs.withheld.is_empty() {
        bail!("the service may not republish {}, so {place} is incomplete", inputs.withheld.join(", "));
    }
    let table = table(&inputs)?;
    let snapshot = compute(&inputs, &table)?;
    let countries = inputs.countries.as_ref().map(|given| countries(&inputs, given, &table)).transpose()?;
    let body = match arguments.form.as_str() {
        "overview" => gsi_api::overview_body(&snapshot),
        "record" => Some(serde_json::to_vec(&snapshot)?.into()),
        "countries" => {
            let countries = countries.as_ref().with_context(|| format!("{place} has no countries in it"))?;
            Some(serde_json::to_vec(countries)?.into())
        }
        _ => gsi_api::explain_body(&snapshot, inputs.published_at),
    };
    let body = body.context("cannot format the snapshot")?;
    let mut out = std::io::stdout().lock();
    out.write_all(&body)?;
    out.flush()?;
    if snapshot.id.as_str() != inputs.snapshot {
        notice!("gsi: the inputs of {} give {}", inputs.snapshot, snapshot.id);
        return Ok(ExitCode::from(DIFFERENT));
    }
    if let Some((given, computed)) = inputs.countries.as_ref().zip(countries.as_ref())
        && given.digest != InputCountries::digest_of(computed)
    {
        notice!("gsi: the countries of {} differ", inputs.as_of);
        return Ok(ExitCode::from(DIFFERENT));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(arguments: &cli::Recompute) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if arguments.inputs.as_os_str() == "-" {
        std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(&arguments.inputs)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        bail!("the file is longer than {MAX_BYTES} bytes");
    }
    Ok(bytes)
}

/// Returns the method that the inputs contain.
fn method(inputs: &Inputs) -> anyhow::Result<Method> {
    Method::from_document(&inputs.method).context("the method in the inputs is refused")
}

/// Computes the countries of the same tick.
fn countries(
    inputs: &Inputs,
    given: &InputCountries,
    table: &SeriesTable,
) -> anyhow::Result<CountrySnapshot> {
    let rules = CountryMethod::from_document(&inputs.method["countries"])
        .context("the method for countries in the inputs is refused")?;
    let mut engine = CountryEngine::new(Arc::new(rules), method(inputs)?.parameters().clone());
    let computed = engine.compute(&CountryInputs {
        tick: inputs.as_of,
        simulated: inputs.simulated,
        table,
        events: &given.events,
        previous: given.previous.as_ref(),
        day_ago: given.day_ago.as_ref(),
    });
    Ok(computed.snapshot)
}

fn compute(inputs: &Inputs, table: &SeriesTable) -> anyhow::Result<Snapshot> {
    let method = Arc::new(method(inputs)?);
    let mut engine = Engine::new(method);
    let mut states: BTreeMap<Timestamp, Vec<u8>> = BTreeMap::new();
    if let Some(state) = &inputs.state {
        let bytes =
            data_encoding::BASE64.decode(state.bytes.as_bytes()).context("state.bytes is not Base64")?;
        states.insert(state.tick, bytes);
    }
    let mut last = None;
    for tick in &inputs.ticks {
        if states.last_key_value().is_some_and(|(before, _)| before >= tick) {
            bail!("the ticks are not in order at {tick}");
        }
        let previous = states.last_key_value().map(|(_, state)| state.as_slice());
        let state_at = |moment: Timestamp| states.range(..=moment).next_back().map(|(_, s)| s.clone());
        let computed = engine.compute(*tick, table, previous, &state_at, inputs.simulated);
        last = computed.snapshot;
        states.retain(|at, _| tick.since(*at) <= 2 * DAY);
        states.insert(*tick, computed.state);
    }
    let mut snapshot = last.context("the inputs do not lead to a snapshot")?;
    snapshot.feeds = inputs.feeds.clone();
    snapshot.context = inputs.context.clone();
    snapshot.beside = inputs.beside.clone();
    Ok(snapshot)
}

fn table(inputs: &Inputs) -> anyhow::Result<SeriesTable> {
    let mut table = SeriesTable::new();
    for series in &inputs.series {
        let feed = FeedId(series.feed.clone());
        for &(end, revision, known_at, value, quality) in &series.rows {
            let row: InputRow = (end, revision, known_at, value, quality);
            let (period_end, known_at) = (Timestamp::from_unix(row.0), Timestamp::from_unix(row.2));
            table.insert(&Observation {
                series: series.series.clone(),
                entity: series.entity.clone(),
                period_start: period_end,
                period_end,
                value,
                known_at,
                ingested_at: known_at,
                revision,
                quality,
                feed: feed.clone(),
                raw: String::new(),
            });
        }
    }
    for slot in &inputs.slots {
        let mut countries = Vec::with_capacity(slot.countries.len());
        for (name, articles, conflict) in &slot.countries {
            let country =
                CountryCode::from_iso2(name).with_context(|| format!("{name:?} is not a country"))?;
            countries.push(SlotCountry { country, articles: *articles, conflict: *conflict });
        }
        table.insert_slot(&NewsSlot {
            stamp: Timestamp::from_unix(slot.stamp),
            known_at: Timestamp::from_unix(slot.known_at),
            rows: 0,
            articles: slot.articles,
            conflict: slot.conflict,
            threat: slot.threat,
            cyber: slot.cyber,
            supply: slot.supply,
            countries,
        });
    }
    Ok(table)
}
