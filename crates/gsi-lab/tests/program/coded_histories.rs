//! docs/validation-coded.md and docs/validation-countries.md are exactly what the command prints from the coded histories.

use crate::{LAB, repository};
use drills::succeed;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns what the command prints with these arguments, and the page of the documentation. `None` without the data.
fn printed(page: &str, arguments: &dyn Fn(&Path) -> Vec<PathBuf>) -> Option<(String, String)> {
    let data = drills::real_data::folder()?;
    let printed = succeed(Command::new(LAB).arg("backtest").args(arguments(&data)));
    let page = std::fs::read_to_string(repository(page)).unwrap();
    Some((printed, page.trim().to_owned()))
}

#[test]
fn the_page_is_what_the_command_prints() {
    let arguments = |data: &Path| {
        let own = ["--observations".into(), data.join("observations"), "--crises".into()];
        own.into_iter().chain([data.join("crises/crises.json"), "--coded".into(), data.to_owned()]).collect()
    };
    let Some((printed, page)) = printed("docs/validation-coded.md", &arguments) else { return };
    assert!(page.contains("| Egypt, coup | 2013-07-03 |"), "the page reports failures");
    assert_eq!(printed, page, "write it again with --report docs/validation-coded.md");
}

#[test]
fn country_scores_stand_out_at_coups() {
    let arguments = |data: &Path| vec!["--countries".into(), "--coded".into(), data.to_owned()];
    let Some((printed, page)) = printed("docs/validation-countries.md", &arguments) else { return };
    assert_eq!(printed, page, "write it again with --report docs/validation-countries.md");
    let row = |name: &str| {
        let line = page.lines().find(|l| l.starts_with(&format!("| {name} |"))).unwrap().to_owned();
        line.split('|').nth(2).unwrap().trim().get(..4).unwrap().parse::<f64>().unwrap()
    };
    let score = row("conflict score");
    assert!(score >= 0.84, "coups rank at {score}");
    assert!(
        score > row("violent reports") && score > row("last month's deaths"),
        "the plain arms do as well"
    );
    assert!(page.contains("the war is the lower by score in 0,"), "a country at war is below a peaceful one");
}
