//! docs/validation-coded.md is what the command prints from the coded histories, to the letter.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_page_is_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("GSI_REAL_DATA").map(PathBuf::from);
    let data = given.clone().unwrap_or_else(|| root.join("../shared/data"));
    if given.is_none() && !data.is_dir() {
        println!("skipped: no real data");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_gsi"))
        .args(["backtest", "--observations"])
        .arg(data.join("observations"))
        .arg("--crises")
        .arg(data.join("crises/crises.json"))
        .arg("--coded")
        .arg(&data)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(root.join("docs/validation-coded.md")).unwrap();
    assert!(page.contains("| Egypt, coup | 2013-07-03 |"), "the page tells of failures");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.trim_end(), page.trim_end(), "write it anew with --report docs/validation-coded.md");
}
