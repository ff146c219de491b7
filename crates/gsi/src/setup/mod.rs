//! What commands need before they can work: the configuration, a store, feeds, a method, and a pipeline over them.

mod configuration;
mod disk;
mod feed_history;
mod feeds;
mod fetching;
pub mod observations;
mod pipeline;
mod stores;

pub use configuration::load_config;
pub use feed_history::fetch_feed_histories;
pub use feeds::{active_connectors, load_method};
pub use fetching::{fetcher_settings, simulated_fetcher};
pub use pipeline::{Plan, open_pipeline, tick_runtime};
pub use stores::{RECONSTRUCTED, claim_world, existing_store, open_store};

pub(crate) use configuration::load_config_over;
pub(crate) use disk::require_free_space;
pub(crate) use feed_history::{FeedHistoryJob, decoding_runtime};
pub(crate) use feeds::{find_connector, require_key};
pub(crate) use fetching::{fetcher, rehearsal_fetcher};
pub(crate) use stores::{
    LIVE, SIMULATION_START, existing_led_store, is_simulated, make_data_folder, open_replica,
    open_store_to_serve, sqlite_path,
};
