//! Corrections that were asked for: each becomes a new edition of the briefing it puts right, written with the tick that
//! takes it up. What was asked is an input of the tick, as observations are: a replay reads it from the store.

use crate::briefings::Then;
use crate::recent_briefings;
use crate::state::PipelineState;
use gsi_model::{Briefing, Correction, CorrectionReason, Timestamp};
use gsi_narrate::{BriefingDraft, Context};
use gsi_store::{PrunableKind, ReadStore, Result, Store};

/// More wait for the next tick: a tick has other work, and nobody corrects so many by hand.
const MOST_IN_A_TICK: usize = 20;

/// The corrections that wait, without those of briefings whose events are no longer kept: they were asked for before that, and
/// nothing could be said of them any more.
pub fn that_can_be_written(store: &dyn Store, tick: Timestamp) -> Result<Vec<Correction>> {
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

/// The corrections that this tick publishes, in the template's words: a text that puts another right takes no chances.
pub fn write(
    store: &dyn ReadStore,
    state: &PipelineState,
    tick: Timestamp,
    now: &Context,
    asked: &[Correction],
) -> Result<Vec<BriefingDraft>> {
    let mut written = Vec::new();
    for correction in asked {
        if written.len() == MOST_IN_A_TICK {
            break;
        }
        match write_one(store, state, tick, now, correction)? {
            Some(draft) => {
                tracing::info!(of = %correction.of, by = %draft.briefing.id, because = correction.because.key(), "a briefing is corrected");
                written.push(draft);
            }
            None => tracing::warn!(of = %correction.of, "a correction cannot be written and goes on waiting"),
        }
    }
    Ok(written)
}

/// A published score is never computed anew. Wrong words are put right from the very snapshot they were about; revised
/// or late data are in the newest snapshot, and the correction says of when that is. Where that has nothing to say of
/// the subject, the old one has.
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
        // Its own day's briefings, this one among them, are nothing to look back at.
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

/// Which edition of its day's briefing on its subject this is, the first being 1.
fn edition(store: &dyn ReadStore, briefing: &Briefing, as_of: Timestamp) -> Result<u32> {
    let (mut edition, mut earlier) = (1, briefing.corrects.clone());
    while let Some(id) = earlier {
        edition += 1;
        earlier = store.briefing(&id, as_of)?.and_then(|b| b.corrects);
    }
    Ok(edition)
}
