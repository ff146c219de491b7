//! Texts: briefings with their facts over HTTP, and a language model that repeats some texts and falsifies others.

use drills::demo::{PATIENCE, RunningDemo};
use drills::wait_until;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

/// A model that repeats the summary and the briefing on conflict, and adds a false sentence to all others.
fn model_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let _ = answer(stream);
            });
        }
    });
    address
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some(n) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let asked: serde_json::Value = serde_json::from_slice(&body)?;
    let data = asked["messages"][1]["content"].as_str().unwrap_or("{}");
    let data: serde_json::Value = serde_json::from_str(data)?;
    let text = data["text"].as_str().unwrap_or("");
    let reply = match data["about"].as_str() {
        Some("conflict" | "summary") => text.to_owned(),
        _ => format!("{text} Macro will rise."),
    };
    let body = serde_json::json!({
        "choices": [{ "message": { "role": "assistant", "content": reply }, "finish_reason": "stop" }],
    })
    .to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn gsi(data: &Path) -> Command {
    let mut command = crate::gsi(data);
    command.env("GSI_DEMO_ROWS_PER_SLOT", "60");
    command
}

/// A demo that goes live ten minutes before midnight, with a tick every two seconds.
fn start(data: &Path, model: &str) -> RunningDemo {
    let mut command = gsi(data);
    command
        .args(["demo", "--listen", "127.0.0.1:0", "--days", "1", "--at", "2026-11-13T23:50:00Z"])
        .args(["--time-scale", "450", "--scenario", "border_war"])
        .env("GSI_MODEL_URL", model)
        .env("GSI_MODEL_NAME", "storyteller")
        .env("GSI_MODEL_REQUESTS_PER_HOUR", "100000")
        .env("GSI_MODEL_TIMEOUT_SECONDS", "60");
    RunningDemo::start(&mut command)
}

/// Waits for the briefings of the first live midnight. Those of the history are always the template's.
fn live_briefings(running: &RunningDemo) -> Vec<serde_json::Value> {
    let mut live = Vec::new();
    wait_until("there are briefings after midnight", PATIENCE, || {
        live = running.json("/v1/briefings")["briefings"].as_array().unwrap().clone();
        live.retain(|briefing| briefing["published_at"].as_str().unwrap() >= "2026-11-14");
        !live.is_empty()
    });
    live
}

#[test]
fn a_briefing_shows_its_facts_and_its_author() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &model_server());
    let list = live_briefings(&running);
    assert!(list.len() >= 5, "{}", list.len());
    let mut by_model = 0;
    let mut events_seen = 0;
    for b in &list {
        let id = b["id"].as_str().unwrap();
        let full = running.json(&format!("/v1/briefings/{id}"));
        assert_eq!(full["summary"], b["summary"]);
        let subject = full["subject"].as_str().unwrap();
        if subject == "conflict" {
            assert_eq!(full["generated_by"]["how"], "model", "{}", full["generated_by"]);
            assert_eq!(full["generated_by"]["rejected"], serde_json::Value::Null);
            by_model += 1;
        } else {
            assert_eq!(full["generated_by"]["how"], "template", "{subject}");
            assert_eq!(full["generated_by"]["rejected"], "structure", "{subject}");
            assert!(!full["summary"].as_str().unwrap().contains("will rise"));
        }
        // Every fact names the sentence it supports and the records behind it.
        let sentences = full["sentences"].as_array().unwrap();
        let facts = full["facts"].as_array().unwrap();
        assert!(!facts.is_empty(), "{subject}");
        let mut supported = vec![false; sentences.len()];
        for fact in facts {
            let n = fact["sentence"].as_u64().unwrap_or(u64::MAX) as usize;
            assert!(n < sentences.len(), "{subject}: {fact}");
            supported[n] = true;
            let sources = fact["sources"].as_array().unwrap();
            assert!(!sources.is_empty(), "{subject}: {fact}");
            if fact["kind"] == "level" {
                let shown = format!("{:.0}", fact["value"].as_f64().unwrap());
                let near = sentences[n].as_str().unwrap();
                assert!(
                    near.contains(&shown) || fact["value"].as_f64().unwrap().fract() == 0.5,
                    "{near}: {fact}"
                );
            }
            if fact["kind"] == "event" {
                let event = sources[0].as_str().unwrap();
                assert_eq!(running.json(&format!("/v1/conflict/{event}"))["id"], event);
                events_seen += 1;
            }
        }
        // A fact belongs to the first sentence that states it, so a later sentence may have none.
        let bare = supported.iter().filter(|s| !**s).count();
        assert!(
            bare * 3 <= sentences.len(),
            "{subject}: {bare} of {} sentences without a fact",
            sentences.len()
        );
    }
    assert_eq!(by_model, 1);
    assert!(events_seen > 0, "a war has events");

    let metrics = running.metrics();
    for line in [
        "gsi_words_total{kind=\"briefing\",by=\"model\"} 1",
        "gsi_words_total{kind=\"summary\",by=\"model\"}",
        "gsi_words_rejected_total{reason=\"structure\"}",
    ] {
        assert!(metrics.contains(line), "{line}:\n{metrics}");
    }
}
