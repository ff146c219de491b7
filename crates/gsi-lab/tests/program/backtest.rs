//! The packed history: its contents, the backtest of it, and refused files.

use crate::{LAB, repository};
use std::process::{Command, Output};

fn lab(arguments: &[&str]) -> Output {
    let mut command = Command::new(LAB);
    command.args(arguments).env_remove("GSI_CONFIG").output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = lab(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// `cargo run --release -p gsi-lab -- backtest --report docs/validation.md` writes it again after a change of the method.
#[test]
fn the_validation_page_is_what_a_backtest_without_arguments_prints() {
    let page = std::fs::read_to_string(repository("docs/validation.md")).unwrap();
    let printed = stdout(&["backtest"]);
    let difference = page.lines().zip(printed.lines()).find(|(page, printed)| page != printed);
    assert_eq!(difference, None, "docs/validation.md differs from this run");
    assert_eq!(page, printed);
}

#[test]
fn the_packed_history_is_shown() {
    let shown: serde_json::Value = serde_json::from_str(&stdout(&["history", "show", "--json"])).unwrap();
    assert_eq!(
        (&shown["format"], &shown["from"], &shown["to"]),
        (&1.into(), &"2000-01-01".into(), &"2024-12-31".into())
    );
    for series in shown["series"].as_array().unwrap() {
        for field in ["publisher", "licence", "retrieved", "released", "attribution"] {
            assert!(series[field].as_str().is_some_and(|text| text.len() > 3), "{field}: {series}");
        }
    }
    assert!(stdout(&["history", "show"]).contains("Lehman Brothers (macro)"));
}

#[test]
fn an_error_about_a_damaged_file_names_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let packed = std::fs::read(repository("method/history/observations.csv.gz")).unwrap();
    let refused = |name: &str, bytes: &[u8], place: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        for command in [&["history", "show"][..], &["backtest", "--history"]] {
            let output = lab(&[command, &[path.to_str().unwrap()]].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{name}: {said}");
            assert!(said.contains(name) && said.contains(place) && output.stdout.is_empty(), "{said}");
        }
    };
    refused("cut", &packed[..packed.len() / 2], "refused at line ");
    refused("plain", b"series,period_start,period_end,known_at,value\n", "refused at line 1");
    refused("longer", &[&packed[..], b"x"].concat(), "refused at the end");
}

#[test]
fn a_method_compared_with_itself_has_no_difference() {
    let catalogue = repository("method/catalogue.toml");
    let path = catalogue.to_str().unwrap();
    let span = ["--from", "2014-01-01", "--to", "2018-12-31"];
    let compared = stdout(&[&["backtest", "--method", path, "--method", path, "--json"][..], &span].concat());
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    for (subject, paired) in compared["separation"].as_object().unwrap() {
        if paired["first"].is_number() {
            for field in ["difference", "lo", "hi"] {
                assert_eq!(paired[field], 0.0, "{subject} {field}");
            }
        }
    }
    assert!(compared["separation"]["macro"]["first"].as_f64().is_some_and(|auc| auc > 0.5));
    let three = lab(&["backtest", "--method", path, "--method", path, "--method", path]);
    assert!(!three.status.success());
}

#[test]
fn two_lists_are_judged_with_both_kinds_of_calm_days() {
    let folder = tempfile::tempdir().unwrap();
    let list = |name: &str, crises: &[(&str, &str)]| {
        let crises: Vec<_> = crises
            .iter()
            .map(|(date, end)| serde_json::json!({"name": date, "date": date, "end": end, "pillars": ["macro"], "tier": "A"}))
            .collect();
        let path = folder.path().join(name);
        std::fs::write(&path, serde_json::to_string(&crises).unwrap()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let one = list("one.json", &[("2015-08-24", "2015-09-30"), ("2016-06-24", "2016-07-10")]);
    let two = list("two.json", &[("2018-02-05", "2018-03-30")]);
    let span = ["--from", "2014-01-01", "--to", "2018-12-31"];
    let lists = ["backtest", "--crises", &one, "--crises", &two];
    let report = stdout(&[&lists[..], &["--json"], &span].concat());
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let days = |list: usize, kind: &str, of: &str| report["lists"][list][kind]["macro"][of].as_u64().unwrap();
    assert_eq!(report["lists"][0]["name"], "one");
    assert_eq!(days(0, "own_calm", "positives"), 28);
    assert_eq!(days(1, "common_calm", "positives"), 14);
    // The other list's crisis and its margins: 14 days before to 30 days after.
    assert_eq!(days(0, "own_calm", "negatives") - days(0, "common_calm", "negatives"), 14 + 54 + 30);
    let page = stdout(&[&lists[..], &span].concat());
    assert!(
        page.contains("## By list and by kind of calm days") && page.contains("| one, 2 crises | macro |")
    );
}
