//! `gsi hook`: sets in the store where messages are sent. A running service notices a change with its next tick.

use super::key::parse_span;
use crate::cli::{HookAddress, HookCommand, check_span};
use crate::config::Config;
use crate::hooks::{DeliveryOutcome, HookClient, check_address};
use crate::output::write_table;
use crate::setup;
use crate::{notice, result_line};
use anyhow::{Context, bail};
use gsi_model::{
    Alert, Clock, Delivery, DeliveryState, Hook, HookFormat, HookMessageKind, HookSecret, HookState,
    HookTopic, MessageId, SystemClock, Timestamp,
};
use gsi_pipeline::hooks::{parse_rule, try_rule};
use gsi_store::{KeptHook, Store};
use serde_json::json;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use url::Url;

const SECRET_BYTES: usize = 32;
const LONGEST_NAME: usize = 40;
/// In bytes. More of a file is not read.
const LONGEST_ADDRESS: u64 = 8_192;

pub fn run(config: &Config, command: HookCommand) -> anyhow::Result<ExitCode> {
    let store = setup::existing_store(config)?;
    let now = SystemClock.now();
    match command {
        HookCommand::Create { name, address, on, when, format } => {
            let hook = new_hook(config, &*store, name, &address, &on, when, &format, now)?;
            store.put_hook(&hook)?;
            show_secret(&hook);
        }
        HookCommand::List { json } => list(&store.hooks()?, json)?,
        HookCommand::Test { name } => return test(config, &*store, &find(&*store, &name)?.hook),
        HookCommand::Pause { name } => {
            change_state(&*store, &name, HookState::On, HookState::Paused)?;
            notice!("{name} receives nothing until `gsi hook resume {name}`");
        }
        HookCommand::Resume { name } => {
            change_state(&*store, &name, HookState::Paused, HookState::On)?;
            notice!("{name} receives messages again; waiting ones are sent first");
        }
        HookCommand::Revoke { name } => {
            let kept = find(&*store, &name)?;
            // Nothing signs with these secrets now.
            store.put_hook(&Hook { state: HookState::Revoked, secrets: Vec::new(), ..kept.hook })?;
            notice!("{name} is revoked");
        }
        HookCommand::Rotate { name, grace } => {
            let hook = rotated(find(&*store, &name)?.hook, &grace, now)?;
            store.put_hook(&hook)?;
            show_secret(&hook);
        }
        HookCommand::Deliveries { name, limit, json } => {
            if let Some(name) = &name {
                find(&*store, name)?;
            }
            deliveries(&store.deliveries(name.as_deref(), limit)?, json)?;
        }
        HookCommand::Retry { name, json } => retry(&*store, &name, json)?,
        HookCommand::Try { when, from, to, json } => return try_it(&*store, &when, from, to, json),
    }
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::too_many_arguments, reason = "the options of one command")]
fn new_hook(
    config: &Config,
    store: &dyn Store,
    name: String,
    address: &HookAddress,
    on: &[String],
    when: Option<String>,
    format: &str,
    now: Timestamp,
) -> anyhow::Result<Hook> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(fits) {
        bail!("a hook's name must have 1 to {LONGEST_NAME} small letters, digits and hyphens");
    }
    if store.hooks()?.iter().any(|kept| kept.hook.name == name) {
        bail!(
            "there is a hook {name} already; a name is never used again, so that deliveries stay unambiguous"
        );
    }
    let format = HookFormat::from_key(format).with_context(|| {
        format!(
            "there is no format {format:?}; there are {}",
            HookFormat::ALL.map(HookFormat::key).join(", ")
        )
    })?;
    let (option, url) = match (&address.url, &address.url_file) {
        (Some(url), _) => ("--url", url.clone()),
        (None, Some(file)) => ("--url-file", read_address(file)?),
        (None, None) => bail!("set --url or --url-file"),
    };
    check_address(&config.hooks, format, &url).map_err(|why| anyhow::anyhow!("{option}: {why}"))?;
    if let Some(rule) = &when {
        parse_rule(rule)?;
    }
    let secrets = if format == HookFormat::Webhook { vec![new_secret()?] } else { Vec::new() };
    Ok(Hook { name, url, topics: topics(on)?, when, format, state: HookState::On, secrets, created_at: now })
}

/// Reads an address, which may be a secret and is not part of any error.
fn read_address(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(LONGEST_ADDRESS).read_to_string(&mut text)
    } else {
        File::open(file).and_then(|file| file.take(LONGEST_ADDRESS).read_to_string(&mut text))
    };
    read.with_context(|| format!("--url-file: cannot read {}", file.display()))?;
    let is_cut = text.len() as u64 == LONGEST_ADDRESS;
    let address = text.trim();
    if is_cut || address.is_empty() || address.lines().count() > 1 {
        bail!("--url-file: {} must contain one line with the address", file.display());
    }
    Ok(address.to_owned())
}

fn topics(given: &[String]) -> anyhow::Result<Vec<HookTopic>> {
    let mut topics = Vec::new();
    for word in given.iter().flat_map(|g| g.split(',')) {
        let topic = HookTopic::from_key(word.trim()).with_context(|| {
            format!("there is no topic {word:?}; there are {}", HookTopic::ALL.map(HookTopic::key).join(", "))
        })?;
        if !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    Ok(topics)
}

fn new_secret() -> anyhow::Result<HookSecret> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|e| anyhow::anyhow!("cannot read random numbers: {e}"))?;
    let text = format!("whsec_{}", data_encoding::BASE64.encode(&bytes));
    Ok(HookSecret { text, until: None })
}

/// Puts a new secret first. During the grace period the newest old one signs as well.
fn rotated(mut hook: Hook, grace: &str, now: Timestamp) -> anyhow::Result<Hook> {
    if hook.format != HookFormat::Webhook {
        bail!("only webhooks are signed; {} uses {}", hook.name, hook.format);
    }
    if matches!(hook.state, HookState::Revoked | HookState::Gone) {
        bail!("{} is {}; create a new one with `gsi hook create`", hook.name, hook.state);
    }
    let grace = if grace == "0" { 0 } else { parse_span(grace)? };
    hook.secrets.truncate(1);
    for old in &mut hook.secrets {
        old.until = Some(now.plus(grace));
    }
    hook.secrets.insert(0, new_secret()?);
    Ok(hook)
}

/// Prints the secret on stdout, like a key.
fn show_secret(hook: &Hook) {
    if let Some(secret) = hook.secrets.first() {
        notice!("{} signs with this secret, which is shown only once:", hook.name);
        result_line!("{}", secret.text);
    } else {
        notice!("{} is set", hook.name);
    }
}

fn find(store: &dyn Store, name: &str) -> anyhow::Result<KeptHook> {
    let all = store.hooks()?;
    all.into_iter().find(|kept| kept.hook.name == name).with_context(|| format!("there is no hook {name}"))
}

fn change_state(store: &dyn Store, name: &str, from: HookState, to: HookState) -> anyhow::Result<()> {
    let hook = find(store, name)?.hook;
    if hook.state != from {
        bail!("{name} is {}, not {from}", hook.state);
    }
    Ok(store.put_hook(&Hook { state: to, ..hook })?)
}

/// Returns the address without its path, which holds the secret of a chat.
fn shown_address(hook: &Hook) -> String {
    match Url::parse(&hook.url) {
        Ok(url) if url.scheme() != "mailto" => {
            format!("{}://{}/…", url.scheme(), url.host_str().unwrap_or_default())
        }
        _ => hook.url.clone(),
    }
}

fn list(hooks: &[KeptHook], json: bool) -> anyhow::Result<()> {
    if json {
        let rows: Vec<_> = hooks
            .iter()
            .map(|KeptHook { hook, holds }| {
                json!({
                    "name": hook.name, "state": hook.state, "format": hook.format, "address": shown_address(hook),
                    "on": hook.topics, "when": hook.when, "holds_since": holds.as_ref().map(|a| a.began_at),
                    "created_at": hook.created_at,
                })
            })
            .collect();
        result_line!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let rows = hooks.iter().map(|KeptHook { hook, holds }| {
        let on: Vec<&str> = hook.topics.iter().map(|t| t.key()).collect();
        let when = hook.when.as_deref().unwrap_or("-");
        let holds = holds.as_ref().map_or_else(String::new, |a| format!("  (holds since {})", a.began_at));
        let (state, format) = (hook.state.key().to_owned(), hook.format.key().to_owned());
        [hook.name.clone(), state, format, on.join(","), shown_address(hook), format!("{when}{holds}")]
    });
    write_table(["NAME", "STATE", "FORMAT", "ON", "ADDRESS", "WHEN"], &rows.collect::<Vec<_>>());
    Ok(())
}

/// Sends a test message from this process, in the same way as the service.
fn test(config: &Config, store: &dyn Store, hook: &Hook) -> anyhow::Result<ExitCode> {
    let now = SystemClock.now();
    let simulated = setup::is_simulated(store)?;
    let body = json!({ "type": HookMessageKind::Test, "timestamp": now, "simulated": simulated, "data": { "hook": hook.name } });
    let delivery = Delivery {
        number: 0,
        hook: hook.name.clone(),
        message: MessageId::derive(format!("{} test {}", hook.name, now.unix()).as_bytes()).to_string(),
        tick: now,
        kind: HookMessageKind::Test,
        body: body.to_string(),
        state: DeliveryState::Waiting,
        waiting_since: now,
        next_try_at: now,
        tries: Vec::new(),
    };
    let client = HookClient::new(config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(client.send(hook, &delivery, now));
    result_line!("{}", outcome.result());
    Ok(if matches!(outcome, DeliveryOutcome::Accepted(_)) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn deliveries(found: &[Delivery], json: bool) -> anyhow::Result<()> {
    if json {
        let rows: Vec<_> = found
            .iter()
            .map(|d| {
                json!({
                    "message": d.message, "hook": d.hook, "tick": d.tick, "type": d.kind, "state": d.state,
                    "next_try_at": (d.state == DeliveryState::Waiting).then_some(d.next_try_at), "tries": d.tries,
                })
            })
            .collect();
        result_line!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let rows = found.iter().map(|d| {
        let tries: Vec<String> = d.tries.iter().map(|t| format!("{} {}", t.at, t.result)).collect();
        let (tick, state) = (d.tick.to_string(), d.state.key().to_owned());
        [tick, d.hook.clone(), d.kind.key().to_owned(), state, d.message.clone(), tries.join("; ")]
    });
    write_table(["TICK", "HOOK", "TYPE", "STATE", "MESSAGE", "TRIES"], &rows.collect::<Vec<_>>());
    Ok(())
}

fn retry(store: &dyn Store, name: &str, json: bool) -> anyhow::Result<()> {
    let hook = find(store, name)?.hook;
    if matches!(hook.state, HookState::Revoked | HookState::Gone) {
        bail!("{name} is {}; its messages are not sent any more", hook.state);
    }
    let waiting = store.retry_parked(name)?;
    if json {
        result_line!("{}", json!({ "hook": name, "waiting": waiting }));
    } else {
        let messages = if waiting == 1 { "message" } else { "messages" };
        result_line!("{waiting} parked {messages} of {name} will be sent again");
    }
    Ok(())
}

fn try_it(
    store: &dyn Store,
    when: &str,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    check_span(from, to)?;
    let rule = parse_rule(when)?;
    let mut fired: Vec<Alert> = Vec::new();
    let (from, after) = (from.unwrap_or(Timestamp::MIN), to.map_or(Timestamp::MAX, |last| last.plus(1)));
    let ticks = try_rule(store, &rule, from, after, &mut |change| match fired.last_mut() {
        Some(last) if last.id == change.id => *last = change.clone(),
        _ => fired.push(change.clone()),
    })?;
    if json {
        let times: Vec<_> = fired.iter().map(gsi_alerts::alert_document).collect();
        let report = json!({ "when": when, "ticks": ticks, "fired": fired.len(), "alerts": times });
        result_line!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    let often = if fired.len() == 1 { "once".to_owned() } else { format!("{} times", fired.len()) };
    result_line!("`{when}` would have fired {often} over {ticks} stored ticks");
    for alert in &fired {
        let end = alert.ended_at.map_or_else(|| "still holds".to_owned(), |end| end.to_string());
        let value = alert.value.map_or_else(String::new, |v| format!("{v:.1}"));
        result_line!("  {}  {end:<22}{value}", alert.began_at);
    }
    Ok(ExitCode::SUCCESS)
}
