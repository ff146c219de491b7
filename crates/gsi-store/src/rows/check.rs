//! Checks before a write, so that a backend never stores data that it cannot read back.

use crate::{Result, StoreError, TickCommit};
use gsi_model::{
    Confidence, CountrySnapshot, Event, EventChange, IndicatorScore, NewsRow, NewsSlot, Observation,
    PillarScore, Snapshot,
};

pub fn commit(commit: &TickCommit) -> Result<()> {
    match (&commit.snapshot, &commit.summary) {
        (Some(snapshot), Some(_)) => {
            if snapshot.tick != commit.tick {
                return refuse(format!("a snapshot of {} in the commit of {}", snapshot.tick, commit.tick));
            }
            finite("a snapshot", snapshot_numbers(snapshot))?;
        }
        (None, None) => {}
        _ => return refuse("a snapshot and its summary must be published together".to_owned()),
    }
    if let Some(countries) = &commit.countries {
        if commit.snapshot.is_none() || countries.tick != commit.tick {
            return refuse(format!("countries of {} need a snapshot of that tick", countries.tick));
        }
        finite("the countries", country_numbers(countries))?;
    }
    for change in &commit.events {
        if let EventChange::Put(version) = change {
            let event = &version.event;
            finite(event.id.as_str(), event_numbers(event))?;
            stored_id(event.first_row)?;
        }
    }
    data(&commit.observations, &commit.slots, &commit.rows)
}

pub fn data(observations: &[Observation], slots: &[NewsSlot], rows: &[NewsRow]) -> Result<()> {
    for o in observations {
        finite(&o.series, [o.value, o.quality])?;
    }
    for s in slots {
        finite(
            "a news slot",
            [s.conflict, s.threat].into_iter().chain(s.countries.iter().map(|c| c.conflict)),
        )?;
    }
    for r in rows {
        finite("a news row", [r.goldstein, r.tone])?;
        finite("a news row", r.geo.iter().flat_map(|g| [g.lat, g.lon]))?;
        stored_id(r.id)?;
    }
    Ok(())
}

/// Databases have signed 64-bit integers; publishers' numbers are far smaller.
pub fn stored_id(id: u64) -> Result<i64> {
    i64::try_from(id).map_err(|_| StoreError::Refused(format!("row number {id} is out of range")))
}

fn refuse(why: String) -> Result<()> {
    Err(StoreError::Refused(why))
}

/// JSON writes NaN as null, which cannot be read back as a number.
fn finite(what: &str, numbers: impl IntoIterator<Item = f64>) -> Result<()> {
    match numbers.into_iter().all(f64::is_finite) {
        true => Ok(()),
        false => refuse(format!("{what} has a number that is not finite")),
    }
}

fn event_numbers(e: &Event) -> [f64; 11] {
    let p = &e.parts;
    [
        e.lat,
        e.lon,
        e.escalation,
        e.intensity,
        p.intensity,
        p.tempo,
        p.corroboration,
        p.gravity,
        p.departure,
        p.reliability,
        e.probability.unwrap_or(0.0),
    ]
}

fn country_numbers(s: &CountrySnapshot) -> impl Iterator<Item = f64> {
    s.countries.iter().flat_map(|c| {
        let own = [Some(c.coverage), c.score, c.delta_24h, c.year_share_below].into_iter().flatten();
        let indicators = c.indicators().flat_map(|i| [i.value, i.score, i.weight, i.contribution]);
        own.chain(c.pillars.iter().map(|p| p.score)).chain(indicators)
    })
}

fn snapshot_numbers(s: &Snapshot) -> impl Iterator<Item = f64> {
    [s.score, s.unsmoothed, s.momentum, s.low, s.high, s.coverage]
        .into_iter()
        .chain([s.delta_24h, s.percentile_10y, s.coupling].into_iter().flatten())
        .chain(confidence_numbers(&s.confidence))
        .chain(s.pillars.iter().flat_map(pillar_numbers))
}

fn pillar_numbers(p: &PillarScore) -> impl Iterator<Item = f64> {
    [p.score, p.unsmoothed, p.coverage, p.weight, p.contribution]
        .into_iter()
        .chain([p.delta_24h, p.standard_error].into_iter().flatten())
        .chain(confidence_numbers(&p.confidence))
        .chain(p.indicators.iter().flat_map(indicator_numbers))
}

fn confidence_numbers(c: &Confidence) -> [f64; 4] {
    [c.value, c.coverage, c.calibration, c.agreement]
}

fn indicator_numbers(i: &IndicatorScore) -> impl Iterator<Item = f64> {
    let always = [
        i.calibration,
        i.weight,
        i.freshness,
        i.quality,
        i.effective_weight,
        i.pillar_contribution,
        i.contribution,
    ];
    let sometimes = [
        i.value,
        i.survival,
        i.score,
        i.pillar_data_effect,
        i.pillar_coverage_effect,
        i.data_effect,
        i.coverage_effect,
    ];
    always.into_iter().chain(sometimes.into_iter().flatten())
}
