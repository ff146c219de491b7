//! Stage five: does the text say only what the facts say?

use crate::facts::Facts;
use crate::plan::Plan;
use crate::text::Sentence;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Unlinked,
}
impl Reason {
    pub fn code(self) -> &'static str {
        "unlinked"
    }
}
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    pub reason: Reason,
    pub sentence: usize,
    pub detail: String,
}
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    pub problems: Vec<Problem>,
}
pub fn verify_against(_text: &str, _plan: &Plan, _facts: &Facts, _template: Option<&str>) -> Report {
    Report::default()
}
pub fn keep_verified(
    sentences: Vec<Sentence>,
    plan: &Plan,
    facts: &Facts,
    join: &dyn Fn(&[Sentence]) -> String,
) -> (Vec<Sentence>, Report) {
    let report = verify_against(&join(&sentences), plan, facts, None);
    (sentences, report)
}
