//! Messages to hooks, added to the tick's commit; and trying a rule on past ticks.

use gsi_alerts::{HookNews, OwnRule, RuleReading, ScoresThen, WhenError, messages_to};
use gsi_feeds::all_connectors;
use gsi_model::{Alert, HOUR, Hook, HookRuleState, HookState, Snapshot, Timestamp};
use gsi_store::{Result, Store, TickCommit};
use std::collections::BTreeMap;

/// A comparison with an earlier time uses a snapshot at most this much older.
const NEAR_ENOUGH_SECONDS: i64 = HOUR;

/// Parses an operator's rule, which may refer to existing feeds.
pub fn parse_rule(text: &str) -> std::result::Result<OwnRule, WhenError> {
    let connectors = all_connectors();
    let feeds: Vec<&str> = connectors.iter().map(|c| c.origin().feed).collect();
    OwnRule::parse(text, &feeds)
}

/// Adds the messages to every hook that is on.
pub fn address(store: &dyn Store, commit: &mut TickCommit) -> Result<()> {
    let Some(snapshot) = commit.snapshot.take() else { return Ok(()) };
    let added = address_tick(store, &snapshot, commit);
    commit.snapshot = Some(snapshot);
    added
}

fn address_tick(store: &dyn Store, snapshot: &Snapshot, commit: &mut TickCommit) -> Result<()> {
    for kept in store.hooks()?.into_iter().filter(|k| k.hook.state == HookState::On) {
        let mut own = None;
        if let Some(rule) = rule_of(&kept.hook) {
            let countries = match &commit.countries {
                Some(countries) => Some(countries.clone()),
                None => store.countries_at(snapshot.tick)?,
            };
            let before = scores_before(store, snapshot.tick, &rule)?;
            let reading = RuleReading { snapshot, countries: countries.as_ref(), before: &before };
            own = rule.advance(kept.holds.as_ref(), &reading);
        }
        let holds = own.as_ref().map_or(kept.holds.is_some(), Alert::is_active);
        let news = HookNews { snapshot, alerts: &commit.alerts, briefings: &commit.briefings };
        commit.messages.extend(messages_to(&kept.hook, &news, own.as_ref(), holds));
        if let Some(change) = own {
            let holds = change.is_active().then_some(change);
            commit.hook_states.push(HookRuleState { hook: kept.hook.name, holds });
        }
    }
    Ok(())
}

/// A feed in the rule may have been removed since the rule was set. Then the rule sends nothing, and the log has the reason.
fn rule_of(hook: &Hook) -> Option<OwnRule> {
    let text = hook.when.as_deref()?;
    match parse_rule(text) {
        Ok(rule) => Some(rule),
        Err(error) => {
            tracing::warn!(hook = hook.name, %error, "the hook's rule is no longer valid");
            None
        }
    }
}

fn scores_before(store: &dyn Store, tick: Timestamp, rule: &OwnRule) -> Result<BTreeMap<u32, ScoresThen>> {
    let mut before = BTreeMap::new();
    for hours in rule.hours() {
        let moment = tick.minus(i64::from(hours) * HOUR);
        let found =
            store.published_at(moment)?.filter(|p| moment.since(p.snapshot.tick) <= NEAR_ENOUGH_SECONDS);
        if let Some(published) = found {
            let countries = store.countries_at(published.snapshot.tick)?;
            before.insert(hours, ScoresThen { snapshot: published.snapshot, countries });
        }
    }
    Ok(before)
}

/// Calls `each` with the alerts that a rule begins and ends over the stored ticks with `from <= tick < to`, and returns the
/// number of ticks.
pub fn try_rule(
    store: &dyn Store,
    rule: &OwnRule,
    from: Timestamp,
    to: Timestamp,
    each: &mut dyn FnMut(&Alert),
) -> Result<u64> {
    let mut holds: Option<Alert> = None;
    let mut ticks = 0;
    for point in store.history(None, from, to)? {
        let Some(published) = store.published_at(point.tick)?.filter(|p| p.snapshot.tick == point.tick)
        else {
            continue;
        };
        ticks += 1;
        let countries = store.countries_at(point.tick)?;
        let before = scores_before(store, point.tick, rule)?;
        let reading =
            RuleReading { snapshot: &published.snapshot, countries: countries.as_ref(), before: &before };
        if let Some(change) = rule.advance(holds.as_ref(), &reading) {
            each(&change);
            holds = change.is_active().then_some(change);
        }
    }
    Ok(ticks)
}
