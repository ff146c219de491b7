//! The store: that it opens, in the format of this program, how far it has come, and that somebody may ask.

use super::Finding;
use crate::config::Config;
use crate::running;
use gsi_model::{Clock, HOUR, SystemClock, TICK, Timestamp};
use gsi_store::{KeyStore, Store};

/// Past this, whoever should be doing ticks is not.
const LATE_SECONDS: i64 = HOUR;

pub fn findings(config: &Config) -> Vec<Finding> {
    const WHAT: &str = "store";
    let url = config.store_url();
    let shown = config.shown_store_url();
    if let Some(path) = url.strip_prefix("sqlite:")
        && !std::path::Path::new(path.strip_prefix("//").unwrap_or(path)).exists()
    {
        return vec![Finding::sound(WHAT, format!("{shown} is not there yet; `gsi serve` makes it"))];
    }
    match gsi_store::format_of(&url) {
        Err(error) => {
            let fix = "check store, user, password and sslmode; for SQLite, that the file is readable and whole (`gsi store check`)";
            return vec![Finding::bad(WHAT, format!("{shown}: {error}"), fix)];
        }
        Ok(format) if format.found > format.newest => {
            let found =
                format!("{shown} has format {}, this program knows up to {}", format.found, format.newest);
            return vec![Finding::bad(WHAT, found, "install the version that wrote it, or a newer one")];
        }
        Ok(format) if format.found > 0 && !format.steps.is_empty() => {
            let found =
                format!("{shown} has format {}, this program works with {}", format.found, format.newest);
            return vec![Finding::bad(WHAT, found, "gsi store backup FILE, then gsi store upgrade")];
        }
        Ok(_) => {}
    }
    match running::existing_store(config) {
        Ok(store) => {
            let mut findings = vec![Finding::sound(WHAT, shown)];
            findings.extend(newest_tick(&*store));
            findings.extend(keys(&*store, config));
            findings
        }
        Err(error) => vec![Finding::bad(WHAT, format!("{error:#}"), "gsi store check says more")],
    }
}

fn newest_tick(store: &dyn Store) -> Option<Finding> {
    const WHAT: &str = "newest tick";
    let now = SystemClock.now();
    match store.frontier() {
        Err(error) => Some(Finding::bad(WHAT, error.to_string(), "gsi store check says more")),
        Ok(None) => {
            Some(Finding::doubtful(WHAT, "none yet", "start `gsi serve`; /readyz says what it waits for"))
        }
        // Simulated worlds go by a clock of their own.
        Ok(Some(_)) if store.meta("world").is_ok_and(|world| world.is_some_and(|w| w != running::LIVE)) => {
            None
        }
        Ok(Some(frontier)) => Some(tick_at(WHAT, frontier.tick, now)),
    }
}

fn tick_at(what: &'static str, tick: Timestamp, now: Timestamp) -> Finding {
    if tick.since(now) > TICK {
        let fix = "set the clock right (chronyd, systemd-timesyncd); if the tick is wrong, gsi store repair --dry-run";
        return Finding::bad(what, format!("{tick} lies in the future"), fix);
    }
    if now.since(tick) > LATE_SECONDS {
        let fix = "start `gsi serve`, or see in its log why ticks fail";
        return Finding::doubtful(what, format!("{tick}, {} hours ago", now.since(tick) / HOUR), fix);
    }
    Finding::sound(what, tick.to_string())
}

fn keys(store: &dyn KeyStore, config: &Config) -> Option<Finding> {
    const WHAT: &str = "keys";
    let now = SystemClock.now();
    let keys = match store.keys() {
        Ok(keys) => keys,
        Err(error) => return Some(Finding::bad(WHAT, error.to_string(), "gsi store check says more")),
    };
    let in_force = keys
        .iter()
        .filter(|key| key.revoked_at.is_none() && key.expires_at.is_none_or(|end| now < end))
        .count();
    if in_force == 0 && config.operator_key().is_ok_and(|key| key.is_none()) {
        let fix = "gsi key create --name my-desk";
        return Some(Finding::doubtful(
            WHAT,
            format!("none in force of {}: nobody can ask", keys.len()),
            fix,
        ));
    }
    Some(Finding::sound(WHAT, format!("{in_force} in force")))
}
