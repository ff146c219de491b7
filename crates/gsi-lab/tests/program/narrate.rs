//! `gsi-lab narrate` shows how a text is made.

use crate::{gsi, lab};

#[test]
fn narrate_shows_each_stage() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let done = gsi(data)
        .env("GSI_DEMO_ROWS_PER_SLOT", "60")
        .args(["demo", "--listen", "127.0.0.1:0", "--days", "1", "--at", "2026-11-14T00:30:00Z"])
        .args(["--until", "2026-11-14T00:30:01Z"])
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let show = |arguments: &[&str]| {
        let done = lab(data).arg("narrate").args(arguments).output().unwrap();
        (
            done.status.success(),
            String::from_utf8(done.stdout).unwrap(),
            String::from_utf8(done.stderr).unwrap(),
        )
    };
    let (_, text, stderr) = show(&["--as-of", "2026-11-14T00:20:00Z"]);
    assert!(stderr.contains("as of 2026-11-14T00:15:00Z") && !stderr.contains("phrased"), "{stderr}");
    assert!(text.starts_with("Simulated data: ") && text.split_whitespace().count() >= 60, "{text}");
    let json = |stage: &str| -> serde_json::Value {
        let (fine, out, stderr) = show(&["--as-of", "2026-11-14T00:20:00Z", "--show", stage]);
        assert!(fine, "{stderr}");
        serde_json::from_str(&out).unwrap()
    };
    let facts = json("facts");
    assert!(facts["list"].as_array().unwrap().iter().any(|f| f["id"] == "global.level"));
    let plan = json("plan");
    assert_eq!(plan["about"], "summary");
    assert_eq!(plan["items"][0]["slot"], "lead");
    let (_, day, _) = show(&["--about", "day"]);
    assert!(day.matches("\n---\n").count() >= 4 && day.contains("Key judgements: "), "{day}");
    let (fine, _, stderr) = show(&["--about", "theater:atlantis"]);
    assert!(!fine && stderr.contains("there are summary, day, global"), "{stderr}");
    let (fine, _, stderr) = show(&["--as-of", "2020-01-01T00:00:00Z"]);
    assert!(!fine && stderr.contains("nothing was published"), "{stderr}");
}
