//! Doing the ticks, when it is this replica's turn.
//!
//! A candidate tries for the lead every other second. Whoever has it reads its memory anew from the store, does the
//! ticks, and says every other second that it lives. A leader that cannot say so, or whose write is refused because
//! another has led since, stands down and becomes a candidate again.

use crate::hooks::{Courier, Deliveries};
use crate::pruning::DailyPruning;
use crate::running::Stop;
use gsi_api::{Service, TickTrouble};
use gsi_model::Clock;
use gsi_pipeline::{Pipeline, TickFailure};
use gsi_store::{KEEP_EVERY, Lease, LedStore, RetentionDays, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Waits are cut into steps of this length, so that a stop is noticed.
const STEP: Duration = Duration::from_millis(100);

/// Ticks and candidacies in turn, until told to stop.
pub fn run(
    store: &Arc<dyn LedStore>,
    service: &Service,
    clock: &Arc<dyn Clock>,
    keep: RetentionDays,
    courier: &Arc<Courier>,
    open: impl Fn() -> anyhow::Result<Pipeline>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let runtime = crate::running::tick_runtime()?;
    let mut troubled = false;
    while !stop.asked() {
        match store.lead() {
            Ok(Some(lease)) => {
                troubled = false;
                tracing::info!(number = lease.number, "this replica leads");
                let term = Term::begin(store, service, lease)?;
                let pruning = DailyPruning::start(Arc::clone(store), Arc::clone(clock), keep)?;
                let deliveries = Deliveries::start(Arc::clone(store) as Arc<dyn Store>, Arc::clone(courier))?;
                let served = runtime.block_on(serve_term(&open, service, clock, &term.keeper, stop));
                drop(deliveries);
                drop(pruning);
                drop(term);
                match served {
                    Ok(Ended::Told) if !stop.asked() => tracing::warn!("the lead was lost"),
                    Ok(Ended::Told) => {}
                    // Whoever tried next would meet the same; what is published stays served until somebody looks.
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
                tracing::warn!(%error, "the lead cannot be asked for");
            }
            Err(_) => {}
        }
        wait(KEEP_EVERY, || stop.asked());
    }
    Ok(())
}

/// A time of leading. However it ends, also by a panic, the lead is given up with it.
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

/// How ticks ended without an error of this replica's own.
enum Ended {
    /// By a stop, or because the lead was lost.
    Told,
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
    let tell = |failure: Option<TickFailure<'_>>| {
        ended_for_good.store(failure.as_ref().is_some_and(|f| f.is_final), Ordering::Relaxed);
        service.set_tick_failure(failure.map(|f| TickTrouble {
            tick: f.tick,
            what: f.error.summary(),
            tries: f.tries,
            is_final: f.is_final,
        }));
    };
    let done = gsi_pipeline::run(&mut pipeline, Arc::clone(clock), over, tell).await;
    match ended_for_good.into_inner() {
        true => Ok(Ended::ForGood),
        false => Ok(done.map(|()| Ended::Told)?),
    }
}

/// Says for the tick thread, which may be busy for a minute, that the leader lives.
struct Keeper {
    over: Arc<AtomicBool>,
    lost: watch::Receiver<bool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Keeper {
    fn start(store: Arc<dyn LedStore>) -> std::io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let (tell, lost) = watch::channel(false);
        let done = Arc::clone(&over);
        let thread = std::thread::Builder::new().name("keep-lead".into()).spawn(move || {
            while !done.load(Ordering::Relaxed) {
                wait(KEEP_EVERY, || done.load(Ordering::Relaxed));
                if !done.load(Ordering::Relaxed) && !matches!(store.lead(), Ok(Some(_))) {
                    let _ = tell.send(true);
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

pub fn wait(long: Duration, enough: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while begun.elapsed() < long && !enough() {
        std::thread::sleep(STEP.min(long));
    }
}
