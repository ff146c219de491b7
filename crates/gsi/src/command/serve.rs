//! `gsi serve`: the service on the live feeds, alone or as one of many.

use crate::clock::ReplicaClock;
use crate::config::{Config, Role};
use crate::fetching;
use crate::leading;
use crate::past;
use crate::results::notice;
use crate::running::{self, Plan};
use anyhow::Context;
use gsi_model::Clock;
use std::process::ExitCode;
use std::sync::Arc;

pub fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let replica = running::open_replica(config)?;
    let rehearsal = !config.rehearsal.publishers.is_empty();
    let simulated = match config.role {
        Role::Auto => {
            // A rehearsal's publishers make up their own past.
            if config.method.packed_history && !rehearsal && replica.serve.meta("world")?.is_none() {
                past::want_history(&*replica.serve)?;
            }
            running::claim_world(&*replica.serve, if rehearsal { "a rehearsal" } else { running::LIVE })?;
            rehearsal
        }
        // Whoever only serves takes the store's world as it is, and says what it is.
        Role::Serve => {
            let world = replica.serve.meta("world")?;
            world.is_some_and(|world| ![running::LIVE, running::RECONSTRUCTED].contains(&world.as_str()))
        }
    };
    let connectors = running::active_connectors(config)?;
    let method = running::load_method(config, &connectors)?;
    let replica_clock =
        ReplicaClock::start(&replica.serve, &config.rehearsal).context("the store does not tell the time")?;
    let clock: Arc<dyn Clock> = replica_clock.clone();
    let plan =
        Plan { store: replica.serve, clock: clock.clone(), connectors, method, simulated, follows: true };
    let listener = running::bind(config)?;
    let service = running::open_service(config, &plan)?;
    replica_clock.keep(plan.store.clone(), &service)?;
    notice!("gsi: answering on http://{}", listener.local_addr()?);
    if plan.store.keys()?.is_empty() && config.operator_key()?.is_none() {
        notice!("gsi: there is no key yet; make one with `gsi key create --name NAME`");
    }
    past::show(&config.data, service.clone())?;
    let rewriter = config.model.open(&service)?;
    let fetcher = if rehearsal { fetching::rehearsal_fetcher(config) } else { fetching::fetcher(config) };
    let fetcher = Arc::new(fetcher?);
    fetching::count_fetches(&service, &fetcher);
    let courier = running::courier(config, &service)?;
    let (role, ticking, keep) = (config.role, service.clone(), config.retention.days());
    let data = config.data.clone();
    // A rehearsal's scores have no part in the real past.
    let compared = config.method.packed_history && !rehearsal;
    running::run_until_stopped(config, service, listener, move |stop| {
        if role == Role::Serve {
            stop.block();
            return Ok(());
        }
        let plan = Plan { store: replica.lead.clone(), ..plan };
        let open = || {
            past::take_in_history(&*plan.store)?;
            let publish = running::publisher(ticking.clone());
            let line = if compared { past::line(&data)? } else { None };
            let mut pipeline = running::open_pipeline(&plan, line, fetcher.clone(), publish)?;
            pipeline.set_rewriter(rewriter.clone());
            Ok(pipeline)
        };
        leading::run(&replica.lead, &ticking, &clock, keep, &courier, open, &stop)
    })?;
    Ok(ExitCode::SUCCESS)
}
