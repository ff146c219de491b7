//! The running service: builds the HTTP interface, runs the ticks, and handles start and stop.

mod assembly;
mod clock;
mod dashboard;
pub mod leading;
mod model;
mod operator_key;
pub mod past;
mod process;

pub use assembly::{open_hook_client, open_service, publisher};
pub use clock::ReplicaClock;
pub use dashboard::assets as dashboard_assets;
pub use model::open_model;
pub use process::{Stop, bind, fit_connections, run_until_stopped};
