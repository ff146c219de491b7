//! Requested corrections: each becomes a new edition of the briefing, written with the tick that takes the request. Requests
//! are inputs of the tick, as observations are, and a replay reads them from the store.

use super::briefings::Then;
use super::recent_briefings;
use crate::state::PipelineState;
use gsi_model::{Briefing, Correction, CorrectionReason, Timestamp};
use gsi_narrate::{BriefingDraft, Context};
use gsi_store::{PrunableKind, ReadStore, Result, Store};

/// The maximum number of corrections in a tick; more wait for the next. Operators request fewer by hand.
const MAX_IN_A_TICK: usize = 20;

/// The waiting corrections, without those of briefings whose events were pruned after the request: their texts cannot be
/// written any more.
pub fn writable(store: &dyn Store, tick: Timestamp) -> Result<Vec<Correction>> {
    let mut waiting = store.corrections(None)?;
    let Some(before) = store.pruned_before(PrunableKind::EventVersions)? else { return Ok(waiting) };
    let mut failed = Ok(());
    waiting.retain(|correction| match store.briefing(&correction.of, tick) {
        Ok(wrong) => wrong.is_none_or(|wrong| wrong.as_of >= before),
        Err(error) => {
            failed = Err(error);
            true
        }
    });
    failed.map(|()| waiting)
}

/// Writes the corrections that this tick publishes. They keep the template's text, because a correction must not have new
/// errors.
pub fn write(
    store: &dyn ReadStore,
    state: &PipelineState,
    tick: Timestamp,
    now: &Context,
    asked: &[Correction],
) -> Result<Vec<BriefingDraft>> {
    let mut written = Vec::new();
    for correction in asked {
        if written.len() == MAX_IN_A_TICK {
            break;
        }
        match write_one(store, state, tick, now, correction)? {
            Some(draft) => {
                tracing::info!(of = %correction.of, by = %draft.briefing.id, because = correction.because.key(), "a briefing is corrected");
                written.push(draft);
            }
            None => {
                tracing::warn!(of = %correction.of, "a correction cannot be written and continues to wait")
            }
        }
    }
    Ok(written)
}

/// A published score is never recomputed. A correction of a wrong text uses the snapshot that the text describes. For revised
/// or late data it uses the newest snapshot and states its time, or the old snapshot if the newest has nothing about the
/// subject.
fn write_one(
    store: &dyn ReadStore,
    state: &PipelineState,
    tick: Timestamp,
    now: &Context,
    asked: &Correction,
) -> Result<Option<BriefingDraft>> {
    let Some(wrong) = store.briefing(&asked.of, tick)? else { return Ok(None) };
    let edition = edition(store, &wrong, tick)? + 1;
    let correct = |context: &Context| gsi_narrate::correct(context, &wrong, edition, tick, asked.because);
    if asked.because != CorrectionReason::WrongText {
        // Briefings of its own day, including this one, are not earlier briefings.
        let before: Vec<Briefing> =
            now.recent_briefings.iter().filter(|b| b.day < wrong.day).cloned().collect();
        let context = Context { recent_briefings: &before, ..*now };
        if let Some(draft) = correct(&context) {
            return Ok(Some(draft));
        }
    }
    let before = recent_briefings::recent(store, wrong.published_at.minus(1))?;
    let then = Then::load(store, state, wrong.as_of, before)?.filter(|t| t.tick() == wrong.as_of);
    Ok(then.and_then(|then| correct(&then.context(state))))
}

/// The number of this edition of the day's briefing on its subject, starting with 1.
fn edition(store: &dyn ReadStore, briefing: &Briefing, as_of: Timestamp) -> Result<u32> {
    let (mut edition, mut earlier) = (1, briefing.corrects.clone());
    while let Some(id) = earlier {
        edition += 1;
        earlier = store.briefing(&id, as_of)?.and_then(|b| b.corrects);
    }
    Ok(edition)
}
