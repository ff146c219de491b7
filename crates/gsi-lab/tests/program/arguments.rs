//! Invalid arguments are refused before anything is created.

use crate::lab;

#[test]
fn invalid_arguments_are_refused_before_anything_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let backwards = ["--from", "2026-11-09T00:00:00Z", "--to", "2026-11-08T00:00:00Z"];
    for (arguments, reason) in [
        (
            &["compare", "sqlite:a", "sqlite:b", backwards[0], backwards[1], backwards[2], backwards[3]][..],
            "after --to",
        ),
        (&["calibrate", "--as-of", "today"], "a day such as 2026-11-01"),
        (&["backtest", "--from", "2024-01-01", "--to", "2023-01-01"], "--from must be before --to"),
        (&["backtest", "--with", "nothing"], "--with takes"),
    ] {
        let output = lab(&data).args(arguments).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(reason), "{arguments:?}: {stderr}");
    }
    assert!(!data.exists());
}
