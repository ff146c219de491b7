//! `gsi-lab narrate`: shows how the texts of a published tick are made, stage by stage, from the store.

mod examples;

pub use examples::write_examples;

use crate::cli::{Narrate, Stage};
use anyhow::bail;
use gsi::Config;
use gsi::setup;
use gsi_model::Timestamp;
use gsi_narrate::{Narration, Outcome};
use gsi_pipeline::Scene;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

pub fn run(config: &Config, arguments: &Narrate) -> anyhow::Result<ExitCode> {
    let store = setup::existing_store(config)?;
    let method = setup::load_method(config, &setup::active_connectors(config)?)?;
    let as_of = arguments.as_of.unwrap_or(Timestamp::MAX);
    let Some(scene) = Scene::load(&*store, &method, as_of)? else {
        bail!("nothing was published at or before this moment; `--data` names the data folder");
    };
    let narrations = narrate(&scene, &arguments.about)?;
    let mut out = std::io::stdout().lock();
    writeln!(std::io::stderr(), "as of {}", scene.published.snapshot.tick)?;
    match arguments.show {
        Stage::Text => {
            let texts: Vec<String> = narrations.iter().map(|n| n.text.clone()).collect();
            writeln!(out, "{}", texts.join("\n\n---\n\n"))?;
        }
        Stage::Facts => print(&mut out, &narrations, |n| &n.facts)?,
        Stage::Plan => print(&mut out, &narrations, |n| &n.plan)?,
    }
    if arguments.about == "summary" && narrations[0].text != scene.published.summary.text {
        let verdict = match narrations[0].judge(&scene.published.summary.text) {
            Outcome::Accepted { .. } => "states the same as the template's".to_owned(),
            Outcome::Rejected { reason, .. } => format!("differs from the template's ({reason})"),
        };
        writeln!(
            std::io::stderr(),
            "a model or an earlier release phrased the published summary; it {verdict}:\n{}",
            scene.published.summary.text
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn narrate(scene: &Scene, about: &str) -> anyhow::Result<Vec<Narration>> {
    let context = scene.context();
    if about == "summary" {
        return Ok(vec![gsi_narrate::narrate_summary(&context)]);
    }
    let mut briefings = gsi_narrate::narrate_day(&context, scene.published.snapshot.tick, false);
    if about != "day" {
        let subjects: Vec<String> = briefings.iter().map(|n| n.plan.about.key()).collect();
        briefings.retain(|n| n.plan.about.key() == about);
        if briefings.is_empty() {
            bail!(
                "there is no text about `{about}` at this moment; there are summary, day, {}",
                subjects.join(", ")
            );
        }
    }
    Ok(briefings)
}

/// Prints one document for one text, and a list for several.
fn print<'n, T: Serialize + 'n>(
    out: &mut impl Write,
    narrations: &'n [Narration],
    part: impl Fn(&'n Narration) -> &'n T,
) -> anyhow::Result<()> {
    let text = match narrations {
        [one] => serde_json::to_string_pretty(part(one))?,
        all => serde_json::to_string_pretty(&all.iter().map(part).collect::<Vec<_>>())?,
    };
    writeln!(out, "{text}")?;
    Ok(())
}
