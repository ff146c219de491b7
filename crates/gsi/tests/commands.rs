//! The commands for feeds, against simulated publishers.

use gsi_model::{Clock, DAY, Day, SystemClock, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(300);

/// Simulated publishers that live in the present, as the commands do.
fn publishers() -> SimServer {
    let now = SystemClock.now();
    let settings = WorldSettings {
        rows_per_slot: 12.0,
        mentions_per_row: 0.0,
        missing_slots: false,
        ..WorldSettings::new(9, now.day().start().minus(2 * DAY))
    };
    SimServer::start(Arc::new(World::new(settings)), Arc::new(SystemClock)).unwrap()
}

fn gsi(data: &Path, mirror: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
    command.arg("--data").arg(data).env("GSI_FEEDS_MIRROR", mirror).stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> (Output, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    (output, out, err)
}

fn get(address: &str, path: &str, key: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

/// Starts a service and waits for the line that holds its address; it is killed when the guard is dropped.
struct Running(std::process::Child, String);

impl Running {
    fn start(command: &mut Command, sign: &str) -> Running {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let sign = sign.to_owned();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("http://")
                    && line.contains(&sign)
                {
                    let _ = sender.send(rest.trim().to_owned());
                }
            }
        });
        let address = receiver.recv_timeout(PATIENCE).expect("the service prints its address");
        Running(child, address)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const KEY: &str = "an-operators-own-key";

#[test]
fn a_recording_can_be_replayed() {
    let sim = publishers();
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording");
    let data = folder.path().join("data");
    let (output, _, said) =
        run(gsi(&data, &sim.base_url()).args(["feeds", "record", "--looks", "1"]).arg(&recording));
    assert!(output.status.success(), "{said}");
    let recorded: Vec<_> = said.lines().filter(|l| l.contains(" new rows")).collect();
    assert_eq!(recorded.len(), gsi_feeds::default_connectors().len(), "{said}");
    drop(sim);

    // The publishers have ended, and the service contacts none.
    let mut serve = gsi(&data, "http://127.0.0.1:9");
    serve.args(["serve", "--listen", "127.0.0.1:0", "--replay"]).arg(&recording).env("GSI_API_KEY", KEY);
    let running = Running::start(&mut serve, "replayed");
    let (status, answer) = get(&running.1, "/v1/feeds", KEY);
    assert_eq!(status, 200, "{answer}");
    let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    for feed in body["feeds"].as_array().unwrap() {
        assert!(feed["rows_accepted"].as_u64().unwrap() > 0, "{feed}");
    }
    assert_eq!(get(&running.1, "/v1/global-stability", KEY).0, 200);
    drop(running);

    let (output, _, said) =
        run(gsi(&data, "").args(["serve", "--replay"]).arg(folder.path().join("nothing")));
    assert!(!output.status.success() && said.contains("nothing"), "{said}");
}

#[test]
fn a_backfill_continues_where_it_stopped() {
    let sim = publishers();
    let folder = tempfile::tempdir().unwrap();
    let yesterday = SystemClock.now().day().plus(-1).to_string();
    let backfill = |mirror: &str, feed: &str| {
        let (output, out, err) = run(gsi(folder.path(), mirror)
            .args(["backfill", feed, "--json", "--from", &yesterday, "--to", &yesterday]));
        (output.status.success(), serde_json::from_str::<Value>(&out).unwrap_or_default(), err)
    };
    // No publisher answers: the command reports it and counts nothing as done.
    let (fine, report, said) = backfill("http://127.0.0.1:9", "gdelt");
    assert!(!fine && said.contains("in trouble") && report["files"] == 0, "{said}");

    let (fine, report, said) = backfill(&sim.base_url(), "gdelt");
    assert!(fine, "{said}");
    assert_eq!((&report["files"], &report["already_done"]), (&96.into(), &0.into()), "{report}");
    assert!(report["waiting"].as_u64().unwrap() > 96, "{report}");
    let (fine, report, _) = backfill(&sim.base_url(), "gdelt");
    assert!(fine && report["already_done"] == 96 && report["waiting"] == 0, "{report}");

    // A feed whose ordinary file carries its history, restricted to the day asked for.
    let (fine, report, said) = backfill(&sim.base_url(), "epu");
    assert!(fine && report["inserted"].as_u64().unwrap() <= 1, "{report} {said}");

    for (arguments, why) in [
        (["backfill", "gdelt", "--from", "2026-10-32", "--to", "2026-10-31"], "a day such as"),
        (["backfill", "gdelt", "--from", "2026-10-31", "--to", "2026-10-01"], "must not be after --to"),
        (["backfill", "nothing", "--from", "2026-10-01", "--to", "2026-10-01"], "there is no feed"),
        (["backfill", "fred", "--from", "2026-10-01", "--to", "2026-10-01"], "feeds.keys.fred"),
    ] {
        let (output, _, said) = run(gsi(folder.path(), "").args(arguments));
        assert!(!output.status.success() && said.contains(why), "{said}");
    }
}

#[test]
fn without_a_network_the_service_starts_and_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = gsi(folder.path(), "http://127.0.0.1:9");
    serve.args(["serve", "--listen", "127.0.0.1:0"]).env("GSI_API_KEY", KEY);
    let running = Running::start(&mut serve, "answering");
    let begun = Instant::now();
    loop {
        let (status, answer) = get(&running.1, "/v1/feeds", KEY);
        assert_eq!(status, 200, "{answer}");
        let all = gsi_feeds::default_connectors().len();
        if answer.matches("\"last_refusal\":\"connect\"").count() == all {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{answer}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let (status, answer) = get(&running.1, "/v1/global-stability", KEY);
    assert!(status == 503 && answer.contains("no_snapshot"), "{answer}");
    assert_eq!((get(&running.1, "/healthz", KEY).0, get(&running.1, "/readyz", KEY).0), (200, 503));
}

#[test]
fn docs_list_every_feed_as_its_record_says() {
    let folder = tempfile::tempdir().unwrap();
    let (output, list, said) = run(gsi(folder.path(), "").args(["feeds", "list", "--markdown"]));
    assert!(output.status.success(), "{said}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/feeds.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- gsi feeds list --markdown -->\n", "<!-- end of the list -->");
    let (head, rest) = page.split_once(begin).expect("the list's beginning is marked");
    let (written, tail) = rest.split_once(end).expect("the list's end is marked");
    if std::env::var_os("TEST_BLESS").is_some() {
        std::fs::write(path, [head, begin, &list, end, tail].concat()).unwrap();
    } else {
        assert!(written == list, "the list in docs/feeds.md is not current; TEST_BLESS=1 writes it");
    }
    assert!(list.contains("| `gdelt` |") && list.contains("| `acled` |"));
}

/// Like `gsi … | head`, which closes the pipe early.
#[test]
fn a_closed_pipe_ends_a_command_without_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["feeds", "list"][..], &["config"]] {
        let mut command = gsi(folder.path(), "");
        command.args(arguments).env_remove("GSI_FEEDS_MIRROR").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.is_empty(), "{arguments:?}: {:?} {said}", output.status);
    }
}

#[test]
fn daily_files_become_tallies_once() {
    let sim = publishers();
    let folder = tempfile::tempdir().unwrap();
    let last = SystemClock.now().day().plus(-2);
    let backfill = |from: Day, mirror: &str| {
        let (from, to) = (from.to_string(), last.to_string());
        let arguments = ["backfill", "gdelt-daily", "--json", "--from", &from, "--to", &to];
        let (output, out, err) = run(gsi(folder.path(), mirror).args(arguments));
        (output.status.success(), serde_json::from_str::<Value>(&out).unwrap_or_default(), err)
    };
    let (fine, report, said) = backfill(last.plus(-1), &sim.base_url());
    assert!(fine, "{said}");
    assert_eq!((&report["files"], &report["rejected"]), (&2.into(), &0.into()), "{report}");
    let store = gsi_store::open(&format!("sqlite:{}", folder.path().join("gsi.db").display())).unwrap();
    let mut articles = Vec::new();
    let mut countries = 0;
    store
        .observations(Timestamp::MAX, &mut |o| match o.series.as_str() {
            "news.articles" => articles.push((o.period_start.day(), o.value, o.known_at, o.quality)),
            "news.conflict_by_country" => countries += 1,
            _ => {}
        })
        .unwrap();
    let days: Vec<Day> = articles.iter().map(|(day, ..)| *day).collect();
    assert_eq!(days, [last.plus(-1), last]);
    let (_, count, known_at, quality) = articles[1];
    assert!(count > 100.0 && countries > 5, "{count} articles, {countries} countries");
    assert_eq!(
        (known_at, quality),
        (last.end().plus(11 * 3_600), 1.0),
        "known from the posting time in the file"
    );

    // Days that are in the store are not requested again.
    let (fine, report, said) = backfill(last.plus(-2), &sim.base_url());
    assert!(fine && report["already_done"] == 2 && report["files"] == 1, "{report} {said}");
    let (fine, report, said) = backfill(last.plus(-2), "http://127.0.0.1:9");
    assert!(fine && report["already_done"] == 3, "{report} {said}");
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let backwards = ["--from", "2026-11-09T00:00:00Z", "--to", "2026-11-08T00:00:00Z"];
    let largest = u64::MAX.to_string();
    for (arguments, why) in [
        (&["demo", "--at", "0001-01-01T00:00:00Z"][..], "between the years 1990 and 2069"),
        (&["demo", "--at", "2100-01-01T00:00:00Z"], "between the years 1990 and 2069"),
        (&["demo", "--at", "yesterday"], "not an RFC 3339 time"),
        (&["demo", "--at", "2026-11-09T00:00:00Z", "--until", "2026-11-08T00:00:00Z"], "before --at"),
        (&["demo", "--seed", &largest], "is not in 0..=9223372036854775807"),
        (&["demo", "--days", "0"], "between 1 and 3650"),
        (&["replay", backwards[0], backwards[1], backwards[2], backwards[3]], "--from is after --to"),
        (
            &["replay", "--from", "2026-11-31"],
            "a time such as 2026-11-01T12:00:00Z or a day such as 2026-11-01",
        ),
        (&["backfill", "gdelt", "--from", "2026"], "a day such as 2026-11-01"),
        (&["briefing", "list", "--day", "13.11.2026"], "a day such as 2026-11-01"),
    ] {
        let (output, _, said) = run(gsi(&data, "http://127.0.0.1:9").args(arguments));
        assert!(output.status.code() == Some(2) && said.contains(why), "{arguments:?}: {said}");
    }
    assert!(!data.exists());
}

#[test]
fn a_configuration_is_checked_without_creating_anything() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("gsi.toml");
    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
        command.args(["config", "check", "--config"]).arg(&file).arg("--data").arg(&data);
        let (output, out, err) = run(&mut command);
        (output.status.code().unwrap(), out, err)
    };
    let (code, out, _) = check("store = \"postgres://gsi:hunter22@db/gsi?sslmode=require\"\n");
    assert!(code == 0 && out.starts_with("sound: ") && !out.contains("hunter22"), "{out}");
    for (text, named) in [
        ("[http]\ntrusted_proxies = [\"proxy.example\"]", "http.trusted_proxies"),
        ("[http]\nclient_address_header = \"X Real IP\"", "http.client_address_header"),
        ("[feeds]\ndisabled = [\"gdlet\"]", "gdlet"),
        ("[tls]\ncertificate = \"a.pem\"", "tls.private_key"),
        ("[log]\nrequests_max_mb = 0", "requests_max_mb"),
    ] {
        let (code, _, err) = check(text);
        assert!(code == 2 && err.contains(named), "{text}: {code} {err}");
    }
    assert!(!data.exists());
}
