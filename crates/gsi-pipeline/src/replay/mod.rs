//! Replay: computes published ticks again from the store with the service's code, and compares them.
//!
//! A replay starts from a stored state, takes at each tick the data that became known then, and must reproduce the stored
//! snapshot, events, derived values, summary and briefings byte for byte. It writes nothing.

pub mod compare;

use crate::PipelineError;
use crate::previous_methods;
use crate::reconstruction::StoredReconstructions;
use crate::state::PipelineState;
use crate::texts::recent_briefings;
use crate::tick::step::TickInputs;
use crate::wording::words_of;
use compare::Difference;
use gsi_alerts::AlertMethod;
use gsi_index::{COUNTRY_FEED, Engine, Method, MethodError};
use gsi_model::{DAY, NewsSlot, Observation, Snapshot, Timestamp};
use gsi_store::{
    DERIVED_FEEDS, Frontier, Published, ReplayPlan, Store, method_name, plan_replay, refuse_unless_replayable,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The result of a replay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// Ticks computed only to reach the first requested one.
    pub on_the_way: u64,
    pub ticks: u64,
    pub events: u64,
    pub derived: u64,
    pub summaries: u64,
    pub briefings: u64,
    pub alerts: u64,
    /// Requested ticks that are skipped, because this program does not compute their method. And the version of the last
    /// one's method.
    pub by_other_method: u64,
    pub other_method: Option<String>,
    /// The first difference; the replay ends there.
    pub difference: Option<Difference>,
}

/// Recomputes every stored tick from `from` to `to`. With `verify`, each is compared with the stored one, and the first
/// difference ends the replay. `each` receives every requested snapshot. Ticks whose inputs were pruned are refused
/// ([`StoreError::Pruned`](gsi_store::StoreError::Pruned)) before anything is computed.
pub fn replay(
    store: &dyn Store,
    method: Arc<Method>,
    from: Timestamp,
    to: Timestamp,
    verify: bool,
    each: &mut dyn FnMut(Timestamp, Option<&Snapshot>),
) -> Result<Replayed, PipelineError> {
    let mut report = Replayed::default();
    let Some(first) = store.history(None, from, to.plus(1))?.first().map(|p| p.tick) else {
        return Ok(report);
    };
    refuse_unless_replayable(store, first)?;
    let mut plan = plan_replay(store, first, to)?;
    let mut methods = Methods { store, own: method.clone() };
    if let Some((position, version)) = methods.last_of_another(&plan.ticks)? {
        // A method does not continue the state of another, so the replay starts at the first tick after the change.
        let later = plan.ticks.split_off(position + 1);
        report.by_other_method = plan.ticks.iter().filter(|t| **t >= first).count() as u64;
        report.other_method = Some(version);
        plan = ReplayPlan {
            anchor: plan.ticks.last().map(|t| Frontier { tick: *t, state: Vec::new() }),
            ticks: later,
        };
    }
    let start = plan.anchor.as_ref().map(|a| a.tick);
    let mut state = match plan.anchor {
        Some(anchor) => PipelineState::restore(store, method, Some(anchor))?,
        None => PipelineState::blank(store, method)?,
    };
    let mut log = Log::read(store, start, to)?;
    let mut reconstructions = StoredReconstructions::default();
    for tick in plan.ticks {
        let stored = store.published_at(tick)?.filter(|p| p.snapshot.tick == tick);
        if let Some(published) = &stored {
            methods.set(&mut state, &published.snapshot)?;
            state.line = reconstructions.of(store, &published.snapshot)?;
            previous_methods::follow(store, &mut state.previous_methods, &published.snapshot)?;
        }
        let mut derived = log.derived_until(tick);
        let inputs = log.take(store, tick)?;
        for observation in &inputs.observations {
            state.table.insert(observation);
        }
        for slot in &inputs.slots {
            state.table.insert_slot(slot);
        }
        let known = stored.as_ref().map(|p| &p.snapshot);
        let standings = known.map(|s| s.feeds.clone()).unwrap_or_default();
        let simulated = known.is_some_and(|s| s.simulated);
        let countries = store.countries_at(tick)?.filter(|c| c.tick == tick);
        let with_countries =
            countries.as_ref().is_some_and(|c| c.method_digest == state.country_engine.method().digest());
        let mut scores = state.compute_scores(store, tick, simulated, &inputs, standings, with_countries)?;
        if !with_countries {
            // Countries by another method, or none: the stored ones are used.
            let (theirs, ours) = derived.into_iter().partition(|o| o.feed.as_str() == COUNTRY_FEED);
            derived = ours;
            state.table.insert_all(&theirs);
            state.countries = countries.clone().or(state.countries.take());
        }
        if let (Some(computed), Some(known)) = (&mut scores.snapshot, known) {
            // Alerts by other rules than this program's are used as stored.
            computed.alerts_digest.clone_from(&known.alerts_digest);
        }
        let briefings = recent_briefings::of_tick(store, tick)?;
        let alerts = store.alerts_between(tick.minus(1), tick)?;
        if tick < first {
            report.on_the_way += 1;
        } else {
            each(tick, scores.snapshot.as_ref());
            report.ticks += 1;
            report.events += scores.events.len() as u64;
            report.derived += scores.derived.len() as u64;
            if verify {
                let published = stored.as_ref().map(|p| &p.summary);
                let texts = state.write_texts(store, tick, &inputs, &scores, published)?;
                report.summaries += u64::from(texts.summary.is_some());
                report.briefings += texts.briefings.len() as u64;
                let check = compare::Tick { store, tick, stored: stored.as_ref(), state: &state };
                let compared = countries.as_ref().filter(|_| with_countries);
                report.difference = check
                    .compare_scores(&scores, &derived, compared)?
                    .or(check.compare_texts(&texts, &briefings));
                if report.difference.is_none()
                    && known.is_some_and(|k| k.alerts_digest == AlertMethod::digest())
                {
                    // The stored countries were used, so alerts are computed from them.
                    scores.countries = countries;
                    let computed = state.advance_alerts(&scores, &texts.briefings);
                    report.alerts += computed.len() as u64;
                    report.difference = check.compare_alerts(&computed, &alerts);
                }
                if report.difference.is_some() {
                    return Ok(report);
                }
            }
        }
        // The next tick's texts refer to the stored texts, which a model may have rephrased.
        state.conclude(
            tick,
            scores.state,
            stored.as_ref().map(|p: &Published| &p.summary),
            briefings,
            &alerts,
        );
    }
    Ok(report)
}

/// Switches to the method of a snapshot.
struct Methods<'a> {
    store: &'a dyn Store,
    own: Arc<Method>,
}

impl Methods<'_> {
    /// The position of the last tick whose method this program does not compute, and that method's version.
    fn last_of_another(&self, ticks: &[Timestamp]) -> Result<Option<(usize, String)>, PipelineError> {
        let mut judged: BTreeMap<String, bool> = BTreeMap::new();
        for (position, tick) in ticks.iter().enumerate().rev() {
            let Some(published) = self.store.published_at(*tick)?.filter(|p| p.snapshot.tick == *tick) else {
                continue;
            };
            let Snapshot { method_digest, method_version, .. } = published.snapshot;
            if method_digest == self.own.digest() {
                continue;
            }
            let other = match judged.get(&method_digest) {
                Some(other) => *other,
                None => {
                    let text = self.store.meta(&method_name(&method_digest))?;
                    let document = text.and_then(|t| serde_json::from_str(&t).ok());
                    let other = document.is_some_and(|d| {
                        let read = Method::from_document(&d);
                        matches!(read, Err(MethodError::OtherMethod { .. } | MethodError::OtherPart { .. }))
                    });
                    *judged.entry(method_digest).or_insert(other)
                }
            };
            if other {
                return Ok(Some((position, method_version)));
            }
        }
        Ok(None)
    }

    fn set(&mut self, state: &mut PipelineState, snapshot: &Snapshot) -> Result<(), PipelineError> {
        let current = state.engine.method();
        if current.digest() == snapshot.method_digest && current.words_digest() == snapshot.words_digest {
            return Ok(());
        }
        let method = if self.own.digest() == snapshot.method_digest {
            self.own.clone()
        } else {
            let unknown = || PipelineError::UnknownMethod {
                tick: snapshot.tick,
                version: snapshot.method_version.clone(),
                digest: snapshot.method_digest.clone(),
            };
            let text = self.store.meta(&method_name(&snapshot.method_digest))?.ok_or_else(unknown)?;
            let document = serde_json::from_str(&text).map_err(|_| unknown())?;
            Arc::new(Method::from_document(&document).map_err(|_| unknown())?)
        };
        let with_words = method.with_words(words_of(self.store, &method, snapshot)?);
        let same = with_words.words_digest() == method.words_digest();
        state.engine = Engine::new(if same { method } else { Arc::new(with_words) });
        Ok(())
    }
}

/// The data that became known in a range, by time.
struct Log {
    observations: BTreeMap<Timestamp, Vec<Observation>>,
    derived: BTreeMap<Timestamp, Vec<Observation>>,
    slots: BTreeMap<Timestamp, Vec<NewsSlot>>,
}

impl Log {
    fn read(store: &dyn Store, after: Option<Timestamp>, to: Timestamp) -> Result<Log, PipelineError> {
        let mut log = Log { observations: BTreeMap::new(), derived: BTreeMap::new(), slots: BTreeMap::new() };
        let is_new = |known_at: Timestamp| after.is_none_or(|a| known_at > a);
        store.observations(to, &mut |o| {
            if is_new(o.known_at) {
                let own = DERIVED_FEEDS.contains(&o.feed.as_str());
                let part = if own { &mut log.derived } else { &mut log.observations };
                part.entry(o.known_at).or_default().push(o);
            }
        })?;
        store.slots(Timestamp::MIN, to.plus(DAY), to, &mut |slot| {
            if is_new(slot.known_at) {
                log.slots.entry(slot.known_at).or_default().push(slot);
            }
        })?;
        Ok(log)
    }

    /// Takes the data that became known by `tick` and were not taken before.
    fn take(&mut self, store: &dyn Store, tick: Timestamp) -> Result<TickInputs, PipelineError> {
        let mut inputs = TickInputs {
            observations: until(&mut self.observations, tick),
            slots: until(&mut self.slots, tick),
            corrections: store.corrections(Some(tick))?,
            ..TickInputs::default()
        };
        for slot in &inputs.slots {
            store.rows(slot.stamp.minus(1), slot.stamp, &mut |row| inputs.rows.push(row))?;
        }
        inputs.rows.sort_by_key(|r| (r.added, r.id));
        Ok(inputs)
    }

    fn derived_until(&mut self, tick: Timestamp) -> Vec<Observation> {
        until(&mut self.derived, tick)
    }
}

fn until<T>(log: &mut BTreeMap<Timestamp, Vec<T>>, tick: Timestamp) -> Vec<T> {
    let later = log.split_off(&tick.plus(1));
    std::mem::replace(log, later).into_values().flatten().collect()
}
