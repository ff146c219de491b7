//! Connects the optional language model with the pipeline and the metrics.

use crate::config::ModelConfig;
use anyhow::Context;
use gsi_api::Service;
use gsi_pipeline::Rewriter;
use std::sync::Arc;

/// Opens the client of the language model. The service's metrics count its requests. `None` when no model is configured.
pub fn open_model(config: &ModelConfig, service: &Service) -> anyhow::Result<Option<Arc<Rewriter>>> {
    let Some(settings) = config.settings()? else { return Ok(None) };
    let rewriter = Arc::new(Rewriter::new(&settings).context("the language model")?);
    tracing::info!(url = %settings.url, model = settings.name, "a language model may rewrite texts");
    service.register_metrics(|registry| rewriter.register_metrics(registry));
    Ok(Some(rewriter))
}
