//! Keys while the service runs: the operator creates, lists, audits, rotates and revokes them.

use drills::demo::RunningDemo;
use drills::{DISABLED_FEEDS, succeed, text_of, wait_until};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A change of keys takes a tenth of it.
const PROMPTLY: Duration = Duration::from_secs(30);
const OLD: &str = "the-operators-first-key";
const NEW: &str = "the-operators-second-key";

fn gsi(data: &Path) -> Command {
    let mut command = crate::gsi(data);
    command.env("USER", "alice").env_remove("SUDO_USER");
    command.env("GSI_FEEDS_DISABLED", DISABLED_FEEDS).env("GSI_DEMO_ROWS_PER_SLOT", "40");
    command
}

#[test]
fn keys_change_while_the_service_runs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("operator.key");
    std::fs::write(&file, OLD).unwrap();
    let mut demo = gsi(&data);
    demo.args(["demo", "--listen", "127.0.0.1:0", "--days", "1", "--at", "2026-11-14T10:00:00Z"]);
    demo.args(["--log", "error", "--scenario", "border_war"]);
    let service = RunningDemo::start(demo.env("GSI_API_KEY_FILE", &file));
    let status = |key: &str| service.get_as(Some(key), "/v1/global-stability").status;

    // A key works from the moment it is printed.
    let first = succeed(gsi(&data).args(["key", "create", "--name", "desk"]));
    assert_eq!(status(&first), 200);
    let second = succeed(gsi(&data).args(["key", "rotate", &first, "--grace", "1h"]));
    assert_eq!((status(&first), status(&second)), (200, 200));
    succeed(gsi(&data).args(["key", "revoke", &first]));
    wait_until("a revoked key is refused", PROMPTLY, || status(&first) == 401);
    let again = gsi(&data).args(["key", "rotate", &first]).output().unwrap();
    assert!(!again.status.success() && text_of(&again).contains("revoked"), "{}", text_of(&again));
    assert_eq!((status(&first), status(&second)), (401, 200), "a rotation brings nothing back");

    // The operator's own key is read again when its file changes. One that cannot be used leaves the old one valid.
    assert_eq!((status(OLD), status(NEW)), (200, 401));
    std::fs::write(&file, "short").unwrap();
    std::thread::sleep(Duration::from_millis(2_500));
    assert_eq!(status(OLD), 200);
    std::fs::write(&file, NEW).unwrap();
    wait_until("the operator's key is replaced", PROMPTLY, || (status(OLD), status(NEW)) == (401, 200));

    // Cursors survive a rotation of their secret, or end with it, as the operator decides.
    let page = |cursor: &str| {
        let answer = service.get_as(Some(&second), &format!("/v1/conflict?limit=1{cursor}"));
        (answer.status, serde_json::from_str::<Value>(&answer.body).unwrap())
    };
    let cursor = page("").1["next_cursor"].as_str().expect("more than one event").to_owned();
    let walk = || page(&format!("&cursor={cursor}")).0;
    assert_eq!(walk(), 200);
    let rotate = ["key", "rotate-cursor-secret"];
    succeed(gsi(&data).args(rotate));
    wait_until("new cursors have a new signature", PROMPTLY, || page("").1["next_cursor"] != cursor.as_str());
    assert_eq!(walk(), 200);
    succeed(gsi(&data).args(rotate).args(["--grace", "0"]));
    wait_until("old cursors are refused", PROMPTLY, || walk() == 400);

    // The audit lists all of it, without a secret.
    let audit = succeed(gsi(&data).args(["key", "audit", "--json"]));
    let entries: Vec<Value> = serde_json::from_str(&audit).unwrap();
    let id = |key: &str| key[4..14].to_owned();
    let actions: Vec<(String, String)> = entries
        .iter()
        .map(|e| (e["action"].as_str().unwrap().to_owned(), e["key"].as_str().unwrap_or("-").to_owned()))
        .collect();
    let want = [
        ("created", id(&service.key)),
        ("created", id(&first)),
        ("created", id(&second)),
        ("expiry_changed", id(&first)),
        ("revoked", id(&first)),
        ("operator_key_replaced", "-".into()),
        ("cursor_secret_rotated", "-".into()),
        ("cursor_secret_rotated", "-".into()),
    ];
    assert_eq!(actions, want.map(|(action, key)| (action.to_owned(), key)));
    assert!(entries[4]["by"].as_str().unwrap().starts_with("gsi key revoke by alice on "), "{audit}");
    assert!(entries[5]["by"].as_str().unwrap().starts_with("the service"), "{audit}");
    for secret in [&first[15..], &second[15..], NEW] {
        assert!(!audit.contains(secret));
    }
    assert!(succeed(gsi(&data).args(["key", "audit"])).contains("cursor_secret_rotated"));

    // The day of the last use is stored at the latest when the service ends. It is the simulated day.
    let mut service = service;
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&service.child),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    service.child.wait().unwrap();
    let keys: Vec<Value> =
        serde_json::from_str(&succeed(gsi(&data).args(["key", "list", "--json"]))).unwrap();
    let used = keys.iter().find(|k| k["id"] == id(&second)).unwrap();
    assert_eq!(used["last_used"], "2026-11-14", "{used}");
    assert!(succeed(gsi(&data).args(["key", "list"])).contains("LAST USED"));
    // The audit is only added to.
    let store = rusqlite::Connection::open(data.join("gsi.db")).unwrap();
    for change in ["DELETE FROM key_audit", "UPDATE key_audit SET made_by = 'another'"] {
        assert!(store.execute(change, []).unwrap_err().to_string().contains("only added to"), "{change}");
    }
}
