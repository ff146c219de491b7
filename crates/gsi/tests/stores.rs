//! One scenario on both backends, and stores moved from one to the other: the same digests everywhere.

#[path = "../../gsi-store/tests/cluster/mod.rs"]
mod cluster;

use cluster::Cluster;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const LEFT_OUT: &str = "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,gscpi,usgs,gdacs,treasury,ecb,epu";

fn gsi(data: &Path, store: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
    command.args(["--store", store]).arg("--data").arg(data).stdin(Stdio::null());
    command.env("GSI_LOG_REQUESTS", "off").env("GSI_FEEDS_DISABLED", LEFT_OUT);
    command
}

fn succeed(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    String::from_utf8(done.stdout).unwrap()
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Two days of a border war, fast-forwarded; then it stops by itself.
fn live_through(data: &Path, store: &str) {
    succeed(
        gsi(data, store)
            .args(["demo", "--listen", "127.0.0.1:0", "--days", "2", "--at", "2026-11-14T10:00:00Z"])
            .args(["--scenario", "border_war", "--until", "2026-11-14T10:00:01Z", "--with-history"])
            .env("GSI_DEMO_ROWS_PER_SLOT", "80"),
    );
}

/// Contents that a run decides; keys and secrets are made by chance.
fn contents(data: &Path, store: &str) -> serde_json::Value {
    let text = succeed(gsi(data, store).args(["store", "check", "--json"]));
    let mut told: serde_json::Value = serde_json::from_str(&text).unwrap();
    let contents = told["contents"].as_object_mut().unwrap();
    for chance in ["keys", "key_audit", "secrets"] {
        assert!(contents.remove(chance).unwrap()["rows"].as_u64().unwrap() > 0);
    }
    told["contents"].take()
}

#[test]
fn one_scenario_is_the_same_on_both_and_moves_between_them() {
    let Some(cluster) = Cluster::start() else { return };
    let mut admin = postgres::Client::connect(&cluster.url("postgres"), postgres::NoTls).unwrap();
    for name in ["lived", "copied", "restored"] {
        admin.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let file = |name: &str| format!("sqlite:{}", at(name).display());
    let (lite, server) = (file("lived.db"), cluster.url("lived"));
    std::thread::scope(|scope| {
        scope.spawn(|| live_through(&at("a"), &lite));
        live_through(&at("b"), &server);
    });
    let (one, other) = (contents(&at("a"), &lite), contents(&at("b"), &server));
    for content in ["snapshots", "event_versions", "briefings", "observations", "news_rows", "engine_states"]
    {
        assert!(one[content]["rows"].as_u64().unwrap() > 0, "{content}");
    }
    assert_eq!(one, other, "SQLite and PostgreSQL differ");
    // The comparison with the real past, which this world was given, can be made again on both.
    for (data, store) in [(at("a"), &lite), (at("b"), &server)] {
        let last = gsi_store::open(store).unwrap().published_at(gsi_model::Timestamp::MAX).unwrap().unwrap();
        assert!(last.snapshot.context.is_some_and(|c| c.reconstructed.is_some_and(|r| r.days > 9_000)));
        assert!(succeed(gsi(&data, store).args(["replay", "--verify"])).contains("the same byte for byte"));
    }

    // A correction is asked for, and waits while the store moves; the next tick of either end answers it.
    let briefings = succeed(gsi(&at("a"), &lite).args(["briefing", "list", "--json"]));
    let briefings: serde_json::Value = serde_json::from_str(&briefings).unwrap();
    let id = briefings[0]["id"].as_str().unwrap();
    let ask = ["briefing", "correct", id, "--because", "late-data"];
    succeed(gsi(&at("a"), &lite).args(ask));

    // There and back again; `store copy` itself compares digests, this compares the ends.
    let whole = |store: &str| succeed(gsi(&at("c"), store).args(["store", "check"]));
    succeed(gsi(&at("c"), "").args(["store", "copy", &lite, &cluster.url("copied")]));
    succeed(gsi(&at("c"), "").args(["store", "copy", &cluster.url("copied"), &file("back.db")]));
    assert_eq!(whole(&lite), whole(&file("back.db")));

    // A backup of the server, restored into another.
    let backup = at("backup.db");
    succeed(gsi(&at("c"), &server).args(["store", "backup"]).arg(&backup));
    succeed(gsi(&at("c"), &cluster.url("restored")).args(["store", "restore"]).arg(&backup));
    assert_eq!(whole(&server), whole(&cluster.url("restored")));

    // A moved store goes on where it was: identity columns count on, keys hold, the next tick follows.
    let go_on = |data: &Path, store: &str| {
        succeed(
            gsi(data, store)
                .args(["demo", "--listen", "127.0.0.1:0", "--days", "2", "--at", "2026-11-14T16:00:00Z"])
                .args(["--scenario", "border_war", "--until", "2026-11-14T16:00:01Z"])
                .env("GSI_DEMO_ROWS_PER_SLOT", "80"),
        );
        contents(data, store)
    };
    let (here, there) = std::thread::scope(|scope| {
        let here = scope.spawn(|| go_on(&at("a"), &lite));
        let there = go_on(&at("b"), &cluster.url("copied"));
        (here.join().unwrap(), there)
    });
    assert_eq!(here, there, "they part after the move");
    assert_eq!(here["corrections"]["rows"], 1);
    for store in [&lite, &cluster.url("copied")] {
        let told = succeed(gsi(&at("c"), store).args(["briefing", "list", "--day", "2026-11-13"]));
        assert!(told.contains("corrected by brf_") && told.contains("Correction: "), "{told}");
        // The server takes the question as the file does, and refuses the second.
        let newest = succeed(gsi(&at("c"), store).args(["briefing", "list", "--json"]));
        let newest: serde_json::Value = serde_json::from_str(&newest).unwrap();
        let newest = newest[0]["id"].as_str().unwrap();
        let ask = ["briefing", "correct", newest, "--because", "wrong-text"];
        succeed(gsi(&at("c"), store).args(ask));
        let again = gsi(&at("c"), store).args(ask).output().unwrap();
        assert_eq!(again.status.code(), Some(1));
        assert!(said(&again).contains("waits for the next tick"), "{}", said(&again));
    }

    let refused = |command: &mut Command, says: &str| {
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        assert!(said(&done).contains(says), "{}", said(&done));
    };
    refused(gsi(&at("c"), "").args(["store", "copy", &lite, &server]), "not empty");
    refused(gsi(&at("c"), "").args(["store", "copy", &file("none.db"), &server]), "there is no");
    refused(gsi(&at("c"), &server).args(["store", "backup"]).arg(&backup), "exists");

    // Damage is found: one byte of one body.
    let damaged = rusqlite::Connection::open(at("back.db")).unwrap();
    damaged
        .execute("UPDATE engine_state SET body = x'00' WHERE tick = (SELECT max(tick) FROM engine_state)", [])
        .unwrap();
    drop(damaged);
    refused(gsi(&at("c"), &file("back.db")).args(["store", "check"]), "not everything can be read");
}
