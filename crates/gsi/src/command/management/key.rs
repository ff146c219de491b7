//! `gsi key`: creates, lists and revokes keys in the store. A running service accepts a new key immediately, and notices a revoked
//! one within seconds.

use crate::cli::Key;
use crate::config::Config;
use crate::output::write_table;
use crate::setup;
use crate::{notice, result_line};
use anyhow::{Context, bail};
use gsi_api::CURSOR_SECRET;
use gsi_api::keys::{self, Grant};
use gsi_model::{ApiKey, Clock, DAY, HOUR, MINUTE, RateLimit, Scope, SystemClock, Timestamp};
use gsi_store::{ChangeNote, KeyAuditEntry, KeyStore};
use std::process::ExitCode;

/// The longest span. A key without an end is `never`.
const LONGEST_SECONDS: i64 = 100 * 365 * DAY;

pub fn run(config: &Config, key: Key) -> anyhow::Result<ExitCode> {
    let now = SystemClock.now();
    let open = || setup::existing_store(config);
    match key {
        Key::Create { name, scope, expires, rate } => {
            let grant = Grant {
                name: clean_name(&name)?,
                scopes: parse_scopes(&scope)?,
                rate: parse_rate(&rate)?,
                expires_at: parse_expiry(&expires, now)?,
            };
            let made = keys::create(grant, now)?;
            open()?.put_key(&made.record, &change_note("gsi key create", now))?;
            result_line!("{}", made.text);
        }
        Key::List { json } => list(&open()?.keys()?, now, json)?,
        Key::Revoke { id } => {
            let store = open()?;
            let record = keys::revoke(&find(&*store, &id)?, now);
            store.put_key(&record, &change_note("gsi key revoke", now))?;
            notice!("revoked {} ({})", record.id, record.name);
        }
        Key::Rotate { id, grace } => {
            let store = open()?;
            let mut old = find(&*store, &id)?;
            if old.revoked_at.is_some_and(|at| at <= now) {
                bail!("the key {id} is revoked; create a new one with `gsi key create`");
            }
            let grace = if grace == "0" { 0 } else { parse_span(&grace)? };
            let made = keys::rotate(&old, now)?;
            let note = change_note("gsi key rotate", now);
            store.put_key(&made.record, &note)?;
            if grace == 0 {
                old = keys::revoke(&old, now);
            } else {
                let end = now.plus(grace);
                old.expires_at = Some(old.expires_at.map_or(end, |e| e.min(end)));
            }
            store.put_key(&old, &note)?;
            result_line!("{}", made.text);
        }
        Key::Audit { json } => audit(&open()?.key_audit()?, json)?,
        Key::RotateCursorSecret { grace } => {
            let grace = if grace == "0" { 0 } else { parse_span(&grace)? };
            // Without grace the end must be in the past for a service on a simulated clock too.
            let until = if grace == 0 { Timestamp::MIN } else { now.plus(grace) };
            open()?.rotate_secret(CURSOR_SECRET, until, &change_note("gsi key rotate-cursor-secret", now))?;
            match grace {
                0 => notice!("cursors are signed with a new secret; cursors of the old one are refused"),
                _ => notice!(
                    "cursors are signed with a new secret; cursors of the old one are accepted until {until}"
                ),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the author of a change, as far as this process knows.
pub fn change_note(command: &str, now: Timestamp) -> ChangeNote {
    let given =
        |names: &[&str]| names.iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let who = given(&["SUDO_USER", "USER", "LOGNAME"]).unwrap_or_else(|| "an unknown user".to_owned());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let host = host.map_or_else(|| "an unknown machine".to_owned(), |name| name.trim().to_owned());
    ChangeNote { at: now, by: format!("{command} by {who} on {host}") }
}

fn audit(entries: &[KeyAuditEntry], json: bool) -> anyhow::Result<()> {
    if json {
        let rows: Vec<_> = entries
            .iter()
            .map(|e| {
                let key = (!e.key.is_empty()).then_some(&e.key);
                let name = key.map(|_| &e.name);
                serde_json::json!({
                    "at": e.at, "action": e.action.key(), "key": key, "name": name, "by": e.by,
                })
            })
            .collect();
        result_line!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let rows = entries.iter().map(|e| {
        let key = if e.key.is_empty() { "-" } else { &e.key };
        [e.at.to_string().as_str(), e.action.key(), key, &e.by, &e.name].map(str::to_owned)
    });
    write_table(["AT", "ACTION", "KEY", "BY", "NAME"], &rows.collect::<Vec<_>>());
    Ok(())
}

fn find(store: &dyn KeyStore, id: &str) -> anyhow::Result<ApiKey> {
    // Accepts a whole key as well. Only the public id is used.
    let id = id.strip_prefix("gsi_").unwrap_or(id);
    let id = id.split('_').next().unwrap_or(id);
    store.keys()?.into_iter().find(|k| k.id == id).with_context(|| format!("there is no key {id}"))
}

fn clean_name(name: &str) -> anyhow::Result<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        bail!("a key's name must have 1 to 100 characters and no control characters");
    }
    Ok(name.to_owned())
}

fn parse_scopes(given: &[String]) -> anyhow::Result<Vec<Scope>> {
    if given.is_empty() {
        return Ok(vec![Scope::All]);
    }
    let mut scopes = Vec::new();
    for word in given.iter().flat_map(|g| g.split(',')) {
        let scope = Scope::from_key(word.trim()).with_context(|| {
            let all: Vec<_> = Scope::ALL.iter().map(|s| s.key()).collect();
            format!("there is no scope {word:?}; there are {}", all.join(", "))
        })?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

pub fn parse_span(text: &str) -> anyhow::Result<i64> {
    let reason = || format!("{text:?} is not a span such as 90d, 12h or 30m");
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).with_context(reason)?;
    let unit = match unit {
        "d" => DAY,
        "h" => HOUR,
        "m" => MINUTE,
        _ => bail!(reason()),
    };
    let number: u32 = number.parse().with_context(reason)?;
    let seconds = i64::from(number) * unit;
    if seconds == 0 || seconds > LONGEST_SECONDS {
        bail!("{text:?} is out of range; use `never` for a key without an end");
    }
    Ok(seconds)
}

fn parse_expiry(text: &str, now: Timestamp) -> anyhow::Result<Option<Timestamp>> {
    if text == "never" {
        return Ok(None);
    }
    if let Ok(at) = Timestamp::parse_rfc3339(text) {
        if at <= now {
            bail!("{text} is in the past");
        }
        return Ok(Some(at));
    }
    Ok(Some(now.plus(parse_span(text)?)))
}

fn parse_rate(text: &str) -> anyhow::Result<Option<RateLimit>> {
    if text == "none" {
        return Ok(None);
    }
    let reason = || format!("{text:?} is not a rate such as 600/min");
    let number = text.strip_suffix("/min").with_context(reason)?;
    let per_minute: u32 = number.parse().with_context(reason)?;
    if per_minute == 0 {
        bail!("a rate must be at least 1/min; revoke a key to block it");
    }
    // The proportion of the default, which allows 100 at once and 600 a minute.
    let burst = (per_minute / 6).max(1);
    Ok(Some(RateLimit { per_minute, burst }))
}

fn list(keys: &[ApiKey], now: Timestamp, json: bool) -> anyhow::Result<()> {
    let state = |k: &ApiKey| match k {
        k if k.revoked_at.is_some_and(|at| at <= now) => "revoked",
        k if k.expires_at.is_some_and(|at| at <= now) => "expired",
        _ => "active",
    };
    if json {
        let rows: Vec<_> = keys
            .iter()
            .map(|k| {
                serde_json::json!({
                    "id": k.id, "name": k.name, "state": state(k),
                    "scopes": k.scopes, "rate": k.rate,
                    "created_at": k.created_at, "expires_at": k.expires_at, "revoked_at": k.revoked_at,
                    "last_used": k.last_used.map(|at| at.day().to_string()),
                })
            })
            .collect();
        result_line!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let rows = keys.iter().map(|k| {
        let expires = k.expires_at.map_or("never".into(), |t| t.to_string());
        let last_used = k.last_used.map_or("never".into(), |at| at.day().to_string());
        let rate = k.rate.map_or("none".into(), |r| format!("{}/min", r.per_minute));
        let scopes: Vec<_> = k.scopes.iter().map(|s| s.key()).collect();
        let (id, state, created) = (k.id.clone(), state(k).to_owned(), k.created_at.to_string());
        [id, state, created, expires, last_used, rate, scopes.join(","), k.name.clone()]
    });
    let header = ["ID", "STATE", "CREATED", "EXPIRES", "LAST USED", "RATE", "SCOPES", "NAME"];
    write_table(header, &rows.collect::<Vec<_>>());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_rates_and_expiries_are_parsed() {
        let now: Timestamp = "2026-11-14T00:00:00Z".parse().unwrap();
        for (text, want) in [
            ("90d", Some("2027-02-12T00:00:00Z")),
            ("12h", Some("2026-11-14T12:00:00Z")),
            ("2027-01-01T00:00:00Z", Some("2027-01-01T00:00:00Z")),
        ] {
            assert_eq!(parse_expiry(text, now).unwrap().map(|t| t.to_string()).as_deref(), want, "{text}");
        }
        assert_eq!(parse_expiry("never", now).unwrap(), None);
        for bad in ["", "d", "0d", "-1d", "90", "9999999999d", "2020-01-01T00:00:00Z", "１d", "90é"] {
            assert!(parse_expiry(bad, now).is_err(), "{bad}");
        }
        assert_eq!(parse_rate("600/min").unwrap(), Some(RateLimit::DEFAULT));
        assert_eq!(parse_rate("none").unwrap(), None);
        for bad in ["600", "0/min", "x/min", "600/s", "-5/min"] {
            assert!(parse_rate(bad).is_err(), "{bad}");
        }
        assert!(parse_scopes(&["scores:write".into()]).is_err());
        assert_eq!(
            parse_scopes(&["scores:read,events:read".into()]).unwrap(),
            [Scope::Scores, Scope::Events]
        );
    }
}
