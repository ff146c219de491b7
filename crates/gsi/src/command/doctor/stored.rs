//! The store: whether it opens and has this program's format, its newest tick, and its keys.

use super::Finding;
use super::machine::exposed;
use crate::config::Config;
use crate::setup;
use gsi_model::{Clock, HOUR, SystemClock, TICK, Timestamp};
use gsi_store::{KeyStore, Store};

/// An older newest tick means that no service does ticks.
const LATE_SECONDS: i64 = HOUR;

pub fn findings(config: &Config) -> Vec<Finding> {
    const WHAT: &str = "store";
    let url = config.store_url();
    let shown = config.shown_store_url();
    if setup::sqlite_path(&url).is_some_and(|path| !path.exists()) {
        return vec![Finding::sound(WHAT, format!("{shown} does not exist yet; `gsi serve` creates it"))];
    }
    match gsi_store::format_of(&url) {
        Err(error) => {
            let fix = "check store, user, password and sslmode; for SQLite, check that the file is readable and complete (`gsi store check`)";
            return vec![Finding::bad(WHAT, format!("{shown}: {error}"), fix)];
        }
        Ok(format) if format.found > format.newest => {
            let found = format!(
                "{shown} has format {}, and this program reads formats up to {}",
                format.found, format.newest
            );
            return vec![Finding::bad(WHAT, found, "install the version that wrote it, or a newer one")];
        }
        Ok(format) if format.found > 0 && !format.steps.is_empty() => {
            let found =
                format!("{shown} has format {}, and this program works with {}", format.found, format.newest);
            return vec![Finding::bad(WHAT, found, "gsi store backup FILE, then gsi store upgrade")];
        }
        Ok(_) => {}
    }
    match setup::existing_store(config) {
        Ok(store) => {
            let mut findings = vec![Finding::sound(WHAT, shown)];
            findings.extend(setup::sqlite_path(&url).and_then(|path| exposed(WHAT, path)));
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
            Some(Finding::doubtful(WHAT, "none yet", "start `gsi serve`; /readyz lists what it waits for"))
        }
        // Simulated worlds have their own clock.
        Ok(Some(_)) if store.meta("world").is_ok_and(|world| world.is_some_and(|w| w != setup::LIVE)) => None,
        Ok(Some(frontier)) => Some(tick_at(WHAT, frontier.tick, now)),
    }
}

fn tick_at(what: &'static str, tick: Timestamp, now: Timestamp) -> Finding {
    if tick.since(now) > TICK {
        let fix = "correct the clock (chronyd, systemd-timesyncd); if the tick is wrong, gsi store repair --dry-run";
        return Finding::bad(what, format!("{tick} is in the future"), fix);
    }
    if now.since(tick) > LATE_SECONDS {
        let fix = "start `gsi serve`, or read in its log why ticks fail";
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
    let valid = keys
        .iter()
        .filter(|key| key.revoked_at.is_none() && key.expires_at.is_none_or(|end| now < end))
        .count();
    if valid == 0 && config.operator_key().is_ok_and(|key| key.is_none()) {
        let fix = "gsi key create --name my-desk";
        return Some(Finding::doubtful(
            WHAT,
            format!("none of {} is valid: no client can ask", keys.len()),
            fix,
        ));
    }
    Some(Finding::sound(WHAT, format!("{valid} valid")))
}
