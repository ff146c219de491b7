//! `gsi-lab train-events`: trains the event filter on articles judged by readers, and measures it on held-out days.

pub mod examples;
mod fit;
pub mod measure;
pub mod teach;

use crate::cli::TrainEvents;
use anyhow::Context;
use examples::Corpus;
use gsi::{result_line, result_text};
use std::process::ExitCode;

pub fn run(arguments: &TrainEvents) -> anyhow::Result<ExitCode> {
    let corpus = Corpus::load(&arguments.data)?;
    if arguments.held_out {
        result_text!("{}", measure::held_out(&corpus).page());
        return Ok(ExitCode::SUCCESS);
    }
    let out = &arguments.out;
    std::fs::write(out, teach::weights_file(&corpus))
        .with_context(|| format!("cannot write {}", out.display()))?;
    result_line!("{} articles, {} real; wrote {}", corpus.articles.len(), corpus.real(), out.display());
    Ok(ExitCode::SUCCESS)
}
