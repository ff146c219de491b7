//! Labels of days: crisis, calm, or left out.

use gsi_model::{Crisis, Day, Pillar};
use serde::Deserialize;

/// Days from the onset that count as positive.
const POSITIVE_DAYS: i32 = 14;
/// Around every crisis, of whatever pillar, no day counts as calm.
const MARGIN_BEFORE: i32 = 14;
const MARGIN_AFTER: i32 = 30;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CrisisError {
    #[error("the crisis list cannot be read: {0}")]
    Syntax(String),
    #[error("crisis {name:?}: {problem}")]
    Refused { name: String, problem: String },
}

#[derive(Deserialize)]
struct ListedCrisis {
    name: String,
    date: String,
    end: String,
    pillars: Vec<String>,
    #[serde(default)]
    tier: String,
}

/// A JSON list of `{name, date, end, pillars, tier}`.
pub fn parse_crises(text: &str) -> Result<Vec<Crisis>, CrisisError> {
    let listed: Vec<ListedCrisis> =
        serde_json::from_str(text).map_err(|e| CrisisError::Syntax(e.to_string()))?;
    listed.into_iter().map(from_listed).collect()
}

fn from_listed(listed: ListedCrisis) -> Result<Crisis, CrisisError> {
    let refuse = |problem: String| CrisisError::Refused { name: listed.name.clone(), problem };
    let day = |text: &str| Day::parse_iso(text).ok_or_else(|| refuse(format!("{text:?} is not a day")));
    let (start, end) = (day(&listed.date)?, day(&listed.end)?);
    if end < start {
        return Err(refuse(format!("it ends on {end}, before it began")));
    }
    let pillars = listed
        .pillars
        .iter()
        .map(|p| Pillar::from_key(p).ok_or_else(|| refuse(format!("{p:?} is not a pillar"))))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Crisis { name: listed.name, start, end, pillars, tier: listed.tier })
}

fn is_positive(crisis: &Crisis, day: Day) -> bool {
    crisis.start <= day && day < crisis.start.plus(POSITIVE_DAYS)
}

fn is_near(crisis: &Crisis, day: Day) -> bool {
    crisis.start.plus(-MARGIN_BEFORE) <= day && day <= crisis.end.plus(MARGIN_AFTER)
}

/// The label of a day for a pillar (or, with `None`, for the composite).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// In the first days of this crisis.
    Positive(usize),
    Negative,
    LeftOut,
}

pub(crate) fn label(crises: &[Crisis], pillar: Option<Pillar>, day: Day) -> Label {
    label_with_lists(crises, &[], pillar, day)
}

/// The same, with no day counted as calm that is near a crisis of another list.
pub(crate) fn label_with_lists(
    crises: &[Crisis],
    others: &[&Crisis],
    pillar: Option<Pillar>,
    day: Day,
) -> Label {
    if let Some(at) = crises.iter().position(|c| c.concerns(pillar) && is_positive(c, day)) {
        return Label::Positive(at);
    }
    if crises.iter().chain(others.iter().copied()).any(|c| is_near(c, day)) {
        Label::LeftOut
    } else {
        Label::Negative
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        let text = r#"[{"name":"x","date":"2020-03-01","end":"2020-03-20","pillars":["macro"],"tier":"A"}]"#;
        let crises = parse_crises(text).unwrap();
        let at = |day: &str, pillar| label(&crises, pillar, Day::parse_iso(day).unwrap());
        for (day, pillar, want) in [
            ("2020-02-15", None, Label::Negative),
            ("2020-02-16", None, Label::LeftOut),
            ("2020-03-01", None, Label::Positive(0)),
            ("2020-03-01", Some(Pillar::Macro), Label::Positive(0)),
            ("2020-03-01", Some(Pillar::Cyber), Label::LeftOut),
            ("2020-03-14", None, Label::Positive(0)),
            ("2020-03-15", None, Label::LeftOut),
            ("2020-04-19", None, Label::LeftOut),
            ("2020-04-20", None, Label::Negative),
        ] {
            assert_eq!(at(day, pillar), want, "{day} {pillar:?}");
        }
        for bad in [
            "{}",
            r#"[{"name":"x","date":"2020-03-01","end":"2020-02-20","pillars":["macro"]}]"#,
            r#"[{"name":"x","date":"2020-03-01","end":"2020-03-20","pillars":["micro"]}]"#,
            r#"[{"name":"x","date":"2020-13-01","end":"2020-03-20","pillars":[]}]"#,
        ] {
            assert!(parse_crises(bad).is_err(), "{bad}");
        }
    }
}
