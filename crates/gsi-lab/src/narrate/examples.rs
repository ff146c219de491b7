//! `gsi-lab narrate --examples`: writes thirty summaries and thirty briefings from the simulated world, for a person to read aloud. The
//! same release writes the same examples.

use anyhow::Context;
use gsi::setup::{self, Plan};
use gsi::{Config, notice};
use gsi_model::{Briefing, Clock, CorrectionReason, DAY, HOUR, ScaledClock, TICK, Timestamp};
use gsi_pipeline::{Patience, Pipeline, Scene};
use gsi_sim::{Scenario, SimServer, World, WorldSettings};
use gsi_store::{BriefingQuery, Store};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Days of history for trends, records and streaks. The scenarios begin in the last days.
const DAYS_BEFORE: i64 = 34;
const DAYS_AFTER: i64 = 3;
/// Slow feeds are polled twice a day. Their files do not change more often, and a month takes seconds.
const SLOW_POLL_SECONDS: i64 = 12 * HOUR;
/// Fewer news rows than in the demo, for the same reason.
const ROWS_PER_SLOT: f64 = 60.0;
const SEED: u64 = 7;

/// Each scenario with its pillar.
const SCENARIOS: [(&str, &str); 7] = [
    ("calm", "supply_chain"),
    ("border_war", "conflict"),
    ("chokepoint_closure", "supply_chain"),
    ("worm", "cyber"),
    ("market_crash", "macro"),
    ("several", "cyber"),
    ("silence", "conflict"),
];

/// The times of the summaries, in hours after the scenario begins.
const MOMENTS: [i64; 4] = [-30, 2, 27, 67];

struct Examples {
    summaries: Vec<(String, String)>,
    briefings: Vec<(String, Briefing)>,
}

pub fn write_examples(config: &Config, folder: &Path) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut examples = Examples { summaries: Vec::new(), briefings: Vec::new() };
    for (scenario, pillar) in SCENARIOS {
        notice!("running {scenario}");
        run_scenario(config, scenario, pillar, &mut examples)?;
    }
    let save = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    save("summaries.md", summaries(&examples))?;
    save("briefings.md", briefings(&examples))?;
    notice!("{} summaries and {} briefings", examples.summaries.len(), examples.briefings.len());
    Ok(ExitCode::SUCCESS)
}

fn run_scenario(config: &Config, name: &str, pillar: &str, examples: &mut Examples) -> anyhow::Result<()> {
    let live: Timestamp = "2026-11-10T12:00:00Z".parse()?;
    let start = live.minus(DAYS_BEFORE * DAY);
    let end = live.plus(DAYS_AFTER * DAY);
    let world = World::new(WorldSettings {
        rows_per_slot: ROWS_PER_SLOT,
        scenario: Scenario::find(name)?,
        live,
        ..WorldSettings::new(SEED, start)
    });
    let clock = Arc::new(ScaledClock::held_at(start));
    let sim = SimServer::start(Arc::new(world), clock.clone())?;
    let store = Arc::new(gsi_store::SqliteStore::in_memory()?);
    let connectors = setup::active_connectors(config)?;
    let method = setup::load_method(config, &connectors)?;
    let plan = Plan {
        store,
        clock: clock.clone() as Arc<dyn Clock>,
        connectors,
        method,
        simulated: true,
        follows: false,
    };
    let fetcher = setup::simulated_fetcher(&sim.base_url())?;
    let mut pipeline = setup::open_pipeline(&plan, None, Arc::new(fetcher), Box::new(|_| {}))?;
    pipeline.set_patience(Patience { seconds: SLOW_POLL_SECONDS, until: Timestamp::MAX });
    let runtime = setup::tick_runtime()?;
    runtime.block_on(tick_through(&mut pipeline, &clock, start, end, name == "silence"))?;
    sim.stop();

    let summary_at = |at: Timestamp| -> anyhow::Result<Option<String>> {
        Ok(plan.store.published_at(at)?.map(|p| p.summary.text))
    };
    // In its first hours a new service has no past to compare with.
    let first_hours =
        if name == "calm" { vec![start.plus(4 * HOUR), start.plus(40 * HOUR)] } else { Vec::new() };
    for at in first_hours.into_iter().chain(MOMENTS.map(|hours| live.plus(hours * HOUR))) {
        if let Some(text) = summary_at(at)? {
            examples.summaries.push((format!("{name}, {at}"), text));
        }
    }
    let wanted = ["global", pillar];
    let mut of_day = briefings_of(&*plan.store, live.plus(DAY).day().plus(-1).0)?;
    of_day.retain(|b| wanted.contains(&b.subject.as_str()) || b.subject.starts_with("theater:"));
    let theater = of_day.iter().position(|b| b.subject.starts_with("theater:"));
    let mut chosen: Vec<Briefing> = Vec::new();
    chosen.extend(of_day.iter().filter(|b| wanted.contains(&b.subject.as_str())).cloned());
    chosen.extend(theater.map(|n| of_day[n].clone()));
    let next = briefings_of(&*plan.store, live.plus(DAY).day().0)?;
    chosen.extend(next.into_iter().find(|b| b.subject == "global"));
    examples.briefings.extend(chosen.into_iter().map(|b| (format!("{name}, {}", b.day()), b)));
    if name == "calm" {
        examples.briefings.extend(first_and_corrected(&plan, start)?);
    }
    Ok(())
}

/// Returns the briefing of the first day, and a correction of it.
fn first_and_corrected(plan: &Plan, start: Timestamp) -> anyhow::Result<Vec<(String, Briefing)>> {
    let day = start.day();
    let Some(first) = briefings_of(&*plan.store, day.0)?.into_iter().find(|b| b.subject == "global") else {
        return Ok(Vec::new());
    };
    let corrected = match Scene::load(&*plan.store, &plan.method, first.as_of)? {
        Some(scene) => gsi_narrate::correct(
            &scene.context(),
            &first,
            2,
            first.published_at.plus(6 * HOUR),
            CorrectionReason::RevisedData,
        ),
        None => None,
    };
    let mut both = vec![(format!("calm, {day}, the first day of a new service"), first)];
    both.extend(corrected.map(|d| (format!("calm, {day}, a correction"), d.briefing)));
    Ok(both)
}

async fn tick_through(
    pipeline: &mut Pipeline,
    clock: &ScaledClock,
    start: Timestamp,
    end: Timestamp,
    has_pause: bool,
) -> anyhow::Result<()> {
    let mut tick = start;
    while tick <= end {
        // In one scenario the service is off over a midnight, and its briefings of that day are late.
        let is_off =
            has_pause && tick > end.minus(2 * DAY + 14 * HOUR) && tick < end.minus(2 * DAY + 4 * HOUR);
        if !is_off {
            clock.hold_at(tick);
            pipeline.tick(tick).await?;
        }
        tick = tick.plus(TICK);
    }
    Ok(())
}

fn briefings_of(store: &dyn Store, day: i32) -> anyhow::Result<Vec<Briefing>> {
    let all = store.briefings(&BriefingQuery {
        as_of: Timestamp::MAX,
        since: Timestamp::MIN,
        until: Timestamp::MAX,
        tags: Vec::new(),
        after: None,
        limit: 1_000,
    })?;
    let mut of_day: Vec<Briefing> = all.into_iter().filter(|b| b.day == day).collect();
    let rank = |b: &Briefing| (b.subject != "global", b.subject.starts_with("theater:"));
    of_day
        .sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.facts.len().cmp(&a.facts.len())).then(a.id.cmp(&b.id)));
    Ok(of_day)
}

const ORIGIN: &str = "Written by `gsi-lab narrate --examples docs/examples` from the simulated world; no line was touched \
by hand. Run it again after a change to the wordings and read the difference aloud.";

fn summaries(examples: &Examples) -> String {
    let mut out = format!("# Thirty summaries\n\n{ORIGIN}\n");
    for (title, text) in &examples.summaries {
        let _ = write!(out, "\n## {title}\n{text}\n");
    }
    out
}

fn briefings(examples: &Examples) -> String {
    let mut out = format!("# Thirty briefings\n\n{ORIGIN}\n");
    for (title, b) in &examples.briefings {
        let tags: Vec<String> = b.tags.iter().map(|t| format!("`{t}`")).collect();
        let _ = write!(
            out,
            "\n## {title}, {}\n**{}**\n\n{}\n\n{}\n",
            b.subject,
            b.headline,
            b.summary,
            tags.join(" ")
        );
    }
    out
}
