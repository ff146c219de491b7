//! Hooks: what an operator sets while the service runs, and what a receiver gets.

use crate::GSI;
use drills::webhooks::{Behaviour, Received, WebhookReceiver, assert_one_body_for_each_id};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const BEGINS: &str = "2026-11-14T12:00:00Z";

fn gsi(data: &Path, arguments: &[&str]) -> Output {
    Command::new(GSI)
        .args(arguments)
        .arg("--data")
        .arg(data)
        .env("GSI_HOOKS_ALLOW_PRIVATE", "true")
        .output()
        .unwrap()
}

fn ok(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap().trim().to_owned()
}

fn json(output: &Output) -> Vec<Value> {
    serde_json::from_str(&ok(output)).unwrap()
}

/// A demo with two days of history. `more` sets its end and its pace.
fn demo(data: &Path, more: &[&str]) -> Child {
    Command::new(GSI)
        .args(["demo", "--days", "2", "--at", BEGINS])
        .args(more)
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .envs([("GSI_HOOKS_ALLOW_PRIVATE", "true"), ("GSI_LOG_REQUESTS", "off"), ("GSI_LOG_LEVEL", "debug")])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn log_of(mut child: Child) -> String {
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(child.wait().unwrap().success(), "{log}");
    log
}

/// Makes a store with two days of history.
fn fill(data: &Path) {
    log_of(demo(data, &["--until", BEGINS]));
}

/// Runs the demo at a tick a second until `holds`, ends it, and returns what it logged.
fn run_until(data: &Path, holds: impl Fn() -> bool) -> String {
    let child = demo(data, &["--time-scale", "900"]);
    let id = child.id().to_string();
    let reading = std::thread::spawn(move || log_of(child));
    let begun = Instant::now();
    while !holds() && begun.elapsed() < Duration::from_secs(240) && !reading.is_finished() {
        std::thread::sleep(Duration::from_millis(200));
    }
    let _ = Command::new("kill").args(["-TERM", &id]).status();
    reading.join().unwrap()
}

fn verify(secret: &str, received: &Received) {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, received.headers[name].parse().unwrap());
    }
    standardwebhooks::Webhook::new(secret).unwrap().verify(received.body.as_bytes(), &headers).unwrap();
}

/// Checks that the fields are those of the OpenAPI document.
fn assert_documented(schema: &str, data: &Value) {
    let document = gsi_api::openapi::document();
    let schema = &document["components"]["schemas"][schema];
    let fields: BTreeSet<&str> = data.as_object().unwrap().keys().map(String::as_str).collect();
    let known: BTreeSet<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let required = schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    assert!(fields.is_subset(&known), "{fields:?} is more than {known:?}");
    required.for_each(|name| assert!(fields.contains(name), "{name} is missing"));
}

#[test]
fn every_message_arrives_in_order_whatever_the_receiver_does() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    fill(data);
    let troubled = WebhookReceiver::start(&[
        Behaviour::Status(500),
        Behaviour::Flood,
        Behaviour::Status(204),
        Behaviour::Status(302),
        Behaviour::Status(204),
    ]);
    let steady = WebhookReceiver::start(&[Behaviour::Status(200)]);
    let done = WebhookReceiver::start(&[Behaviour::Status(410)]);
    let silent = WebhookReceiver::start(&[Behaviour::HangUp]);
    let patient = WebhookReceiver::start(&[Behaviour::Status(500), Behaviour::Status(204)]);
    let picky = WebhookReceiver::start(&[
        Behaviour::Status(400),
        Behaviour::Status(413),
        Behaviour::Status(404),
        Behaviour::Status(204),
    ]);
    let create = |name: &str, url: &str, more: &[&str]| {
        let mut arguments = vec!["hook", "create", "--name", name, "--url", url];
        arguments.extend(more);
        ok(&gsi(data, &arguments))
    };
    let secret = create("troubled", &troubled.url, &["--on", "snapshot"]);
    assert!(secret.starts_with("whsec_") && secret.lines().count() == 1, "the secret alone");
    let rule = ["--when", "pillar.conflict rises 0.2 in 1h"];
    let steady_secret = create("steady", &steady.url, &rule);
    create("patient", &patient.url, &rule);
    create("picky", &picky.url, &rule);
    create("done", &done.url, &["--on", "snapshot,alert"]);
    create("silent", &silent.url, &["--on", "snapshot"]);
    create("chat", &steady.url, &["--on", "briefing", "--format", "slack"]);

    let ended = || steady.received().iter().filter(|r| r.headers.contains_key("webhook-id")).count() >= 2;
    let log = run_until(data, || {
        let retried = patient.received().len() >= 2 && picky.received().len() >= 4;
        troubled.received().len() >= 5 && !done.received().is_empty() && ended() && retried
    });
    for kept in [secret.as_str(), steady_secret.as_str(), "whsec_", "secret-path"] {
        assert!(!log.contains(kept), "the log has {kept}");
    }

    // Accepted messages came in order.
    let got = troubled.received();
    got.iter().for_each(|received| verify(&secret, received));
    assert_one_body_for_each_id(&got);
    let accepted: Vec<Value> =
        got.iter().filter(|r| r.accepted).map(|r| serde_json::from_str(&r.body).unwrap()).collect();
    assert!(accepted.len() >= 3, "{accepted:?}");
    let times: Vec<&str> = accepted.iter().map(|m| m["timestamp"].as_str().unwrap()).collect();
    assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
    assert_eq!(
        (&accepted[0]["type"], &accepted[0]["simulated"]),
        (&"snapshot.published".into(), &true.into())
    );
    accepted.iter().for_each(|message| assert_documented("HookSnapshot", &message["data"]));

    // Every try is stored with its result. A newer snapshot replaces one that was not accepted.
    let deliveries = json(&gsi(data, &["hook", "deliveries", "troubled", "--limit", "1000", "--json"]));
    let failed = deliveries.iter().find(|d| d["tries"][0]["result"] == "500");
    assert_eq!(failed.unwrap()["state"], "replaced", "{deliveries:?}");
    let moved = deliveries.iter().find(|d| d["tries"][0]["result"] == "302: redirects are not followed");
    assert!(moved.is_some(), "{deliveries:?}");
    let waiting = deliveries.iter().filter(|d| d["state"] == "waiting").count();
    assert!(waiting <= 1, "{deliveries:?}");

    // An alert is tried again, with the same id and body, until it is accepted.
    let retried = patient.received();
    assert_one_body_for_each_id(&retried);
    assert_eq!(retried[0].headers["webhook-id"], retried[1].headers["webhook-id"]);
    let alerts = json(&gsi(data, &["hook", "deliveries", "patient", "--json"]));
    let first = alerts.last().unwrap();
    assert_eq!((&first["tries"][0]["result"], &first["tries"][1]["result"]), (&"500".into(), &"204".into()));
    assert_eq!(first["state"], "delivered", "{first}");

    // A refused alert is parked and does not hold the next one.
    let refused = json(&gsi(data, &["hook", "deliveries", "picky", "--json"]));
    let [.., second, first] = refused.as_slice() else { panic!("{refused:?}") };
    assert_eq!((&first["state"], &second["state"]), (&"parked".into(), &"delivered".into()), "{refused:?}");
    let answers: Vec<&Value> = first["tries"].as_array().unwrap().iter().map(|t| &t["result"]).collect();
    assert_eq!(answers, ["400", "413", "404"]);
    let retry = || ok(&gsi(data, &["hook", "retry", "picky", "--json"]));
    assert_eq!(retry(), r#"{"hook":"picky","waiting":1}"#);
    assert_eq!(retry(), r#"{"hook":"picky","waiting":0}"#);
    let again = json(&gsi(data, &["hook", "deliveries", "picky", "--json"]));
    let again = again.last().unwrap();
    assert_eq!((&again["state"], &again["tries"]), (&"waiting".into(), &first["tries"]));

    // The rule fired exactly as in a try over the stored history.
    let said = |d: &Value| (d["type"].as_str().unwrap().to_owned(), d["tick"].as_str().unwrap().to_owned());
    let addressed = json(&gsi(data, &["hook", "deliveries", "steady", "--limit", "1000", "--json"]));
    let addressed: Vec<(String, String)> = addressed.iter().rev().map(said).collect();
    let fired: Vec<(String, String)> = steady
        .received()
        .iter()
        .filter(|r| r.headers.contains_key("webhook-id"))
        .map(|received| {
            verify(&steady_secret, received);
            let message: Value = serde_json::from_str(&received.body).unwrap();
            (message["type"].as_str().unwrap().to_owned(), message["timestamp"].as_str().unwrap().to_owned())
        })
        .collect();
    let tried =
        ok(&gsi(data, &["hook", "try", "--when", rule[1], "--from", "2026-11-14T12:00:01Z", "--json"]));
    let tried: Value = serde_json::from_str(&tried).unwrap();
    let mut would = Vec::new();
    for alert in tried["alerts"].as_array().unwrap() {
        would.push(("alert.began".to_owned(), alert["began_at"].as_str().unwrap().to_owned()));
        if let Some(end) = alert["ended_at"].as_str() {
            would.push(("alert.ended".to_owned(), end.to_owned()));
        }
    }
    assert!(would.len() >= 2, "an alert has to begin and to end: {tried}");
    assert_eq!(addressed, would);
    assert_eq!(fired, would[..fired.len()]);

    // A receiver that answers 410 gets no more messages.
    assert_eq!(done.received().len(), 1);
    let hooks = json(&gsi(data, &["hook", "list", "--json"]));
    let state = |name: &str| hooks.iter().find(|h| h["name"] == name).unwrap()["state"].clone();
    assert_eq!((state("done"), state("silent")), ("gone".into(), "on".into()));
    let shown = serde_json::to_string(&hooks).unwrap();
    assert!(!shown.contains("whsec_") && !shown.contains("secret-path"), "{shown}");
}

#[test]
fn invalid_hooks_are_refused_and_secrets_rotate() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let none = gsi(data, &["hook", "list"]);
    assert_eq!(none.status.code(), Some(1), "there is no store yet");
    fill(data);
    let receiver = WebhookReceiver::start(&[Behaviour::Status(204), Behaviour::Status(500)]);

    let refused = |arguments: &[&str], part: &str| {
        let output = gsi(data, arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(part), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
    };
    let create = |more: &[&'static str]| {
        let mut arguments = vec!["hook", "create", "--name", "desk", "--url", "https://example.org/x"];
        arguments.extend(more);
        arguments
    };
    refused(&create(&["--when", "score = 50"]), "\n  score = 50\n        ^");
    refused(&create(&["--when", "feed.gdlet stale"]), "there is no feed `gdlet`");
    refused(&create(&["--on", "alarms"]), "there are alert, briefing, snapshot");
    refused(&create(&["--format", "pigeon"]), "webhook, slack, email");
    refused(&create(&["--format", "email"]), "mailto:");
    refused(&["hook", "create", "--name", "De sk", "--url", "https://example.org"], "small letters");
    refused(&["hook", "create", "--name", "desk", "--url", "ftp://example.org"], "hooks use https");
    refused(&["hook", "pause", "desk"], "there is no hook desk");
    let private = Command::new(GSI)
        .args(["hook", "create", "--name", "desk", "--url", "https://10.0.0.1/", "--data"])
        .arg(data)
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&private.stderr).contains("a private address"));

    // A secret address comes from a file or stdin, and is in no error.
    let address = folder.path().join("address");
    let by_file =
        ["hook", "create", "--name", "chat", "--format", "slack", "--url-file", address.to_str().unwrap()];
    refused(&by_file, "--url-file: cannot read");
    for (text, part) in [
        ("", "must contain one line"),
        ("https://example.org/secret\nhttps://example.org/secret", "must contain one line"),
        ("ftp://example.org/secret", "--url-file: ftp: hooks use https"),
    ] {
        std::fs::write(&address, text).unwrap();
        refused(&by_file, part);
        assert!(!String::from_utf8_lossy(&gsi(data, &by_file).stderr).contains("secret"), "{text}");
    }
    std::fs::write(&address, "https://example.org/secret\n").unwrap();
    ok(&gsi(data, &by_file));
    refused(&["hook", "create", "--name", "piped"], "--url <URL>|--url-file <FILE>");
    refused(&create(&["--url-file", "-"]), "cannot be used with");
    let mut piped = Command::new(GSI);
    piped.args(["hook", "create", "--name", "piped", "--url-file", "-", "--data"]).arg(data);
    let mut piped = piped.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    piped.stdin.take().unwrap().write_all(b"https://example.com/secret\n").unwrap();
    assert!(piped.wait().unwrap().success());
    let set = json(&gsi(data, &["hook", "list", "--json"]));
    let shown: Vec<&Value> = set.iter().map(|hook| &hook["address"]).collect();
    assert_eq!(shown, ["https://example.org/…", "https://example.com/…"]);

    // The secret is printed even if stderr is closed.
    let (unread, stderr) = std::io::pipe().unwrap();
    drop(unread);
    let mut command = Command::new(GSI);
    command.args(["hook", "create", "--name", "unread", "--url", "https://example.org/x", "--data"]);
    command.arg(data).stderr(stderr);
    let made = command.output().unwrap();
    assert!(made.status.success() && made.stdout.starts_with(b"whsec_"), "{made:?}");

    let secret = ok(&gsi(data, &["hook", "create", "--name", "desk", "--url", &receiver.url]));
    refused(&["hook", "create", "--name", "desk", "--url", &receiver.url], "already");
    assert_eq!(ok(&gsi(data, &["hook", "test", "desk"])), "204");
    let failed = gsi(data, &["hook", "test", "desk"]);
    assert_eq!((failed.status.code(), String::from_utf8_lossy(&failed.stdout).trim()), (Some(1), "500"));

    // During a rotation both secrets verify.
    let newer = ok(&gsi(data, &["hook", "rotate", "desk", "--grace", "1h"]));
    assert_ne!(newer, secret);
    gsi(data, &["hook", "test", "desk"]);
    let got = receiver.received();
    let message: Value = serde_json::from_str(&got[0].body).unwrap();
    assert_eq!(message["simulated"], true, "the folder holds a demo");
    assert_documented("HookTest", &message["data"]);
    verify(&secret, &got[0]);
    for either in [&secret, &newer] {
        verify(either, &got[2]);
    }
    ok(&gsi(data, &["hook", "pause", "desk"]));
    refused(&["hook", "pause", "desk"], "is paused");
    ok(&gsi(data, &["hook", "resume", "desk"]));
    ok(&gsi(data, &["hook", "revoke", "desk"]));
    refused(&["hook", "rotate", "desk"], "is revoked");
    refused(&["hook", "retry", "desk"], "is revoked");
    refused(&["hook", "retry", "other"], "there is no hook other");
}
