//! `gsi mcp`: the tools for agents that start a program instead of opening a connection. It asks a running service with the given key.
//! Stdout carries only the protocol.

use crate::cli::Mcp;
use anyhow::{Context, bail};
use gsi_api::mcp::{Agent, Interface, Reply, ReplyFuture};
use http::Extensions;
use rmcp::ServiceExt;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(30);

struct RemoteService {
    client: reqwest::Client,
    url: url::Url,
    key: String,
}

impl Interface for RemoteService {
    fn get(&self, target: String, _: &Extensions) -> ReplyFuture<'_> {
        Box::pin(async move {
            let address = self.url.join(&target).map_err(|e| e.to_string())?;
            let asked = self.client.get(address).bearer_auth(&self.key).send().await;
            let response =
                asked.map_err(|e| format!("The service cannot be reached: {}", e.without_url()))?;
            let header =
                |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
            let (data_status, simulated) = (header("gsi-data-status"), header("gsi-simulated"));
            let status = response.status().as_u16();
            let body = response.bytes().await.map_err(|e| e.without_url().to_string())?;
            Ok(Reply { status, body: body.into(), data_status, is_simulated: simulated.is_some() })
        })
    }
}

pub fn run(arguments: &Mcp) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The process may have installed the same provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let remote = RemoteService { client, url: arguments.url.clone(), key: arguments.key.clone() };
        let described = remote.get("/openapi.json".into(), &Extensions::new()).await;
        let described =
            described.map_err(anyhow::Error::msg).context(format!("cannot ask {}", arguments.url))?;
        if described.status != 200 {
            bail!("{} answers {} to /openapi.json: is it this service?", arguments.url, described.status);
        }
        let openapi = serde_json::from_slice(&described.body).context("cannot read /openapi.json")?;
        let agent = Agent::new(Arc::new(remote), &openapi);
        let served = agent.serve(rmcp::transport::stdio()).await.context("cannot greet the agent")?;
        served.waiting().await.context("cannot answer the agent")?;
        Ok(ExitCode::SUCCESS)
    })
}
