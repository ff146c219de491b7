//! The layers of the map besides the events.

pub(crate) mod body;

use crate::prepared::pages::Page;
use crate::problem::RequestRefusal;
use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::as_of::pinned_tick;
use crate::request::context::ResponseContext;
use crate::request::parameters::AsOf;
use crate::request::query::Query;
use crate::request::service::RequestService;
use crate::resources::layers::body::{LayerBody, LayersBody};
use axum::response::Response;
use gsi_model::{LayerKey, MapLayer, Timestamp};
use serde::Deserialize;
use utoipa::IntoParams;

/// The layers to list. None means all.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LayerFilter {
    /// Only these layers.
    #[serde(default)]
    #[param(inline, style = Form, explode, max_items = 50)]
    layers: Vec<LayerKey>,
}

/// Layers of the map
///
/// Data from the feeds for a map besides the events: internet outages by country, ships through chokepoints against normal,
/// earthquakes and disaster alerts. A layer without data has the `status` `no_data`. A layer whose feed is off is not listed.
#[utoipa::path(
    get, path = "/v1/layers", operation_id = "listLayers", tag = "events", params(LayerFilter, AsOf),
    responses((status = 200, description = "The layers with their marks.", body = LayersBody))
)]
pub async fn list(
    response: ResponseContext,
    Query((filter, as_of)): Query<(LayerFilter, AsOf)>,
) -> Result<Response, RequestRefusal> {
    response.read_store(move |service| page(service, &filter, &as_of)).await
}

/// Returns the page, which is made once for each tick and choice of layers.
fn page(service: &RequestService, filter: &LayerFilter, as_of: &AsOf) -> Result<Page, RequestRefusal> {
    let is_asked = |layer: &&MapLayer| filter.layers.is_empty() || filter.layers.contains(&layer.key);
    let chosen: Vec<_> = service.published.layers.iter().filter(is_asked).collect();
    let pinned = pinned_tick(service, as_of.time())?;
    let keys: Vec<&str> = chosen.iter().map(|layer| layer.key.key()).collect();
    let name = format!("layers {} {}", keys.join(","), pinned.unix());
    if let Some(page) = service.published.pages.get(&name) {
        return Ok(page);
    }
    let mut layers = Vec::with_capacity(chosen.len());
    for layer in chosen {
        layers.extend(read(service, layer, pinned)?);
    }
    let body = LayersBody { layers, as_of: pinned };
    let page = Page::json(EncodedBody::new(json_bytes(&body)), pinned);
    service.published.pages.put(name, &page);
    Ok(page)
}

fn read(
    service: &RequestService,
    layer: &MapLayer,
    at: Timestamp,
) -> Result<Option<LayerBody>, RequestRefusal> {
    let published = &service.published;
    let Some(origin) = published.origins.iter().find(|origin| origin.feed == layer.feed) else {
        return Ok(None);
    };
    let series = layer.series();
    let mut known = Vec::new();
    let found = service.store.observations_of(&series, layer.needs_after(at), at, &mut |o| known.push(o));
    found?;
    // Simulated values may always be passed on, as in the inputs of a snapshot.
    let is_withheld = |series: &&str| published.withheld.iter().any(|held| held == series);
    let withheld = !published.simulated && series.iter().any(is_withheld);
    Ok(Some(LayerBody::of(layer, origin, &layer.read(&known, at), at, withheld)))
}
