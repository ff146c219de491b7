//! GDELT event files on one core: the service's decoder, which validates every column it uses, against DuckDB grouping the
//! same rows by country and root code.
//!
//! DuckDB knows all 61 columns by their types and reads only those that its query names, so it is asked twice: for the two
//! columns of the grouping, which are text and need no check, and for the same grouping with a count of every column that
//! the decoder validates. All on the same core, in turn, by processor time.

use super::median::median;
use super::server::{CALLERS_CORE, on_core};
use anyhow::{Context, bail, ensure};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, clap::Args)]
pub struct DecodeArguments {
    /// The decoder's measurement, compiled (`cargo bench -p gsi-gdelt --bench decode --no-run`)
    decoder: PathBuf,
    /// A Python that has DuckDB
    python: PathBuf,
    #[arg(long, env = "GSI_REAL_DATA", default_value = "../shared/data", value_name = "DIR")]
    data: PathBuf,
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 7)]
    rounds: u32,
    #[arg(long, env = "GSI_BENCH_MB", default_value_t = 500)]
    megabytes: u64,
}

/// Processor time of one pass over all rows, and how many they were.
#[derive(Debug, Clone, Copy)]
struct Pass {
    seconds: f64,
    rows: u64,
}

struct DecodeRound {
    /// The decoder around the grouping alone, without reading the files, and around the one that checks.
    reading: f64,
    held: f64,
    beside_checked: f64,
    grouped: f64,
    checked: f64,
}

pub fn run(arguments: &DecodeArguments) -> anyhow::Result<()> {
    let folder = arguments.data.join("gdelt2/export");
    let rows = write_rows(&folder, arguments.megabytes)?;
    let bytes = rows.as_file().metadata()?.len() as f64;
    let decode = |held: &[&str]| {
        let mut command = on_core(CALLERS_CORE, &arguments.decoder);
        command.arg("--short").args(held).env("GSI_REAL_DATA", &arguments.data);
        command.env("GSI_BENCH_MB", arguments.megabytes.to_string());
        pass(command)
    };
    let query = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gsi-gdelt/benches/group_rows.py");
    let ask = |question: &str| {
        let mut command = on_core(CALLERS_CORE, &arguments.python);
        command.arg(&query).arg(rows.path()).arg(question);
        pass(command)
    };
    println!(
        "== GDELT decode against DuckDB, one core, {:.0} MB of real rows, {} rounds in turn",
        bytes / 1e6,
        arguments.rounds
    );
    let mut rounds = Vec::new();
    for n in 1..=arguments.rounds {
        let round = measure(decode, ask)?;
        let rate = |seconds: f64| bytes / seconds / 1e6;
        println!(
            "round {n}: decoder {:.0} MB/s, DuckDB {:.0} MB/s, and {:.0} MB/s with the same columns checked; ratios {:.2} \
             and {:.2}, without reading {:.2}",
            rate(round.reading),
            rate(round.grouped),
            rate(round.checked),
            round.grouped / round.reading,
            round.checked / round.beside_checked,
            round.grouped / round.held
        );
        rounds.push(round);
    }
    tell(&rounds);
    Ok(())
}

/// The decoder is quick, so it runs twice before and twice after each question to DuckDB: whatever else the machine does
/// then meets both alike. Reading the files counts on both sides; decoding alone, of files in memory, is told apart.
fn measure(
    decode: impl Fn(&[&str]) -> anyhow::Result<Pass>,
    ask: impl Fn(&str) -> anyhow::Result<Pass>,
) -> anyhow::Result<DecodeRound> {
    let twice = |held: &[&str]| Ok::<_, anyhow::Error>([decode(held)?, decode(held)?]);
    let (before, held_before) = (twice(&[])?, twice(&["--held"])?);
    let grouped = ask("grouped")?;
    let (held_after, between) = (twice(&["--held"])?, twice(&[])?);
    let checked = ask("checked")?;
    let after = twice(&[])?;
    let here = before[0].rows;
    ensure!(
        [grouped.rows, checked.rows] == [here, here],
        "{} and {} rows there, {here} here",
        grouped.rows,
        checked.rows
    );
    let mean = |one: [Pass; 2], other: [Pass; 2]| {
        one.iter().chain(&other).map(|pass| pass.seconds).sum::<f64>() / 4.0
    };
    Ok(DecodeRound {
        reading: mean(before, between),
        held: mean(held_before, held_after),
        beside_checked: mean(between, after),
        grouped: grouped.seconds,
        checked: checked.seconds,
    })
}

fn tell(rounds: &[DecodeRound]) {
    let middle = |ratio: fn(&DecodeRound) -> f64| median(rounds.iter().map(ratio).collect());
    let least = |value: fn(&DecodeRound) -> f64| rounds.iter().map(value).fold(f64::INFINITY, f64::min);
    println!("ratio (median of rounds)  {:.2}  (at least 4 wanted)", middle(|r| r.grouped / r.reading));
    println!(
        "ratio of the least times of both  {:.2}  (whatever else the machine does only ever adds to a time)",
        least(|r| r.grouped) / least(|r| r.reading)
    );
    println!("median, the decoder without reading files  {:.2}", middle(|r| r.grouped / r.held));
    println!(
        "median, DuckDB checking the columns that the decoder checks  {:.2}",
        middle(|r| r.checked / r.beside_checked)
    );
}

/// All event files one after the other, again and again until they are as large as asked.
fn write_rows(folder: &Path, megabytes: u64) -> anyhow::Result<tempfile::NamedTempFile> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|f| Ok(f?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    let once = files.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?.concat();
    ensure!(!once.is_empty(), "no event files in {}", folder.display());
    let rows = tempfile::NamedTempFile::new()?;
    let mut file: &File = rows.as_file();
    for _ in 0..(megabytes * 1_000_000).div_ceil(once.len() as u64) {
        file.write_all(&once)?;
    }
    Ok(rows)
}

/// Both sides print their seconds of processor time and how many rows they met.
fn pass(mut command: Command) -> anyhow::Result<Pass> {
    let done = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let said = String::from_utf8_lossy(&done.stdout);
    let mut words = said.split_whitespace();
    match (words.next().map(str::parse), words.next().map(str::parse)) {
        (Some(Ok(seconds)), Some(Ok(rows))) if done.status.success() => Ok(Pass { seconds, rows }),
        _ => bail!("{command:?} said: {said}{}", String::from_utf8_lossy(&done.stderr)),
    }
}
