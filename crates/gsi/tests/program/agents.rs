//! Commands for agents and for the shell: `gsi mcp`, `gsi completions`, `gsi man`.

use crate::{GSI, gsi};
use drills::demo::RunningDemo;
use drills::wait_until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Starts the program as an agent does, and returns the answers to the questions that have an id.
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
    let has_ended = || agent.try_wait().unwrap().is_some();
    wait_until("the program ends when the agent closes its input", Duration::from_secs(60), has_ended);
    answers
}

#[test]
fn an_agent_that_starts_a_program_is_answered_by_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["demo", "--days", "1", "--at", "2026-11-14T00:00:00Z", "--listen", "127.0.0.1:0"];
    let demo = RunningDemo::start(gsi(folder.path()).args(arguments));
    let url = format!("http://{}", demo.address);
    let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let call = |id: u32, name: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": {} } });
    let answers = ask(&url, &demo.key, &[greeting.clone(), ready.clone(), call(2, "get_stability")]);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "gsi");
    let answer = &answers[1]["result"]["structuredContent"];
    assert_eq!(
        (&answer["simulated"], &answer["data_status"]),
        (&true.into(), &"degraded".into()),
        "one day of history is little: {}",
        answers[1]
    );
    assert!(answer["result"]["score"].is_number());

    let refused = ask(&url, "nonsense", &[greeting, ready, call(2, "get_stability")]);
    assert_eq!(refused[1]["result"]["isError"], true);
    assert!(
        refused[1]["result"]["content"][0]["text"].as_str().unwrap().starts_with("401 invalid_credentials")
    );

    let unreachable =
        Command::new(GSI).args(["mcp", "--url", "http://127.0.0.1:9", "--key", "k"]).output().unwrap();
    assert_eq!(unreachable.status.code(), Some(1));
    assert!(unreachable.stdout.is_empty(), "stdout belongs to the protocol");
}

#[test]
fn completions_and_man_pages_cover_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Command::new(GSI).args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(script.stdout).unwrap();
        assert!(script.contains("doctor") && script.contains("recompute"), "{shell}");
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
