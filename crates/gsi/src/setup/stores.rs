//! Opens the store that the configuration names.

use crate::config::Config;
use anyhow::{Context, bail};
use gsi_store::{LedStore, Replica, Store};
use std::path::Path;
use std::sync::Arc;

/// Opens the store and creates it if there is none.
pub fn open_store(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    make_data_folder(config)?;
    gsi_store::open(&config.store_url()).context("cannot open the store")
}

/// Opens the store for serving and migrates an older format to the newest.
pub(crate) fn open_store_to_serve(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    make_data_folder(config)?;
    announce_upgrade(&config.store_url());
    gsi_store::open_and_upgrade(&config.store_url()).context("cannot open the store")
}

/// Opens the store of a process that may be one of many replicas.
pub(crate) fn open_replica(config: &Config) -> anyhow::Result<Replica> {
    make_data_folder(config)?;
    let standby = (!config.read_store.is_empty()).then_some(config.read_store.as_str());
    announce_upgrade(&config.store_url());
    gsi_store::open_replica(&config.store_url(), standby).context("cannot open the store")
}

/// Logs that this start changes the format of a file, and where the copy of the old one is.
fn announce_upgrade(url: &str) {
    // An operator copies a database. Any other fault of the store is reported when it is opened.
    if url.starts_with("postgres") {
        return;
    }
    let Ok(format) = gsi_store::format_of(url) else { return };
    if format.found == 0 || format.steps.is_empty() {
        return;
    }
    if let Ok(Some(copy)) = gsi_store::copy_of(url, format.found) {
        let (from, to) = (format.found, format.newest);
        tracing::info!(from, to, copy = %copy.display(), "the store is upgraded; a copy of the old format is kept");
    }
}

pub(crate) fn make_data_folder(config: &Config) -> anyhow::Result<()> {
    std::fs::create_dir_all(&config.data)
        .with_context(|| format!("cannot create the data folder {}", config.data.display()))
}

/// Opens the store for a command that reads what a service wrote. Creates neither a folder nor a store.
pub fn existing_store(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let url = existing_url(config)?;
    gsi_store::open(&url).context("cannot open the store")
}

/// Opens the store for a command that needs the lead, as ticks do.
pub(crate) fn existing_led_store(config: &Config) -> anyhow::Result<Arc<dyn LedStore>> {
    let url = existing_url(config)?;
    gsi_store::open_led(&url).context("cannot open the store")
}

fn existing_url(config: &Config) -> anyhow::Result<String> {
    let url = config.store_url();
    if let Some(path) = sqlite_path(&url)
        && !path.exists()
    {
        bail!(
            "there is no store at {}; `gsi serve` or `gsi demo` creates one, and --data names another folder",
            path.display()
        );
    }
    Ok(url)
}

/// Returns the file of a SQLite store.
pub(crate) fn sqlite_path(url: &str) -> Option<&Path> {
    let path = url.strip_prefix("sqlite:")?;
    Some(Path::new(path.strip_prefix("//").unwrap_or(path)))
}

/// The world of a store that the public feeds fill.
pub(crate) const LIVE: &str = "live data";

/// The world of a store whose ticks were computed afterwards.
pub const RECONSTRUCTED: &str = "a reconstruction of the past";

/// Marks a store as belonging to one world, because simulated and live records must never mix.
pub fn claim_world(store: &dyn Store, world: &str) -> anyhow::Result<()> {
    match store.meta("world")? {
        None => store.set_meta("world", world)?,
        Some(held) if held == world => {}
        Some(held) => bail!("this store holds {held}, not {world}; choose another data folder with --data"),
    }
    Ok(())
}

/// The key under which a store keeps the beginning of its simulated world.
pub(crate) const SIMULATION_START: &str = "simulation.start";

/// Whether the store holds a simulated world.
pub(crate) fn is_simulated(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.meta(SIMULATION_START)?.is_some())
}
