//! Requests that differ, answered by the service and by a plain axum router with the same bodies: one core for the servers, which
//! take turns, and the other for the caller.

use super::BenchArguments;
use super::caller::{Caller, CallerRound};
use super::median::{median, median_ratio};
use super::server::{SERVERS_CORE, Server, fetch, free_port, on_core};
use anyhow::{Context, bail};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const PATHS: [&str; 3] = ["/v1/global-stability", "/v1/summaries", "/v1/global-stability/pillar/conflict"];
const KEYS: usize = 4;
/// Never reached, so that the limit is checked at every request and refuses none.
const RATE: &str = "600000000/min";
/// The first requests after a pause are slow on any server.
const WARM_UP_SECONDS: u32 = 2;
/// A service knows a new key within five seconds.
const TRIES_FOR_A_NEW_KEY: u32 = 100;

/// `data` is the folder of a demo that is not running.
pub fn measure(arguments: &BenchArguments, gsi: &Path, folder: &Path, data: &Path) -> anyhow::Result<()> {
    let keys = (1..=KEYS).map(|number| create_key(gsi, data, number)).collect::<anyhow::Result<Vec<_>>>()?;
    let copy = folder.join("copy");
    copy_folder(data, &copy)?;
    let (silent, silent_port) = start_service(gsi, data, "off")?;
    let (logging, logging_port) = start_service(gsi, &copy, "stderr")?;
    let bodies = folder.join("bodies");
    store_bodies(&bodies, silent_port, &keys[0])?;
    let (plain, plain_port) = start_plain_router(&arguments.plain_router, &bodies, &keys)?;

    let caller = Caller::mixed(folder, PATHS, &keys)?;
    let servers = [(&silent, silent_port), (&logging, logging_port), (&plain, plain_port)];
    for (_, port) in servers {
        caller.call(port, WARM_UP_SECONDS)?;
    }
    let mut rounds: [Vec<CallerRound>; 3] = Default::default();
    for _ in 0..arguments.rounds {
        for ((_, port), rounds) in servers.iter().zip(&mut rounds) {
            rounds.push(caller.call(*port, arguments.seconds)?);
        }
    }
    let [silent, logging, plain] = &rounds;
    println!(
        "requests: {} resources, {KEYS} keys, half conditional; medians of {} rounds",
        PATHS.len(),
        plain.len()
    );
    println!("  plain axum router         {}", medians(plain));
    println!("  service                   {}", medians(silent));
    println!("    to the plain router     {}", ratios(silent, plain));
    println!("  service, request log on   {}", medians(logging));
    println!("    to the plain router     {}", ratios(logging, plain));
    Ok(())
}

fn rate(round: &CallerRound) -> f64 {
    round.requests_per_second
}

fn p99(round: &CallerRound) -> f64 {
    round.p99_microseconds
}

fn medians(rounds: &[CallerRound]) -> String {
    let middle = |value: fn(&CallerRound) -> f64| median(rounds.iter().map(value).collect());
    format!("{:.0} a second, p99 {:.2} ms", middle(rate), middle(p99) / 1e3)
}

fn ratios(service: &[CallerRound], plain: &[CallerRound]) -> String {
    format!("{:.2}, p99 {:.2}", median_ratio(service, plain, rate), median_ratio(service, plain, p99))
}

fn start_service(gsi: &Path, data: &Path, request_log: &str) -> anyhow::Result<(Server, u16)> {
    let port = free_port()?;
    let mut command = on_core(SERVERS_CORE, gsi);
    command.args(["demo", "--listen", &format!("127.0.0.1:{port}"), "--data"]).arg(data);
    command.env("GSI_LOG_REQUESTS", request_log);
    let (server, _) = Server::start(command, &format!("http://127.0.0.1:{port}/readyz"), None)?;
    Ok((server, port))
}

fn start_plain_router(program: &Path, bodies: &Path, keys: &[String]) -> anyhow::Result<(Server, u16)> {
    let port = free_port()?;
    let mut command = on_core(SERVERS_CORE, program);
    command.arg(port.to_string()).arg(bodies).args(keys);
    let url = format!("http://127.0.0.1:{port}{}", PATHS[0]);
    let (server, _) = Server::start(command, &url, Some(&keys[0]))?;
    Ok((server, port))
}

fn create_key(gsi: &Path, data: &Path, number: usize) -> anyhow::Result<String> {
    let name = format!("bench {number}");
    let done = Command::new(gsi)
        .args(["key", "create", "--rate", RATE, "--name", &name, "--data"])
        .arg(data)
        .output()?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(String::from_utf8(done.stdout)?.trim().to_owned())
}

/// Stores the service's bodies as files for the plain router.
fn store_bodies(folder: &Path, port: u16, key: &str) -> anyhow::Result<()> {
    fs::create_dir(folder)?;
    for path in PATHS {
        let url = format!("http://127.0.0.1:{port}{path}");
        let body = fetch_with_retries(&url, key)?;
        fs::write(folder.join(path.replace('/', "_")), body)?;
    }
    Ok(())
}

fn fetch_with_retries(url: &str, key: &str) -> anyhow::Result<Vec<u8>> {
    for _ in 1..TRIES_FOR_A_NEW_KEY {
        if let Ok(body) = fetch(url, Some(key)) {
            return Ok(body);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    fetch(url, Some(key))
}

fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    let done = Command::new("cp").arg("-r").arg(from).arg(to).status().context("cannot run cp")?;
    if !done.success() {
        bail!("cannot copy {}", from.display());
    }
    Ok(())
}
