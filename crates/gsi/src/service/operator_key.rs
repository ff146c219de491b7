//! The operator's key in a file. The service reads it again after a change, without a restart.

use crate::config::Config;
use gsi_api::Service;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

/// The longest time between a change of the file and the change of the key.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// Watches `api_key_file`, if there is one, as long as the service exists. After a failure the last key stays valid.
pub fn watch(config: &Config, service: &Arc<Service>) -> std::io::Result<()> {
    if config.api_key_file.is_empty() {
        return Ok(());
    }
    let (config, path) = (config.clone(), PathBuf::from(&config.api_key_file));
    let service: Weak<Service> = Arc::downgrade(service);
    // A mounted secret is replaced through a symbolic link, which changes the file's time as well.
    let stamp = move || -> Option<(SystemTime, u64)> {
        let known = std::fs::metadata(&path).ok()?;
        Some((known.modified().ok()?, known.len()))
    };
    let check = move || {
        let mut known = stamp();
        loop {
            std::thread::sleep(CHECK_EVERY);
            let Some(service) = service.upgrade() else { return };
            let seen = stamp();
            if seen == known {
                continue;
            }
            known = seen;
            let replaced = config.operator_key().map_err(anyhow::Error::from).and_then(|key| {
                key.map_or(Ok(()), |key| service.set_operator_key(&key).map_err(anyhow::Error::from))
            });
            match replaced {
                Ok(()) => tracing::info!("the operator's key was read again"),
                Err(error) => tracing::warn!(%error, "cannot use the operator's changed key"),
            }
        }
    };
    std::thread::Builder::new().name("operator-key".into()).spawn(check).map(drop)
}
