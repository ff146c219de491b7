//! What people and their agents start beside a running service: `gsi mcp`, `gsi completions`, `gsi man`.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const GSI: &str = env!("CARGO_BIN_EXE_gsi");

/// A demo that is ended when the test is.
struct Demo {
    child: Child,
    url: String,
    key: String,
}

impl Demo {
    fn start(data: &Path) -> Demo {
        let mut child = Command::new(GSI)
            .args([
                "demo",
                "--days",
                "1",
                "--at",
                "2026-11-14T00:00:00Z",
                "--listen",
                "127.0.0.1:0",
                "--data",
            ])
            .arg(data)
            .env("GSI_LOG_REQUESTS", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let dashboard = said.find_map(|line| line.split_once("dashboard  ").map(|(_, url)| url.to_owned()));
        let dashboard = dashboard.expect("the demo says where it is");
        std::thread::spawn(move || said.for_each(drop));
        let (url, key) = dashboard.split_once("/#key=").unwrap();
        Demo { child, url: url.to_owned(), key: key.to_owned() }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the program as an agent does, asks, and reads as many answers as there are questions with a number.
fn ask(url: &str, key: &str, questions: &[Value]) -> Vec<Value> {
    let mut agent = Command::new(GSI)
        .args(["mcp", "--url", url])
        .env("GSI_KEY", key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = agent.stdin.take().unwrap();
    for question in questions {
        writeln!(input, "{question}").unwrap();
    }
    let wanted = questions.iter().filter(|q| q.get("id").is_some()).count();
    let lines = BufReader::new(agent.stdout.take().unwrap()).lines().map_while(Result::ok);
    let answers: Vec<Value> =
        lines.take(wanted).map(|line| serde_json::from_str(&line).expect(&line)).collect();
    drop(input);
    let patience = Instant::now();
    while agent.try_wait().unwrap().is_none() {
        assert!(patience.elapsed() < Duration::from_secs(60), "it ends when the agent hangs up");
        std::thread::sleep(Duration::from_millis(50));
    }
    answers
}

#[test]
fn an_agent_that_starts_a_program_is_answered_by_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path());
    let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let call = |id: u32, name: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": {} } });
    let answers = ask(&demo.url, &demo.key, &[greeting.clone(), ready.clone(), call(2, "get_stability")]);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "gsi");
    let told = &answers[1]["result"]["structuredContent"];
    assert_eq!(
        (&told["simulated"], &told["data_status"]),
        (&true.into(), &"degraded".into()),
        "one day is little: {}",
        answers[1]
    );
    assert!(told["result"]["score"].is_number());

    let refused = ask(&demo.url, "nonsense", &[greeting, ready, call(2, "get_stability")]);
    assert_eq!(refused[1]["result"]["isError"], true);
    assert!(
        refused[1]["result"]["content"][0]["text"].as_str().unwrap().starts_with("401 invalid_credentials")
    );

    let nobody =
        Command::new(GSI).args(["mcp", "--url", "http://127.0.0.1:9", "--key", "k"]).output().unwrap();
    assert_eq!(nobody.status.code(), Some(1));
    assert!(nobody.stdout.is_empty(), "stdout belongs to the protocol");
}

#[test]
fn shells_and_man_learn_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Command::new(GSI).args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(script.stdout).unwrap();
        assert!(script.contains("doctor") && script.contains("backtest"), "{shell}");
    }
    assert_eq!(Command::new(GSI).args(["completions", "tcl"]).output().unwrap().status.code(), Some(2));
    let folder = tempfile::tempdir().unwrap();
    let written = Command::new(GSI).arg("man").arg(folder.path().join("man1")).output().unwrap();
    let listed = String::from_utf8(written.stdout).unwrap();
    for page in ["gsi.1", "gsi-doctor.1", "gsi-key-create.1"] {
        assert!(listed.contains(page), "{listed}");
        assert!(std::fs::read_to_string(folder.path().join("man1").join(page)).unwrap().contains(".SH"));
    }
}
