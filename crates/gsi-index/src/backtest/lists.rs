//! More than one list of crises: each judged against the days that are calm by that list, and against those that are
//! calm by all of them.

use super::labels::label_with_lists;
use super::metrics::{BOOTSTRAP_SEED, Draws, LabelledDay, Ranked};
use super::series::History;
use gsi_model::{Crisis, Pillar};
use serde::Serialize;
use std::collections::BTreeMap;

/// Dated crises under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct CrisisList {
    pub name: String,
    pub crises: Vec<Crisis>,
}

/// Separation with one kind of calm days.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListSeparation {
    pub auc: Option<f64>,
    pub lo: Option<f64>,
    pub hi: Option<f64>,
    pub positives: usize,
    pub negatives: usize,
}

/// One list, for every pillar and the composite.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListReport {
    pub name: String,
    pub crises: usize,
    /// Negatives: days that are calm by this list.
    pub own_calm: BTreeMap<String, ListSeparation>,
    /// Negatives: days that are calm by every list.
    pub common_calm: BTreeMap<String, ListSeparation>,
}

/// Judges every list. With one list both kinds of calm days are the same, and the result is empty.
pub fn by_list(history: &History, lists: &[CrisisList]) -> Vec<ListReport> {
    if lists.len() < 2 {
        return Vec::new();
    }
    lists
        .iter()
        .map(|list| {
            let others: Vec<&Crisis> =
                lists.iter().filter(|other| *other != list).flat_map(|other| &other.crises).collect();
            ListReport {
                name: list.name.clone(),
                crises: list.crises.len(),
                own_calm: subjects(history, &list.crises, &[]),
                common_calm: subjects(history, &list.crises, &others),
            }
        })
        .collect()
}

fn subjects(history: &History, crises: &[Crisis], others: &[&Crisis]) -> BTreeMap<String, ListSeparation> {
    let pillars = Pillar::ALL.iter().map(|p| (p.key(), Some(*p))).chain([("composite", None)]);
    pillars.map(|(name, pillar)| (name.to_owned(), separation(history, crises, others, pillar))).collect()
}

fn separation(
    history: &History,
    crises: &[Crisis],
    others: &[&Crisis],
    pillar: Option<Pillar>,
) -> ListSeparation {
    let days: Vec<LabelledDay> = history
        .scored(pillar)
        .into_iter()
        .map(|(day, score)| LabelledDay { day, score, label: label_with_lists(crises, others, pillar, day) })
        .collect();
    let ranked = Ranked::new(&days);
    let enough = ranked.too_few().is_none();
    let interval = if enough { ranked.interval(&mut Draws::new(BOOTSTRAP_SEED)) } else { None };
    ListSeparation {
        auc: if enough { ranked.auc() } else { None },
        lo: interval.map(|i| i.0),
        hi: interval.map(|i| i.1),
        positives: ranked.positives(),
        negatives: ranked.negatives(),
    }
}
