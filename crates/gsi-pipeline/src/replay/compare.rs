//! Compares a computed tick with the stored one and finds the first difference.

use crate::model::TickTexts;
use crate::state::PipelineState;
use crate::tick::step::TickScores;
use gsi_model::{
    Alert, Briefing, CountrySnapshot, DAY, Event, EventChange, EventVersion, GeneratedBy, Observation,
    TextAuthor, Timestamp,
};
use gsi_store::{Published, ReadStore, Result};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Events are compared when they change, and the whole list at this interval.
const WHOLE_LIST_EVERY_SECONDS: i64 = DAY;
/// Characters shown of a longer value.
const MAX_SHOWN_CHARS: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub tick: Timestamp,
    pub what: ComparedPart,
    /// The path of the field: `pillars[0].indicators[2].value`.
    pub place: String,
    pub stored: String,
    pub computed: String,
}

/// A part of a tick that a replay compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComparedPart {
    Snapshot,
    Countries,
    Summary,
    /// An event by its id.
    Event(String),
    /// An event that was merged into another.
    MergedEvent(String),
    /// A derived value by its series, entity, period and revision.
    Derived(String),
    Briefing(String),
    Alert(String),
}

impl fmt::Display for ComparedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComparedPart::Snapshot => f.write_str("snapshot"),
            ComparedPart::Countries => f.write_str("countries"),
            ComparedPart::Summary => f.write_str("summary"),
            ComparedPart::Event(id) => write!(f, "event {id}"),
            ComparedPart::MergedEvent(id) => write!(f, "event {id}, merged"),
            ComparedPart::Derived(value) => write!(f, "derived {value}"),
            ComparedPart::Briefing(id) => write!(f, "briefing {id}"),
            ComparedPart::Alert(id) => write!(f, "alert {id}"),
        }
    }
}

impl Serialize for ComparedPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.tick, self.what)?;
        if !self.place.is_empty() {
            write!(f, " at {}", self.place)?;
        }
        write!(f, "\n  stored    {}\n  computed  {}", self.stored, self.computed)
    }
}

pub struct Tick<'a> {
    pub store: &'a dyn ReadStore,
    pub tick: Timestamp,
    pub stored: Option<&'a Published>,
    pub state: &'a PipelineState,
}

impl Tick<'_> {
    pub fn compare_scores(
        &self,
        computed: &TickScores,
        derived: &[Observation],
        countries: Option<&CountrySnapshot>,
    ) -> Result<Option<Difference>> {
        if let Some(found) = self.derived(&computed.derived, derived) {
            return Ok(Some(found));
        }
        if let Some(found) = self.events(&computed.events)? {
            return Ok(Some(found));
        }
        let stored = self.stored.map(|p| &p.snapshot);
        let world = self.differ(ComparedPart::Snapshot, &stored, &computed.snapshot.as_ref());
        Ok(world.or_else(|| self.differ(ComparedPart::Countries, &countries, &computed.countries.as_ref())))
    }

    /// Compares texts. A language model's text cannot be reproduced, so only its facts are compared.
    pub fn compare_texts(&self, computed: &TickTexts, stored: &[Briefing]) -> Option<Difference> {
        let published = self.stored?;
        if let Some(found) =
            self.differ(ComparedPart::Summary, &Some(&published.summary), &computed.summary.as_ref())
        {
            return Some(found);
        }
        let by_id = |all: &[Briefing]| -> BTreeMap<String, Briefing> {
            all.iter().map(|b| (b.id.to_string(), b.clone())).collect()
        };
        let (mut stored, mut computed) = (by_id(stored), by_id(&computed.briefings));
        for (id, kept) in &mut stored {
            if let Some(made) = computed.get_mut(id)
                && kept.generated_by.how != made.generated_by.how
            {
                for briefing in [&mut *kept, made] {
                    briefing.summary.clear();
                    briefing.headline.clear();
                    briefing.generated_by = GeneratedBy { how: TextAuthor::Template, rejected: None };
                }
            }
        }
        self.each(ComparedPart::Briefing, &stored, &computed)
    }

    pub fn compare_alerts(&self, computed: &[Alert], stored: &[Alert]) -> Option<Difference> {
        let by_id = |all: &[Alert]| -> BTreeMap<String, Alert> {
            all.iter().map(|a| (a.id.to_string(), a.clone())).collect()
        };
        self.each(ComparedPart::Alert, &by_id(stored), &by_id(computed))
    }

    fn derived(&self, computed: &[Observation], stored: &[Observation]) -> Option<Difference> {
        let by_place = |all: &[Observation]| -> BTreeMap<String, Observation> {
            let place = |o: &Observation| {
                format!("{} {} {} revision {}", o.series, o.entity, o.period_end, o.revision)
            };
            all.iter().map(|o| (place(o), o.clone())).collect()
        };
        self.each(ComparedPart::Derived, &by_place(stored), &by_place(computed))
    }

    fn events(&self, changes: &[EventChange]) -> Result<Option<Difference>> {
        // Of two versions in one tick the later is stored.
        let mut computed: BTreeMap<String, &EventVersion> = BTreeMap::new();
        for change in changes {
            match change {
                EventChange::Put(version) => drop(computed.insert(version.event.id.to_string(), version)),
                EventChange::Merged { gone, kept } => {
                    computed.remove(gone.as_str());
                    let into = self.store.event(gone, self.tick)?.map(|r| r.event.id);
                    if into.as_ref() != Some(kept) {
                        let what = ComparedPart::MergedEvent(gone.to_string());
                        return Ok(self.differ(what, &into.as_ref(), &Some(kept)));
                    }
                }
            }
        }
        for (id, version) in computed {
            let record = self.store.event(&version.event.id, self.tick)?;
            let stored = record.as_ref().and_then(|r| r.versions.last()).filter(|v| v.0 == self.tick);
            if let Some(found) = self.differ(ComparedPart::Event(id), &stored.map(|v| &v.1), &Some(version)) {
                return Ok(Some(found));
            }
        }
        if self.tick.unix() % WHOLE_LIST_EVERY_SECONDS != 0 {
            return Ok(None);
        }
        let since = self.tick.minus(7 * DAY);
        let by_id = |e: &Event| (e.id.to_string(), e.clone());
        let stored = self.store.events_active(self.tick, since)?.iter().map(by_id).collect();
        let active = self.state.events.as_slice().iter().filter(|e| e.last_activity > since);
        Ok(self.each(ComparedPart::Event, &stored, &active.map(by_id).collect()))
    }

    fn each<T: Serialize + PartialEq>(
        &self,
        part: fn(String) -> ComparedPart,
        stored: &BTreeMap<String, T>,
        computed: &BTreeMap<String, T>,
    ) -> Option<Difference> {
        let names = stored.keys().chain(computed.keys().filter(|k| !stored.contains_key(*k)));
        names
            .filter(|name| stored.get(*name) != computed.get(*name))
            .find_map(|name| self.differ(part(name.clone()), &stored.get(name), &computed.get(name)))
    }

    /// Returns `None` if both have the same bytes.
    fn differ<T: Serialize>(&self, what: ComparedPart, stored: &T, computed: &T) -> Option<Difference> {
        let bytes = |value: &T| serde_json::to_vec(value).unwrap_or_default();
        let (a, b) = (bytes(stored), bytes(computed));
        if a == b {
            return None;
        }
        let read = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap_or(Value::Null);
        let (place, stored, computed) = first_difference(&read(&a), &read(&b));
        Some(Difference { tick: self.tick, what, place, stored, computed })
    }
}

/// Finds the first difference of two documents, depth first in the order of their fields.
fn first_difference(a: &Value, b: &Value) -> (String, String, String) {
    let mut place = String::new();
    let (mut a, mut b) = (a, b);
    loop {
        let next = match (a, b) {
            (Value::Object(x), Value::Object(y)) => {
                let names = x.keys().chain(y.keys().filter(|k| !x.contains_key(*k)));
                // The id is a digest of the other fields, so a difference in those is shown first.
                let mut different: Vec<&String> = names.filter(|k| x.get(*k) != y.get(*k)).collect();
                different.sort_by_key(|k| k.as_str() == "id");
                different.first().map(|k| {
                    let dot = if place.is_empty() { "" } else { "." };
                    (
                        format!("{dot}{k}"),
                        x.get(*k).unwrap_or(&Value::Null),
                        y.get(*k).unwrap_or(&Value::Null),
                    )
                })
            }
            (Value::Array(x), Value::Array(y)) => {
                (0..x.len().max(y.len())).find(|i| x.get(*i) != y.get(*i)).map(|i| {
                    (format!("[{i}]"), x.get(i).unwrap_or(&Value::Null), y.get(i).unwrap_or(&Value::Null))
                })
            }
            _ => None,
        };
        match next {
            Some((step, x, y)) => {
                place.push_str(&step);
                (a, b) = (x, y);
            }
            None => return (place, shown(a), shown(b)),
        }
    }
}

fn shown(value: &Value) -> String {
    let text = if value.is_null() { "nothing".to_owned() } else { value.to_string() };
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named() {
        let check = |a: Value, b: Value, place: &str, stored: &str, computed: &str| {
            let found = first_difference(&a, &b);
            assert_eq!(found, (place.to_owned(), stored.to_owned(), computed.to_owned()));
        };
        check(json!({"a": [1, {"b": 2}]}), json!({"a": [1, {"b": 3}]}), "a[1].b", "2", "3");
        check(json!({"a": [1]}), json!({"a": [1, 2]}), "a[1]", "nothing", "2");
        check(json!({"id": 1, "z": 2}), json!({"id": 2, "z": 3}), "z", "2", "3");
        check(json!({"id": 1}), json!({"id": 2}), "id", "1", "2");
        check(json!(null), json!({"a": 1}), "", "nothing", r#"{"a":1}"#);
    }
}
