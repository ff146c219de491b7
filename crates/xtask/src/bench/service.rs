//! The service against nginx and against a plain axum router with the same bodies, one core each, in turn; before that its
//! start, memory and size.

use super::caller::{Caller, CallerRound};
use super::median::{median, median_ratio};
use super::server::{SERVERS_CORE, Server, fetch, free_port, on_core};
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const PATHS: [&str; 3] = ["/v1/global-stability", "/v1/summaries", "/v1/global-stability/pillar/conflict"];

#[derive(Debug, clap::Args)]
pub struct ServiceArguments {
    /// The service's program, as it is shipped
    gsi: PathBuf,
    /// The plain router's program
    plain_router: PathBuf,
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 5)]
    rounds: u32,
    /// Of each round and caller
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 5)]
    seconds: u32,
}

pub fn run(arguments: &ServiceArguments) -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let (gsi, port) = start_service(&arguments.gsi, folder.path())?;
    // With a limit that is never reached, so that the bucket is worked for every request.
    let keys = create_keys(&arguments.gsi, folder.path(), 4)?;
    let bodies = keep_bodies(folder.path(), port, &keys[0])?;
    let nginx_port = free_port()?;
    let configuration = folder.path().join("nginx.conf");
    fs::write(&configuration, nginx_configuration(folder.path(), nginx_port, &bodies))?;
    let mut command = on_core(SERVERS_CORE, "nginx");
    command.arg("-p").arg(folder.path()).arg("-c").arg(&configuration);
    let nginx = Server::start(command, &format!("http://127.0.0.1:{nginx_port}{}", PATHS[0]), None)?.0;
    let plain_port = free_port()?;
    let mut command = on_core(SERVERS_CORE, &arguments.plain_router);
    command.arg(plain_port.to_string()).arg(folder.path().join("bodies")).args(&keys);
    let plain =
        Server::start(command, &format!("http://127.0.0.1:{plain_port}{}", PATHS[0]), Some(&keys[0]))?.0;

    let servers = [(&gsi, port), (&nginx, nginx_port), (&plain, plain_port)];
    println!(
        "\n== against nginx 'return 200' and plain axum with the same bodies: one core for the servers in turn, wrk -t1 -c64 \
         on the other, {} rounds of {} s",
        arguments.rounds, arguments.seconds
    );
    measure(servers, &keys, folder.path(), arguments)
}

fn start_service(program: &Path, folder: &Path) -> anyhow::Result<(Server, u16)> {
    let port = free_port()?;
    let arguments = ["demo", "--listen", &format!("127.0.0.1:{port}"), "--data"];
    let ready = format!("http://127.0.0.1:{port}/readyz");
    let configure = |mut command: Command| {
        command.args(arguments).arg(folder.join("demo"));
        // nginx writes no access log here. What is public is read within a quota of its address that is never reached.
        command.env("GSI_LOG_REQUESTS", "off").env("GSI_PUBLIC_RESOURCES", "score");
        command.env("GSI_PUBLIC_REQUESTS_PER_MINUTE", "600000000");
        command
    };
    let (gsi, first) = Server::start(configure(Command::new(program)), &ready, None)?;
    std::thread::sleep(Duration::from_secs(1));
    let resident = gsi.resident_kb()?;
    drop(gsi);
    let (gsi, later) = Server::start(configure(on_core(SERVERS_CORE, program)), &ready, None)?;
    println!("== the demo: start, memory, size");
    println!("first start to ready, 45 days of history   {:.1} s", first.as_secs_f64());
    println!("later start to ready                       {:.2} s", later.as_secs_f64());
    println!(
        "resident memory after the first start      {resident} kB (the demo has started itself afresh with MALLOC_* set as \
         the unit sets them)"
    );
    println!("binary size                                {} bytes", fs::metadata(program)?.len());
    Ok((gsi, port))
}

fn create_keys(program: &Path, folder: &Path, count: usize) -> anyhow::Result<Vec<String>> {
    let create = |n| {
        let done = Command::new(program)
            .args(["key", "create", "--rate", "600000000/min", "--name", &format!("bench {n}"), "--data"])
            .arg(folder.join("demo"))
            .output()?;
        if !done.status.success() {
            bail!("{}", String::from_utf8_lossy(&done.stderr));
        }
        Ok(String::from_utf8(done.stdout)?.trim().to_owned())
    };
    (1..=count).map(create).collect()
}

/// What the service answers, kept as files for the plain router. A service learns of a new key within a moment.
fn keep_bodies(folder: &Path, port: u16, key: &str) -> anyhow::Result<Vec<String>> {
    let bodies = folder.join("bodies");
    fs::create_dir(&bodies)?;
    let keep = |path: &str| {
        let url = format!("http://127.0.0.1:{port}{path}");
        let mut body = fetch(&url, Some(key));
        for _ in 0..100 {
            if body.is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
            body = fetch(&url, Some(key));
        }
        let body = body?;
        fs::write(bodies.join(path.replace('/', "_")), &body)?;
        String::from_utf8(body).context("a body that is no text")
    };
    PATHS.into_iter().map(keep).collect()
}

fn nginx_configuration(folder: &Path, port: u16, bodies: &[String]) -> String {
    let location = |(path, body): (&str, &String)| {
        let body = body.replace('\\', "\\\\").replace('\'', "\\'").replace('$', "\\$");
        format!("location = {path} {{ default_type application/json; return 200 '{body}'; }}\n")
    };
    let locations: String = PATHS.into_iter().zip(bodies).map(location).collect();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let folder = folder.display();
    let temporary = temporary.map(|kind| format!("{kind}_temp_path {folder}/{kind};\n")).concat();
    format!(
        "worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.err;\n\
         events {{ worker_connections 1024; }}\n\
         http {{ access_log off; keepalive_requests 1000000000; tcp_nodelay on;\n{temporary}\
         server {{ listen 127.0.0.1:{port};\n{locations}}} }}\n"
    )
}

/// The rounds of one caller with the service, nginx and the plain router.
type Rounds = [Vec<CallerRound>; 3];

fn measure(
    servers: [(&Server, u16); 3],
    keys: &[String],
    folder: &Path,
    arguments: &ServiceArguments,
) -> anyhow::Result<()> {
    let seconds = arguments.seconds;
    let callers = [
        Caller::mixed(folder, PATHS, keys)?,
        Caller::busy(folder, PATHS, keys)?,
        Caller::alike(folder, "alike", PATHS[0], keys)?,
    ];
    let countries = Caller::alike(folder, "countries", "/v1/countries", keys)?;
    let public = Caller::alike(folder, "public", PATHS[0], &[])?;
    // Whoever is asked first after a pause is slow, whichever server it is.
    for (server, port) in servers {
        callers[0].call(server, port, 2)?;
    }
    let mut rounds: [Rounds; 3] = Default::default();
    let (mut of_countries, mut of_public) = (Vec::new(), Vec::new());
    let (gsi, port) = servers[0];
    for _ in 0..arguments.rounds {
        for (caller, rounds) in callers.iter().zip(&mut rounds) {
            // nginx first, and the plain router last.
            for which in [1, 0, 2] {
                let (server, port) = servers[which];
                rounds[which].push(caller.call(server, port, seconds)?);
            }
        }
        of_countries.push(countries.call(gsi, port, seconds)?);
        of_public.push(public.call(gsi, port, seconds)?);
    }
    let [mixed, busy, alike] = &rounds;
    println!("score, summary and a pillar in turn, four keys, a header that changes, half conditional:");
    tell_rates(mixed);
    println!("the same from a busy caller, processor time of a request:");
    tell_processor_time(busy);
    println!("the same request for the score over and over:");
    tell_rates(alike);
    println!("the list of countries against the score, both of the service:");
    for (n, (countries, score)) in of_countries.iter().zip(&alike[0]).enumerate() {
        println!("round {}: countries {}, score {}", n + 1, told(countries), told(score));
    }
    let p99 = median_ratio(&of_countries, &alike[0], |round| round.p99_microseconds);
    println!("p99 ratio (median of rounds)         {p99:.3}  (at most 1.2 wanted)");
    println!("the score without a key against the score with one:");
    let rate = median_ratio(&of_public, &alike[0], |round| round.requests_per_second);
    println!("throughput ratio (median of rounds)  {rate:.3}  (at least 1 wanted)");
    Ok(())
}

fn told(round: &CallerRound) -> String {
    format!("{:.0}/s p99 {:.0} us", round.requests_per_second, round.p99_microseconds)
}

fn tell_rates([gsi, nginx, plain]: &Rounds) {
    for (n, ((gsi, nginx), plain)) in gsi.iter().zip(nginx).zip(plain).enumerate() {
        println!("round {}: gsi {}, nginx {}, plain axum {}", n + 1, told(gsi), told(nginx), told(plain));
    }
    let rate = |round: &CallerRound| round.requests_per_second;
    let p99 = |round: &CallerRound| round.p99_microseconds;
    println!(
        "throughput ratio (median of rounds)  {:.3}  (at least 0.75 wanted)",
        median_ratio(gsi, nginx, rate)
    );
    println!("p99 ratio (median of rounds)         {:.3}  (at most 3 wanted)", median_ratio(gsi, nginx, p99));
    println!(
        "plain axum, likewise                 {:.3} and {:.3}; the service's throughput against it {:.3}",
        median_ratio(plain, nginx, rate),
        median_ratio(plain, nginx, p99),
        median_ratio(gsi, plain, rate)
    );
}

fn tell_processor_time([gsi, nginx, plain]: &Rounds) {
    let told = |round: &CallerRound| {
        format!("{:.1} us at {:.0}/s", round.cpu_microseconds, round.requests_per_second)
    };
    for (n, ((gsi, nginx), plain)) in gsi.iter().zip(nginx).zip(plain).enumerate() {
        println!("round {}: gsi {}, nginx {}, plain axum {}", n + 1, told(gsi), told(nginx), told(plain));
    }
    let cpu = |round: &CallerRound| round.cpu_microseconds;
    let middle = |rounds: &[CallerRound]| median(rounds.iter().map(cpu).collect());
    println!(
        "medians: gsi {:.1} us, nginx {:.1} us, plain axum {:.1} us",
        middle(gsi),
        middle(nginx),
        middle(plain)
    );
    println!(
        "nginx to the service (median of rounds)  {:.3}  (at least 0.75 wanted); nginx to plain axum {:.3}",
        median_ratio(nginx, gsi, cpu),
        median_ratio(nginx, plain, cpu)
    );
}
