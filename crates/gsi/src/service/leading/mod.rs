//! Does the ticks when this replica leads.
//!
//! A candidate requests the lead every other second. The leader reads its memory again from the store, does the ticks, and renews the
//! lead every other second. A leader that cannot renew it, or whose write is refused because another replica has led since, becomes a
//! candidate again.

mod pruning;

use super::Stop;
use crate::hooks::{Deliveries, HookClient};
use crate::setup::tick_runtime;
use gsi_api::{Service, TickTrouble};
use gsi_model::Clock;
use gsi_pipeline::{Pipeline, TickFailure};
use gsi_store::{KEEP_EVERY, Lease, LedStore, RetentionDays, Store};
use pruning::DailyPruning;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Maximum time until a wait notices a stop.
const STEP: Duration = Duration::from_millis(100);

/// Alternates between candidacy and ticks until a stop is requested.
pub fn run(
    store: &Arc<dyn LedStore>,
    service: &Service,
    clock: &Arc<dyn Clock>,
    keep: RetentionDays,
    hook_client: &Arc<HookClient>,
    open: impl Fn() -> anyhow::Result<Pipeline>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let runtime = tick_runtime()?;
    let mut troubled = false;
    while !stop.is_requested() {
        match store.lead() {
            Ok(Some(lease)) => {
                troubled = false;
                tracing::info!(number = lease.number, "this replica leads");
                let term = Term::begin(store, service, lease)?;
                let pruning = DailyPruning::start(Arc::clone(store), Arc::clone(clock), keep)?;
                let deliveries =
                    Deliveries::start(Arc::clone(store) as Arc<dyn Store>, Arc::clone(hook_client))?;
                let served = runtime.block_on(serve_term(&open, service, clock, &term.keeper, stop));
                drop(deliveries);
                drop(pruning);
                drop(term);
                match served {
                    Ok(Ended::Stopped) if !stop.is_requested() => tracing::warn!("the lead was lost"),
                    Ok(Ended::Stopped) => {}
                    // Any other leader would fail in the same way. The service keeps serving what is published.
                    Ok(Ended::ForGood) => {
                        stop.block();
                        return Ok(());
                    }
                    Err(error) => tracing::warn!(%error, "the lead is given up"),
                }
            }
            Ok(None) => {}
            Err(error) if !troubled => {
                troubled = true;
                tracing::warn!(%error, "cannot request the lead");
            }
            Err(_) => {}
        }
        wait(KEEP_EVERY, || stop.is_requested());
    }
    Ok(())
}

/// A term as leader. The lead is given up when it is dropped, also after a panic.
struct Term<'a> {
    store: &'a Arc<dyn LedStore>,
    service: &'a Service,
    keeper: Keeper,
}

impl<'a> Term<'a> {
    fn begin(store: &'a Arc<dyn LedStore>, service: &'a Service, lease: Lease) -> std::io::Result<Term<'a>> {
        let keeper = Keeper::start(Arc::clone(store))?;
        service.set_leading(Some(lease.number));
        Ok(Term { store, service, keeper })
    }
}

impl Drop for Term<'_> {
    fn drop(&mut self) {
        self.keeper.end();
        self.service.set_leading(None);
        self.store.resign();
    }
}

/// How a term ended without an error of this replica.
enum Ended {
    /// A stop was requested, or the lead was lost.
    Stopped,
    /// The store contradicts the next tick.
    ForGood,
}

async fn serve_term(
    open: &impl Fn() -> anyhow::Result<Pipeline>,
    service: &Service,
    clock: &Arc<dyn Clock>,
    keeper: &Keeper,
    stop: &Stop,
) -> anyhow::Result<Ended> {
    let mut pipeline = open()?;
    let over = async {
        tokio::select! {
            () = stop.clone().wait() => {}
            () = keeper.lost() => {}
        }
    };
    let ended_for_good = AtomicBool::new(false);
    let report = |failure: Option<TickFailure<'_>>| {
        ended_for_good.store(failure.as_ref().is_some_and(|f| f.is_final), Ordering::Relaxed);
        service.set_tick_failure(failure.map(|f| TickTrouble {
            tick: f.tick,
            what: f.error.summary(),
            tries: f.tries,
            is_final: f.is_final,
        }));
    };
    let done = gsi_pipeline::run(&mut pipeline, Arc::clone(clock), over, report).await;
    match ended_for_good.into_inner() {
        true => Ok(Ended::ForGood),
        false => Ok(done.map(|()| Ended::Stopped)?),
    }
}

/// Renews the lead on a separate thread, because the tick thread may be busy for a minute.
struct Keeper {
    over: Arc<AtomicBool>,
    lost: watch::Receiver<bool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Keeper {
    fn start(store: Arc<dyn LedStore>) -> std::io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let (report, lost) = watch::channel(false);
        let done = Arc::clone(&over);
        let thread = std::thread::Builder::new().name("keep-lead".into()).spawn(move || {
            while !done.load(Ordering::Relaxed) {
                wait(KEEP_EVERY, || done.load(Ordering::Relaxed));
                if !done.load(Ordering::Relaxed) && !matches!(store.lead(), Ok(Some(_))) {
                    let _ = report.send(true);
                    return;
                }
            }
        })?;
        Ok(Keeper { over, lost, thread: Some(thread) })
    }

    async fn lost(&self) {
        let _ = self.lost.clone().wait_for(|lost| *lost).await;
    }

    fn end(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for this time, or until `enough` returns true.
fn wait(long: Duration, enough: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while begun.elapsed() < long && !enough() {
        std::thread::sleep(STEP.min(long));
    }
}
