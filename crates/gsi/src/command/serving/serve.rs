//! `gsi serve`: the service on the live feeds, alone or as one of many.

use crate::config::{Config, Role};
use crate::notice;
use crate::service::{self, ReplicaClock, leading, past};
use crate::setup::{self, Plan};
use anyhow::Context;
use gsi_model::Clock;
use std::process::ExitCode;
use std::sync::Arc;

pub fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let replica = setup::open_replica(config)?;
    let rehearsal = !config.rehearsal.publishers.is_empty();
    let simulated = match config.role {
        Role::Auto => {
            // A rehearsal's publishers simulate their own past.
            if config.method.packed_history && !rehearsal && replica.serve.meta("world")?.is_none() {
                past::request_history(&*replica.serve)?;
            }
            setup::claim_world(&*replica.serve, if rehearsal { "a rehearsal" } else { setup::LIVE })?;
            rehearsal
        }
        // A process that only serves accepts the store's world.
        Role::Serve => {
            let world = replica.serve.meta("world")?;
            world.is_some_and(|world| ![setup::LIVE, setup::RECONSTRUCTED].contains(&world.as_str()))
        }
    };
    let connectors = setup::active_connectors(config)?;
    let method = setup::load_method(config, &connectors)?;
    let replica_clock =
        ReplicaClock::start(&replica.serve, &config.rehearsal).context("cannot read the store's clock")?;
    let clock: Arc<dyn Clock> = replica_clock.clone();
    let plan =
        Plan { store: replica.serve, clock: clock.clone(), connectors, method, simulated, follows: true };
    let listener = service::bind(config)?;
    let service = service::open_service(config, &plan)?;
    replica_clock.keep(plan.store.clone(), &service)?;
    notice!("gsi: answering on http://{}", listener.local_addr()?);
    if plan.store.keys()?.is_empty() && config.operator_key()?.is_none() {
        notice!("gsi: there is no key yet; create one with `gsi key create --name NAME`");
    }
    past::show(&config.data, service.clone())?;
    let rewriter = service::open_model(&config.model, &service)?;
    let fetcher = if rehearsal { setup::rehearsal_fetcher(config) } else { setup::fetcher(config) };
    let fetcher = Arc::new(fetcher?);
    service.register_metrics(|registry| fetcher.register_metrics(registry));
    let hook_client = service::open_hook_client(config, &service)?;
    let (role, ticking, keep) = (config.role, service.clone(), config.retention.days());
    let data = config.data.clone();
    // The scores of a rehearsal are not compared with the real past.
    let compared = config.method.packed_history && !rehearsal;
    service::run_until_stopped(config, service, listener, move |stop| {
        if role == Role::Serve {
            stop.block();
            return Ok(());
        }
        let plan = Plan { store: replica.lead.clone(), ..plan };
        let open = || {
            past::import_history(&*plan.store)?;
            let publish = service::publisher(ticking.clone());
            let line = if compared { past::line(&data)? } else { None };
            let mut pipeline = setup::open_pipeline(&plan, line, fetcher.clone(), publish)?;
            pipeline.set_rewriter(rewriter.clone());
            Ok(pipeline)
        };
        leading::run(&replica.lead, &ticking, &clock, keep, &hook_client, open, &stop)
    })?;
    Ok(ExitCode::SUCCESS)
}
