//! Serves a small made-up world, for load tests and contract fuzzing without feeds: `serve [port] [--log]`.
//! Prints four keys, a line each.

#[path = "../tests/http/support/world.rs"]
#[allow(dead_code)]
mod world;

use gsi_api::keys::{self, Grant};
use gsi_api::{Limits, LogSink, Service, ServiceSettings};
use gsi_model::{Clock, HeldClock, RateLimit};
use gsi_store::{ChangeNote, KeyStore, SqliteStore};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let port: u16 = arguments.first().map_or(Ok(8080), |p| p.parse())?;
    let store = Arc::new(SqliteStore::in_memory()?);
    world::fill(&*store);
    let clock = Arc::new(HeldClock::at(world::at(world::LAST).plus(7 * 60)));
    // A limit that is checked like any other but that a load test does not reach.
    let rate = Some(RateLimit { per_minute: 2_000_000_000, burst: 1_000_000_000 });
    for _ in 0..4 {
        let key = keys::create(Grant { rate, ..Grant::usual("load", clock.now()) }, clock.now())?;
        let note = ChangeNote { at: clock.now(), by: "a load test".to_owned() };
        store.put_key(&key.record, &note)?;
        println!("{}", key.text);
    }
    let log = arguments.iter().any(|a| a == "--log");
    let settings = ServiceSettings {
        request_log: if log { LogSink::Writer(Box::new(std::io::sink())) } else { LogSink::Off },
        limits: Limits { failed_auth_per_minute: 1_000_000, ..Limits::default() },
        ..ServiceSettings::default()
    };
    let method = serde_json::json!({"version": "1.0.0", "indicators": []});
    let service = Service::new(settings, store, clock, world::origins(), method)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        gsi_api::serve(service, listener, None, std::future::pending()).await?;
        Ok(())
    })
}
