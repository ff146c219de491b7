//! Measurements of the program alone.

use super::server::{SERVERS_CORE, Server, free_port, on_core};
use anyhow::{Context, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Enough rows that the start of the process hardly counts.
const ROWS_DECODED: usize = 1_500_000;

pub struct FirstStart {
    pub seconds: f64,
    pub resident_megabytes: f64,
}

/// Starts the demo on an empty folder, and stops it when it is ready.
pub fn first_start(gsi: &Path, data: &Path) -> anyhow::Result<FirstStart> {
    let port = free_port()?;
    let mut command = Command::new(gsi);
    command.args(["demo", "--listen", &format!("127.0.0.1:{port}"), "--data"]).arg(data);
    let ready = format!("http://127.0.0.1:{port}/readyz");
    let (server, took) = Server::start(command, &ready, None)?;
    std::thread::sleep(Duration::from_secs(1));
    let resident_megabytes = server.resident_kb()? as f64 / 1024.0;
    Ok(FirstStart { seconds: took.as_secs_f64(), resident_megabytes })
}

/// Replays everything that the demo published and compares every byte. Returns the ticks a second, as the command prints them.
pub fn replay_rate(gsi: &Path, data: &Path) -> anyhow::Result<f64> {
    let done = successful(Command::new(gsi).args(["replay", "--verify", "--data"]).arg(data))?;
    let text = String::from_utf8_lossy(&done.stderr);
    let before = text.split(" ticks a second").next().context("no rate")?;
    let rate = before.rsplit(' ').next().context("no rate")?;
    rate.parse().with_context(|| format!("no rate in: {text}"))
}

/// Decodes recorded GDELT event files on one core. Returns the rows a second, or `None` without recorded files.
pub fn decode_rate(gsi: &Path, data: &Path) -> anyhow::Result<Option<f64>> {
    let Ok(folder) = fs::read_dir(data.join("gdelt2/export")) else { return Ok(None) };
    let files: Vec<PathBuf> = folder.map(|file| Ok(file?.path())).collect::<std::io::Result<_>>()?;
    let mut rows = 0;
    for file in &files {
        rows += fs::read(file)?.iter().filter(|byte| **byte == b'\n').count();
    }
    ensure!(rows > 0, "no rows in {}", data.display());
    let repetitions = ROWS_DECODED.div_ceil(rows);
    let mut command = on_core(SERVERS_CORE, gsi);
    command.args(["feeds", "decode", "gdelt", "--json"]);
    for _ in 0..repetitions {
        command.args(&files);
    }
    let begun = Instant::now();
    successful(&mut command)?;
    Ok(Some((repetitions * rows) as f64 / begun.elapsed().as_secs_f64()))
}

fn successful(command: &mut Command) -> anyhow::Result<Output> {
    let done = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !done.status.success() {
        bail!("{}: {}", done.status, String::from_utf8_lossy(&done.stderr));
    }
    Ok(done)
}
