//! Builds the HTTP interface from the configuration and connects it with the ticks.

use super::process::fit_connections;
use crate::config::{Config, LogConfig};
use crate::hooks::HookClient;
use crate::output::request_log::{LogFile, ReopenFlag};
use crate::setup::Plan;
use gsi_api::{Cors, Limits, LogSink, Service};
use gsi_index::{CountryMethod, Method};
use gsi_pipeline::Publication;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Opens the HTTP interface, which shows the last published snapshot if there is one.
pub fn open_service(config: &Config, plan: &Plan) -> anyhow::Result<Arc<Service>> {
    let cors = match config.http.cors_origins.as_slice() {
        [] => Cors::Off,
        [any] if any == "*" => Cors::Any,
        origins => Cors::Origins(origins.to_vec()),
    };
    let limits = Limits {
        max_connections: fit_connections(config.http.max_connections),
        max_connections_per_address: config.http.max_connections_per_address,
        max_in_flight: config.http.max_in_flight,
        max_streams: config.http.max_streams,
        streams_per_key: config.http.max_streams_per_key,
        idle: Duration::from_secs(config.http.idle_seconds),
        drain: Duration::from_secs(config.http.drain_seconds),
        ..Limits::default()
    };
    let settings = gsi_api::ServiceSettings {
        limits,
        cors,
        public: config.public.settings()?,
        trusted_proxies: gsi_api::TrustedProxies::parse(&config.http.trusted_proxies)?,
        client_address_header: config.http.address_header()?,
        operator_key: config.operator_key()?,
        simulated: plan.simulated,
        follows: plan.follows,
        request_log: request_log(&config.log)?,
        assets: super::dashboard::assets(),
        withheld: gsi_feeds::withheld_series(),
        method_changes: gsi_index::method_changes()?,
        layers: plan.connectors.iter().flat_map(|c| c.layers()).cloned().collect(),
        ..gsi_api::ServiceSettings::default()
    };
    let origins = plan.connectors.iter().map(|c| c.origin().clone()).collect();
    let method = method_document(&plan.method);
    let service = Service::new(settings, plan.store.clone(), plan.clock.clone(), origins, method)?;
    super::operator_key::watch(config, &service)?;
    Ok(service)
}

/// Returns the description of the method, of the country scores and of the alerts.
fn method_document(method: &Method) -> serde_json::Value {
    let mut document = method.document();
    document["countries"] = CountryMethod::compiled().document();
    document["alert_rules"] = gsi_alerts::AlertMethod::compiled().document();
    document
}

fn request_log(log: &LogConfig) -> anyhow::Result<LogSink> {
    Ok(match log.requests.as_str() {
        "off" | "" => LogSink::Off,
        "stdout" => LogSink::Stdout,
        "stderr" => LogSink::Writer(Box::new(std::io::stderr())),
        path => {
            let reopen = ReopenFlag::default();
            let file = LogFile::open(Path::new(path), log, reopen.clone())?;
            reopen_on_hangup(reopen)?;
            LogSink::Writer(Box::new(file))
        }
    })
}

/// Runs on a dedicated thread, like the other signal handlers.
fn reopen_on_hangup(reopen: ReopenFlag) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listen = move || {
        runtime.block_on(async {
            let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
            while hangup.recv().await.is_some() {
                reopen.store(true, Ordering::Relaxed);
            }
        });
    };
    std::thread::Builder::new().name("hangup".into()).spawn(listen).map(drop)
}

/// Opens the client that sends messages to hooks. The service's metrics count its tries.
pub fn open_hook_client(config: &Config, service: &Service) -> anyhow::Result<Arc<HookClient>> {
    let client = Arc::new(HookClient::new(config)?);
    service.register_metrics(|registry| client.register_metrics(registry));
    Ok(client)
}

/// Returns the function that passes every committed tick to the HTTP interface.
pub fn publisher(service: Arc<Service>) -> Box<dyn Fn(&Publication<'_>) + Send> {
    Box::new(move |publication| {
        service.count_tick(publication.tick, publication.took);
        service.set_feeds(publication.feeds.clone());
        service.set_waiting(publication.waiting.iter().map(ToString::to_string).collect());
        if let Some((snapshot, summary)) = publication.snapshot
            && let Err(error) = service.publish_newer(snapshot, summary)
        {
            tracing::error!(%error, "the snapshot cannot be shown; the previous one stays");
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{active_connectors, load_method};
    use toml::Value;

    #[test]
    fn the_method_document_matches_its_schema() {
        let flags = vec![("listen", Value::String("127.0.0.1:0".into()))];
        let config = Config::load(Vec::new(), None, std::iter::empty(), flags).unwrap();
        let method = load_method(&config, &active_connectors(&config).unwrap()).unwrap();
        let described: gsi_api::MethodBody = serde_json::from_value(method_document(&method)).unwrap();
        assert_eq!(described.version, method.version());
        assert!(described.countries.is_some());
    }
}
