//! Many machines, measured on this one: a backfill of a million observations against a plain COPY of the same rows, and reads
//! from one, two and three replicas on one PostgreSQL.

use super::caller::rate_of;
use super::server::{Server, free_port};
use anyhow::{Context, ensure};
use gsi_model::Timestamp;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[path = "../../../gsi-store/tests/cluster/mod.rs"]
mod cluster;
use cluster::Cluster;

#[derive(Debug, clap::Args)]
pub struct ReplicaArguments {
    /// The service's program, as it is shipped
    gsi: PathBuf,
    #[arg(long, env = "BENCH_ROWS", default_value_t = 1_000_000)]
    rows: u32,
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 5)]
    seconds: u32,
}

const SERIES: u32 = 10;
const COLUMNS: &str = "series,period_end,revision,period_start,value,known_at,ingested_at,quality,payload";
/// The demo's two moments, so that every run serves the same.
const SINCE: &str = "2026-11-14T00:00:00Z";
const UNTIL: &str = "2026-11-14T00:00:01Z";

pub fn run(arguments: &ReplicaArguments) -> anyhow::Result<()> {
    let options = "-c shared_buffers=256MB -c max_wal_size=2GB";
    let Some(database) = Cluster::start_with(options) else { return Ok(()) };
    for name in ["backfill", "reads"] {
        query(&database.url("postgres"), &format!("CREATE DATABASE {name}"))?;
    }
    let folder = TempDir::new()?;
    backfill(arguments, &database.url("backfill"), folder.path())?;
    read_from_replicas(arguments, &database.url("reads"), folder.path())
}

fn backfill(arguments: &ReplicaArguments, store: &str, folder: &Path) -> anyhow::Result<()> {
    let rows = arguments.rows;
    println!(
        "\n== a backfill of {rows} observations, against COPY of the same rows into a table of the same columns and key"
    );
    let history = folder.join("history");
    fs::create_dir(&history)?;
    write_history(&history, rows / SERIES)?;
    let service = |what: &[&str]| run_service(&arguments.gsi, store, &folder.join("data"), what);
    let begun = Instant::now();
    service(&["import", &history.display().to_string()])?;
    let ours = begun.elapsed();
    let stored: u32 = query(store, "SELECT count(*) FROM observation")?.parse()?;
    ensure!(stored == rows, "{stored} of {rows} rows arrived");
    let file = folder.join("rows.tsv");
    query(store, &format!("\\copy (SELECT {COLUMNS} FROM observation) TO '{}'", file.display()))?;
    query(store, "CREATE TABLE plain (LIKE observation INCLUDING ALL)")?;
    let begun = Instant::now();
    query(store, &format!("\\copy plain ({COLUMNS}) FROM '{}'", file.display()))?;
    let plain = begun.elapsed();
    let rate = |time: Duration| f64::from(rows) / time.as_secs_f64();
    println!("gsi import   {:8.0} rows/s", rate(ours));
    println!("plain COPY   {:8.0} rows/s", rate(plain));
    println!("ratio        {:.2}  (at least 0.5 wanted)", plain.as_secs_f64() / ours.as_secs_f64());
    Ok(())
}

/// Series of five minutes each, as `gsi import` reads them.
fn write_history(folder: &Path, rows: u32) -> anyhow::Result<()> {
    let start = Timestamp::from_unix(1_420_070_400); // the first of January 2015
    for n in 0..SERIES {
        let mut file = BufWriter::new(File::create(folder.join(format!("bench_{n}.csv")))?);
        writeln!(file, "series,period_start,period_end,known_at,value")?;
        for row in 0..rows {
            let (from, to) = (start.plus(300 * i64::from(row)), start.plus(300 * i64::from(row + 1)));
            writeln!(file, "bench.{n},{from},{to},{to},0.{:09}", u64::from(row) * 7_919 % 1_000_000_007)?;
        }
    }
    Ok(())
}

fn read_from_replicas(arguments: &ReplicaArguments, store: &str, folder: &Path) -> anyhow::Result<()> {
    println!(
        "\n== GET /v1/global-stability from one, two and three replicas on these cores, wrk -c32 on each, {} s",
        arguments.seconds
    );
    let service = |what: &[&str]| run_service(&arguments.gsi, store, &folder.join("data"), what);
    service(&["demo", "--listen", "127.0.0.1:0", "--days", "1", "--at", SINCE, "--until", UNTIL])?;
    let key = service(&["key", "create", "--name", "bench", "--rate", "none"])?;
    let mut replicas = Vec::new();
    for count in 1..=3 {
        let port = free_port()?;
        let mut command = Command::new(&arguments.gsi);
        command.args(["--store", store, "--log", "error", "--data"]).arg(folder.join(count.to_string()));
        command.args(["serve", "--role", "serve", "--listen", &format!("127.0.0.1:{port}")]);
        command.env("GSI_LOG_REQUESTS", "off");
        let ready = format!("http://127.0.0.1:{port}/readyz");
        replicas.push((Server::start(command, &ready, None)?.0, port));
        let rate = read_together(&replicas, &key, arguments.seconds)?;
        println!("{count} replica{} {rate:8.0} requests/s", if count == 1 { " " } else { "s" });
    }
    Ok(())
}

/// All of them at once, each by a caller of its own; together.
fn read_together(replicas: &[(Server, u16)], key: &str, seconds: u32) -> anyhow::Result<f64> {
    let call = |(_, port): &(Server, u16)| {
        Command::new("wrk")
            .args(["-t1", "-c32", &format!("-d{seconds}s"), "-H", &format!("Authorization: Bearer {key}")])
            .arg(format!("http://127.0.0.1:{port}/v1/global-stability"))
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run wrk")
    };
    let callers = replicas.iter().map(call).collect::<anyhow::Result<Vec<_>>>()?;
    let mut together = 0.0;
    for caller in callers {
        together += rate_of(&caller.wait_with_output()?)?;
    }
    Ok(together)
}

/// What it printed, without its end of line.
fn run_service(program: &Path, store: &str, data: &Path, what: &[&str]) -> anyhow::Result<String> {
    let mut command = Command::new(program);
    command.args(["--store", store, "--log", "error", "--data"]).arg(data).args(what);
    printed_by(command)
}

fn query(database: &str, text: &str) -> anyhow::Result<String> {
    let mut command = Command::new("psql");
    command.args(["-qAtX", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", text]);
    printed_by(command)
}

fn printed_by(mut command: Command) -> anyhow::Result<String> {
    let done = command.output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    Ok(String::from_utf8(done.stdout)?.trim_end().to_owned())
}
