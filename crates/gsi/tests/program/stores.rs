//! One scenario on both backends, and stores moved from one to the other: the same digests everywhere.

use crate::gsi as program;
use drills::postgres::PostgresServer;
use drills::{DISABLED_FEEDS, succeed, text_of};
use std::path::Path;
use std::process::Command;

fn gsi(data: &Path, store: &str) -> Command {
    let mut command = program(data);
    command.args(["--store", store]).env("GSI_FEEDS_DISABLED", DISABLED_FEEDS);
    command
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

/// Everything that a run decides. Keys and secrets are random.
fn contents(data: &Path, store: &str) -> serde_json::Value {
    let text = succeed(gsi(data, store).args(["store", "check", "--json"]));
    let mut checked: serde_json::Value = serde_json::from_str(&text).unwrap();
    let contents = checked["contents"].as_object_mut().unwrap();
    for random in ["keys", "key_audit", "secrets"] {
        assert!(contents.remove(random).unwrap()["rows"].as_u64().unwrap() > 0);
    }
    checked["contents"].take()
}

#[test]
fn one_scenario_is_the_same_on_both_and_moves_between_them() {
    let Some(server) = PostgresServer::start() else { return };
    let mut admin = postgres::Client::connect(&server.url("postgres"), postgres::NoTls).unwrap();
    for name in ["lived", "copied", "restored"] {
        admin.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let file = |name: &str| format!("sqlite:{}", at(name).display());
    let (sqlite, postgres) = (file("lived.db"), server.url("lived"));
    std::thread::scope(|scope| {
        scope.spawn(|| live_through(&at("a"), &sqlite));
        live_through(&at("b"), &postgres);
    });
    let (one, other) = (contents(&at("a"), &sqlite), contents(&at("b"), &postgres));
    for content in ["snapshots", "event_versions", "briefings", "observations", "news_rows", "engine_states"]
    {
        assert!(one[content]["rows"].as_u64().unwrap() > 0, "{content}");
    }
    assert_eq!(one, other, "SQLite and PostgreSQL differ");
    // The comparison with the real past, which this world has, can be computed again on both.
    for (data, store) in [(at("a"), &sqlite), (at("b"), &postgres)] {
        let last = gsi_store::open(store).unwrap().published_at(gsi_model::Timestamp::MAX).unwrap().unwrap();
        assert!(last.snapshot.context.is_some_and(|c| c.reconstructed.is_some_and(|r| r.days > 9_000)));
        assert!(succeed(gsi(&data, store).args(["replay", "--verify"])).contains("the same byte for byte"));
    }

    // A request for a correction waits while the store moves. The next tick on either store answers it.
    let briefings = succeed(gsi(&at("a"), &sqlite).args(["briefing", "list", "--json"]));
    let briefings: serde_json::Value = serde_json::from_str(&briefings).unwrap();
    let id = briefings[0]["id"].as_str().unwrap();
    let ask = ["briefing", "correct", id, "--because", "late-data"];
    succeed(gsi(&at("a"), &sqlite).args(ask));

    // Copied to PostgreSQL and back. `store copy` compares digests itself, and this compares the two ends.
    let whole = |store: &str| succeed(gsi(&at("c"), store).args(["store", "check"]));
    succeed(gsi(&at("c"), "").args(["store", "copy", &sqlite, &server.url("copied")]));
    succeed(gsi(&at("c"), "").args(["store", "copy", &server.url("copied"), &file("back.db")]));
    assert_eq!(whole(&sqlite), whole(&file("back.db")));

    // A backup of the server, restored into another.
    let backup = at("backup.db");
    succeed(gsi(&at("c"), &postgres).args(["store", "backup"]).arg(&backup));
    succeed(gsi(&at("c"), &server.url("restored")).args(["store", "restore"]).arg(&backup));
    assert_eq!(whole(&postgres), whole(&server.url("restored")));

    // A moved store continues: identity columns count on, keys are valid, and the next tick follows.
    let continue_on = |data: &Path, store: &str| {
        succeed(
            gsi(data, store)
                .args(["demo", "--listen", "127.0.0.1:0", "--days", "2", "--at", "2026-11-14T16:00:00Z"])
                .args(["--scenario", "border_war", "--until", "2026-11-14T16:00:01Z"])
                .env("GSI_DEMO_ROWS_PER_SLOT", "80"),
        );
        contents(data, store)
    };
    let (here, there) = std::thread::scope(|scope| {
        let here = scope.spawn(|| continue_on(&at("a"), &sqlite));
        let there = continue_on(&at("b"), &server.url("copied"));
        (here.join().unwrap(), there)
    });
    assert_eq!(here, there, "the stores differ after the move");
    assert_eq!(here["corrections"]["rows"], 1);
    for store in [&sqlite, &server.url("copied")] {
        let list = succeed(gsi(&at("c"), store).args(["briefing", "list", "--day", "2026-11-13"]));
        assert!(list.contains("corrected by brf_") && list.contains("Correction: "), "{list}");
        // Both take one request for a correction and refuse the second.
        let newest = succeed(gsi(&at("c"), store).args(["briefing", "list", "--json"]));
        let newest: serde_json::Value = serde_json::from_str(&newest).unwrap();
        let newest = newest[0]["id"].as_str().unwrap();
        let ask = ["briefing", "correct", newest, "--because", "wrong-text"];
        succeed(gsi(&at("c"), store).args(ask));
        let again = gsi(&at("c"), store).args(ask).output().unwrap();
        assert_eq!(again.status.code(), Some(1));
        assert!(text_of(&again).contains("waits for the next tick"), "{}", text_of(&again));
    }

    let refused = |command: &mut Command, says: &str| {
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        assert!(text_of(&done).contains(says), "{}", text_of(&done));
    };
    refused(gsi(&at("c"), "").args(["store", "copy", &sqlite, &postgres]), "not empty");
    refused(gsi(&at("c"), "").args(["store", "copy", &file("none.db"), &postgres]), "there is no");
    refused(gsi(&at("c"), &postgres).args(["store", "backup"]).arg(&backup), "exists");

    // Damage is found: one byte of one body.
    let damaged = rusqlite::Connection::open(at("back.db")).unwrap();
    damaged
        .execute("UPDATE engine_state SET body = x'00' WHERE tick = (SELECT max(tick) FROM engine_state)", [])
        .unwrap();
    drop(damaged);
    refused(gsi(&at("c"), &file("back.db")).args(["store", "check"]), "cannot read the whole store");
}
