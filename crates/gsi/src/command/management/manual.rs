//! `gsi completions`, `gsi man` and `gsi openapi`: descriptions of the program for shells, for `man` and for clients.

use crate::cli::Arguments;
use crate::{result_line, result_text};
use anyhow::Context;
use clap::CommandFactory;
use clap_complete::{Shell, generate};
use std::path::Path;
use std::process::ExitCode;

pub fn print_completions(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "gsi", &mut script);
    result_text!("{}", String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}

pub fn print_openapi() -> ExitCode {
    result_line!("{}", gsi_api::openapi::pretty());
    ExitCode::SUCCESS
}

/// Writes one page for each command, with the name that `man` expects: `gsi-key-create.1`.
pub fn write_pages(folder: &Path) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(Arguments::command(), folder)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    let mut pages: Vec<_> = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    pages.sort();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|e| e == "1")) {
        result_line!("{}", page.display());
    }
    Ok(ExitCode::SUCCESS)
}
