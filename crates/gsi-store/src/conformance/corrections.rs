//! Corrections: requested by any process, published with a tick, once.

use super::sample::{briefing, quiet, tick};
use super::{Backend, Case, kind};
use crate::{Store, TickCommit};
use gsi_model::{Briefing, BriefingId, Corrected, Correction, CorrectionReason, Timestamp};

pub const CASES: &[Case] = &[
    ("a requested correction waits until a tick publishes it", waits_for_a_tick),
    ("a correction can be requested once, and only of a published briefing", asked_once),
    ("a tick that publishes a correction twice fails", published_once),
    ("a correction can be corrected", chains),
    ("any process can request a correction while another leads", asked_by_another),
];

const WHY: CorrectionReason = CorrectionReason::RevisedData;

fn publish(store: &dyn Store, n: i64, briefings: Vec<Briefing>) -> crate::Result<()> {
    store.commit_tick(&TickCommit { briefings, ..quiet(tick(n)) })
}

/// The briefing of tick `n` that corrects `wrong`.
fn correcting(wrong: &Briefing, n: i64) -> Briefing {
    Briefing { corrects: Some(wrong.id.clone()), ..briefing(&wrong.subject, tick(n), &["global"]) }
}

fn waiting(of: &Briefing, because: CorrectionReason, asked_at: Timestamp) -> Correction {
    Correction { of: of.id.clone(), because, asked_at, done: None }
}

fn waits_for_a_tick(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let (wrong, other) = (briefing("global", tick(0), &[]), briefing("macro", tick(0), &[]));
    publish(&*store, 0, vec![wrong.clone(), other.clone()]).unwrap();
    assert_eq!(store.corrections(None).unwrap(), []);
    assert_eq!(store.correction(&wrong.id, Timestamp::MAX).unwrap(), None);

    assert!(store.ask_correction(&other.id, CorrectionReason::LateData, tick(1).plus(5)).unwrap());
    assert!(store.ask_correction(&wrong.id, WHY, tick(1)).unwrap());
    let (first, second) =
        (waiting(&wrong, WHY, tick(1)), waiting(&other, CorrectionReason::LateData, tick(1).plus(5)));
    // After a restart of a killed service.
    drop(store);
    let store = backend.reopen();
    assert_eq!(store.corrections(None).unwrap(), [first.clone(), second.clone()], "oldest first");
    // A tick that publishes no correction leaves requests waiting.
    publish(&*store, 2, vec![]).unwrap();
    assert_eq!(store.corrections(None).unwrap().len(), 2);

    let right = correcting(&wrong, 3);
    publish(&*store, 3, vec![right.clone()]).unwrap();
    let done = Correction { done: Some(Corrected { tick: tick(3), by: right.id.clone() }), ..first.clone() };
    assert_eq!(store.corrections(None).unwrap(), [second]);
    assert_eq!(store.corrections(Some(tick(3))).unwrap(), std::slice::from_ref(&done));
    assert_eq!(store.corrections(Some(tick(2))).unwrap(), []);
    for (as_of, want) in [(tick(2), first), (tick(3), done.clone()), (Timestamp::MAX, done)] {
        assert_eq!(store.correction(&wrong.id, as_of).unwrap(), Some(want), "as of {as_of}");
    }
    assert_eq!(store.briefing(&wrong.id, tick(3)).unwrap(), Some(wrong), "what was published stays");
    assert_eq!(store.briefing(&right.id, tick(3)).unwrap(), Some(right));
}

fn asked_once(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let wrong = briefing("global", tick(0), &[]);
    publish(&*store, 0, vec![wrong.clone()]).unwrap();
    let stranger = BriefingId::derive(b"never published");
    assert_eq!(kind(store.ask_correction(&stranger, WHY, tick(1))), "refused");
    assert!(store.ask_correction(&wrong.id, WHY, tick(1)).unwrap());
    let again = CorrectionReason::WrongText;
    assert!(!store.ask_correction(&wrong.id, again, tick(2)).unwrap(), "one is waiting");
    assert_eq!(store.corrections(None).unwrap(), [waiting(&wrong, WHY, tick(1))], "the first request stays");
    publish(&*store, 3, vec![correcting(&wrong, 3)]).unwrap();
    assert!(!store.ask_correction(&wrong.id, again, tick(4)).unwrap(), "it was corrected");
    assert_eq!(store.corrections(None).unwrap(), []);
}

fn published_once(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let (wrong, other) = (briefing("global", tick(0), &[]), briefing("macro", tick(0), &[]));
    publish(&*store, 0, vec![wrong.clone(), other.clone()]).unwrap();
    assert_eq!(
        kind(publish(&*store, 1, vec![correcting(&wrong, 1)])),
        "conflict",
        "a correction without a request"
    );
    store.ask_correction(&wrong.id, WHY, tick(1)).unwrap();
    // A tick that fails for another reason answers no request.
    let spoilt = vec![correcting(&wrong, 1), other.clone()];
    assert_eq!(kind(publish(&*store, 1, spoilt)), "conflict", "a briefing again");
    assert_eq!(store.corrections(None).unwrap().len(), 1);
    publish(&*store, 1, vec![correcting(&wrong, 1)]).unwrap();
    assert_eq!(kind(publish(&*store, 2, vec![correcting(&wrong, 2)])), "conflict", "it was answered");
    assert_eq!(store.frontier().unwrap().map(|f| f.tick), Some(tick(1)));
    assert_eq!(store.briefing(&correcting(&wrong, 2).id, Timestamp::MAX).unwrap(), None);
}

fn chains(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let wrong = briefing("global", tick(0), &[]);
    publish(&*store, 0, vec![wrong.clone()]).unwrap();
    store.ask_correction(&wrong.id, WHY, tick(1)).unwrap();
    let still_wrong = correcting(&wrong, 1);
    publish(&*store, 1, vec![still_wrong.clone()]).unwrap();
    assert!(store.ask_correction(&still_wrong.id, CorrectionReason::WrongText, tick(2)).unwrap());
    let right = correcting(&still_wrong, 2);
    publish(&*store, 2, vec![right.clone()]).unwrap();
    let by = |id: &BriefingId| store.correction(id, tick(2)).unwrap().and_then(|c| c.done).map(|d| d.by);
    assert_eq!(by(&wrong.id), Some(still_wrong.id.clone()));
    assert_eq!(by(&still_wrong.id), Some(right.id.clone()));
    assert_eq!(by(&right.id), None);
}

fn asked_by_another(backend: &mut dyn Backend) {
    let (leader, command) = (backend.fresh(), backend.reopen());
    leader.lead().unwrap().expect("no other process leads");
    let wrong = briefing("global", tick(0), &[]);
    publish(&*leader, 0, vec![wrong.clone()]).unwrap();
    assert!(command.ask_correction(&wrong.id, WHY, tick(0)).unwrap());
    assert!(!leader.ask_correction(&wrong.id, WHY, tick(0)).unwrap());
    assert_eq!(leader.corrections(None).unwrap(), [waiting(&wrong, WHY, tick(0))]);
    publish(&*leader, 1, vec![correcting(&wrong, 1)]).unwrap();
    assert_eq!(command.corrections(None).unwrap(), []);
}
