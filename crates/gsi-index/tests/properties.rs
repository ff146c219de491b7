//! Properties of every published number, whatever the world does.

mod world;

use gsi_index::{
    Catalogue, Engine, Method, MethodError, Prior, PriorKind, Rarity, Sample, SampleWorth,
    score_from_survival,
};
use gsi_model::{DAY, DataStatus, HOUR, Observation, Pillar, PillarStatus, Snapshot, TICK, Timestamp, Trend};
use proptest::prelude::*;
use std::collections::BTreeSet;
use world::{BEGIN, Run, World, method, observation, ticks};

const RESIDUAL: f64 = 1e-9;

fn rarity() -> Rarity {
    Catalogue::parse(Method::default_text()).unwrap().parameters.rarity
}

/// Contributions add to the scores, effects to the changes, weights to one, and nothing leaves 0–100.
fn check_sums(s: &Snapshot) {
    let close = |got: f64, want: f64, what: &str| {
        assert!((got - want).abs() <= RESIDUAL, "{what} at {}: {got} is not {want}", s.tick);
    };
    let all = || s.pillars.iter().flat_map(|p| &p.indicators);
    close(all().map(|i| i.contribution).sum(), s.score, "indicator contributions");
    close(s.pillars.iter().map(|p| p.contribution).sum(), s.score, "pillar contributions");
    close(s.pillars.iter().map(|p| p.weight).sum(), 1.0, "pillar weights");
    if let Some(delta) = s.delta_24h {
        let effects = all().map(|i| i.data_effect.unwrap() + i.coverage_effect.unwrap());
        close(effects.sum(), delta, "effects on the composite");
    }
    for p in &s.pillars {
        close(p.indicators.iter().map(|i| i.pillar_contribution).sum(), p.score, "contributions in a pillar");
        if p.status != PillarStatus::Unavailable {
            close(p.indicators.iter().map(|i| i.effective_weight).sum(), 1.0, "weights in a pillar");
        }
        if let Some(delta) = p.delta_24h {
            let effects = p
                .indicators
                .iter()
                .map(|i| i.pillar_data_effect.unwrap() + i.pillar_coverage_effect.unwrap());
            close(effects.sum(), delta, "effects on a pillar");
        }
        assert!((0.0..=100.0).contains(&p.score), "{}", p.score);
        assert!(p.indicators.iter().all(|i| i.value.is_some() != i.missing.is_some()));
    }
    assert!(0.0 <= s.low && s.low <= s.score && s.score <= s.high && s.high <= 100.0);
    assert!((0.0..=1.0).contains(&s.confidence.value));
}

fn snapshots(run: &Run) -> Vec<&Snapshot> {
    run.ticks.iter().filter_map(|t| t.computed.snapshot.as_ref()).collect()
}

/// Nothing of a feed arrives in `[from, to)`.
fn silence(world: &World, feed: &str, from: Timestamp, to: Timestamp) -> World {
    let dead = |t: Timestamp| from <= t && t < to;
    let mut world = world.clone();
    world.observations.retain(|o| o.feed.as_str() != feed || !dead(o.known_at));
    if feed == "gdelt" {
        world.slots.retain(|s| !dead(s.known_at));
    }
    world
}

#[test]
fn everything_adds_up_at_every_tick_through_an_outage_and_back() {
    let world = World::new(42, 8, 3);
    let day = |d: i32| BEGIN.plus(d).start();
    let world = silence(&world, "gdelt", day(4), day(6));
    let run = Run::over(&world, ticks(0, 8));
    let all = snapshots(&run);
    all.iter().for_each(|s| check_sums(s));
    let at = |t: Timestamp| *all.iter().find(|s| s.tick == t).unwrap();
    let conflict = |t: Timestamp| at(t).pillar(Pillar::Conflict).unwrap().status;
    assert_eq!(conflict(day(4)), PillarStatus::Ok);
    assert_eq!(conflict(day(5).plus(6 * HOUR)), PillarStatus::Unavailable);
    assert_eq!(at(day(5)).status, DataStatus::Degraded);
    assert_eq!(conflict(day(6).plus(12 * HOUR)), PillarStatus::Ok);
    let weight = at(day(5).plus(6 * HOUR)).pillar(Pillar::Conflict).unwrap().weight;
    assert_eq!(weight, 0.35, "silence does not take a pillar out of the composite");
    assert_eq!(at(day(3).minus(6 * HOUR)).trend, Trend::Flat, "less than 72 h of history has no trend");
}

#[test]
fn a_silent_feed_moves_scores_only_through_coverage() {
    let world = World::new(9, 6, 3);
    let from = BEGIN.plus(3).start().plus(7 * HOUR);
    let world = silence(&world, "gdelt", from, Timestamp::MAX);
    // Nothing else changes either, so that every change is an effect of the silence.
    let mut world = World { slots: world.slots, observations: world.observations };
    world.observations.retain(|o| o.known_at < from.minus(HOUR) || o.feed.as_str() == "events");
    let run = Run::over(&world, ticks(0, 6));
    let all = snapshots(&run);
    let last = all.iter().find(|s| s.tick == from.minus(TICK)).unwrap();
    for s in all.iter().filter(|s| s.tick >= from) {
        for (then, now) in last.pillars.iter().zip(&s.pillars) {
            for (a, b) in then.indicators.iter().zip(&now.indicators) {
                assert_eq!(a.value, b.value, "{} of a silent feed at {}", a.key, s.tick);
            }
        }
        check_sums(s);
    }
    // A day of silence later, all that the change owes to data was already being published when the silence began: of
    // a change that the news had just made, a sixth is still to be published then.
    let end = all.iter().find(|s| s.tick == from.plus(2 * DAY)).unwrap();
    for i in end.pillars.iter().flat_map(|p| &p.indicators).filter(|i| i.feed == "gdelt") {
        assert!(i.data_effect.unwrap().abs() < 0.4, "{} {:?}", i.key, i.data_effect);
    }
    let coverage = |s: &Snapshot| s.coverage;
    assert!(coverage(end) < coverage(last) - 0.2);
    assert!(end.confidence.value < last.confidence.value);
}

#[test]
fn with_too_few_pillars_the_last_scores_are_held_and_marked_stale() {
    let world = World::new(9, 9, 2);
    let from = BEGIN.plus(3).start();
    let mut world = silence(&world, "gdelt", from, Timestamp::MAX);
    world.observations.retain(|o| o.known_at < from);
    // Long after the last row only the slowest inputs count, and neither conflict nor macro does.
    let far = BEGIN.plus(3 + 60).start();
    let run = Run::over(&world, ticks(0, 4).chain((0..8).map(|n| far.plus(n * TICK))));
    let all = snapshots(&run);
    let (last, stale) = (all[all.len() - 9], all[all.len() - 1]);
    assert_eq!(stale.status, DataStatus::Stale);
    assert_eq!(stale.score, last.score);
    assert_eq!(stale.tick, far.plus(7 * TICK));
    check_sums(stale);
}

#[test]
fn nothing_is_published_before_every_pillar_has_been_scored() {
    let world = World::new(9, 3, 2);
    let since = BEGIN.plus(1).start();
    let mut late = world.clone();
    late.observations.retain(|o| o.series != "kev.weighted" || o.known_at >= since);
    late.slots.iter_mut().for_each(|s| s.cyber = 0);
    late.slots.retain(|s| s.stamp > since);
    let run = Run::over(&late, ticks(0, 3));
    let first = run.ticks.iter().find(|t| t.computed.snapshot.is_some()).unwrap();
    assert!(first.tick > since && first.tick < since.plus(12 * HOUR), "{}", first.tick);
}

#[test]
fn a_pillar_begins_with_all_its_data_and_reports_low_coverage() {
    let mut old = World::new(9, 2, 2);
    // All data about markets is half a year old.
    let markets = |o: &Observation| ["ofr", "treasury"].contains(&o.feed.as_str());
    old.observations.retain(|o| !markets(o) || o.known_at < BEGIN.plus(-180).start());
    let run = Run::over(&old, ticks(0, 2));
    let all = snapshots(&run);
    let first = all.first().expect("one value of any age makes a number");
    assert!(first.tick < BEGIN.plus(1).start(), "{}", first.tick);
    for s in [first, all.last().unwrap()] {
        check_sums(s);
        let pillar = s.pillar(Pillar::Macro).unwrap();
        assert_eq!((pillar.status, pillar.coverage), (PillarStatus::Unavailable, 0.0));
        assert_eq!(pillar.confidence.value, 0.0);
        assert_ne!(s.status, DataStatus::Ok);
        assert!(pillar.score > 0.0);
    }
    // No data gives no number.
    let mut none = World::new(9, 2, 2);
    none.observations.retain(|o| !markets(o));
    assert!(snapshots(&Run::over(&none, ticks(0, 2))).is_empty());
}

#[test]
fn news_takes_over_from_a_weekly_index_and_silence_moves_nothing() {
    let feeds = BTreeSet::from(["gdelt", "gpr", "kev", "oil", "ofr", "treasury"].map(str::to_owned));
    let method = std::sync::Arc::new(Method::load(Method::default_text(), &feeds).unwrap());
    let mut world = World::new(17, 8, 3);
    for d in 1..=500 {
        let day = BEGIN.plus(-d);
        for series in ["gpr.acts", "gpr.threats"] {
            let value = 80.0 + 20.0 * world::noise(17, series, i64::from(d));
            world.observations.push(observation(series, day.end(), BEGIN.start(), value, "gpr"));
        }
    }
    let weekly = |s: &Snapshot| -> f64 {
        let indicators = &s.pillar(Pillar::Conflict).unwrap().indicators;
        indicators.iter().filter(|i| i.feed == "gpr").map(|i| i.effective_weight).sum()
    };
    let silent_from = BEGIN.plus(5).start();
    let world = silence(&world, "gdelt", silent_from, Timestamp::MAX);
    let mut engine = Engine::new(method);
    let mut run = Run::new(&world);
    let (mut weights, mut scores) = (Vec::new(), Vec::new());
    for tick in ticks(0, 8) {
        let snapshot = run.step(&mut engine, tick).snapshot.clone();
        if let Some(s) = snapshot.filter(|_| tick.second_of_day() == 0) {
            weights.push((tick.day().0 - BEGIN.0, weekly(&s)));
            scores.push((tick, s.pillar(Pillar::Conflict).unwrap().unsmoothed));
            check_sums(&s);
        }
    }
    let on = |day: i32| weights.iter().find(|(d, _)| *d == day).unwrap().1;
    assert!(on(2) < on(1) - 0.02 && on(4) < on(2) - 0.05, "the weekly index gives way: {weights:?}");
    assert_eq!((on(6), on(7)), (on(5), on(5)), "and stays where it is while the news is silent: {weights:?}");
    let score = |day: i32| scores.iter().find(|(t, _)| t.day().0 - BEGIN.0 == day).unwrap().1;
    assert!((score(7) - score(6)).abs() < 1e-9, "{scores:?}");
}

#[test]
fn a_lone_jump_is_held_for_one_tick_and_a_supported_one_is_not() {
    let jump = BEGIN.plus(5).start().plus(9 * HOUR);
    for supported in [false, true] {
        let mut world = World::new(13, 6, 10);
        // Markets jump in one tick; with support, interest rates moved first.
        let end = BEGIN.plus(4).end();
        world.observations.retain(|o| o.known_at < jump.minus(DAY) || o.feed.as_str() == "events");
        for series in ["ofr.fsi", "ofr.volatility"] {
            world.observations.push(observation(series, end, jump, 60.0, "ofr"));
        }
        if supported {
            for series in ["treasury.y2", "treasury.y10"] {
                world.observations.push(observation(series, end, jump, 9.0, "treasury"));
            }
        }
        let run = Run::over(&world, ticks(0, 6));
        let all = snapshots(&run);
        let held = |t: Timestamp| {
            let s = all.iter().find(|s| s.tick == t).unwrap();
            s.pillar(Pillar::Macro).unwrap().indicators.iter().filter(|i| i.held).count()
        };
        assert_eq!(held(jump.minus(TICK)), 0);
        assert_eq!(held(jump) > 0, !supported, "supported: {supported}");
        assert_eq!(held(jump.plus(TICK)), 0, "the second tick confirms it");
        let macro_score = |t: Timestamp| {
            all.iter().find(|s| s.tick == t).unwrap().pillar(Pillar::Macro).unwrap().unsmoothed
        };
        assert!(macro_score(jump.plus(TICK)) > macro_score(jump.minus(TICK)) + 20.0);
    }
}

#[test]
fn a_worse_value_never_lowers_the_score() {
    let world = World::new(21, 3, 5);
    let tick = BEGIN.plus(3).start();
    let run = Run::over(&world, ticks(0, 3).filter(|t| *t < tick));
    let score = |change: &dyn Fn(&mut Observation)| {
        let mut moved = world.known_by(tick);
        moved.observations.extend(run.derived.iter().cloned());
        let newest = |series: &str| {
            moved.observations.iter().filter(|o| o.series == series).map(|o| o.period_end).max().unwrap()
        };
        let ends: Vec<(String, Timestamp)> =
            ["kev.weighted", "ofr.fsi", "ofr.volatility", "events.peak_escalation"]
                .map(|s| (s.to_owned(), newest(s)))
                .to_vec();
        for o in &mut moved.observations {
            if ends.iter().any(|(s, e)| *s == o.series && *e == o.period_end) {
                change(o);
            }
        }
        // Without an earlier state there is no value for the spike guard to hold.
        let computed = Engine::new(method()).compute(tick, &moved.table(), None, &|_| None, true);
        computed.snapshot.unwrap().unsmoothed
    };
    let base = score(&|_| {});
    for series in ["kev.weighted", "ofr.fsi", "ofr.volatility", "events.peak_escalation"] {
        let (mut before, mut moved) = (base, false);
        for step in [0.01, 0.5, 3.0, 50.0, 1e6] {
            let now = score(&|o| {
                if o.series == series {
                    o.value += step;
                }
            });
            assert!(now >= before - 1e-12, "{series} +{step}: {before} to {now}");
            moved |= now > before + 1e-6;
            before = now;
        }
        assert!(moved, "{series} has no effect");
    }
}

proptest! {
    #[test]
    fn survival_falls_and_the_score_rises_with_the_value(
        history in prop::collection::vec(-50.0..50.0f64, 0..900),
        mut values in prop::collection::vec(-200.0..400.0f64, 2..40),
        logarithmic in any::<bool>(),
    ) {
        let prior = Prior {
            median: 3.0,
            q95: 11.0,
            kind: if logarithmic { PriorKind::Lognormal } else { PriorKind::Normal },
        };
        let rarity = rarity();
        let sample = Sample::new(history, &rarity);
        values.sort_by(f64::total_cmp);
        let scores: Vec<f64> =
            values.iter().map(|v| score_from_survival(rarity.survival(&sample, SampleWorth::DAILY, &prior, *v))).collect();
        prop_assert!(scores.windows(2).all(|s| s[1] >= s[0] - 1e-9), "{scores:?}");
        prop_assert!(scores.iter().all(|s| (0.0..=100.0).contains(s)));
    }
}

#[test]
fn both_ends_of_the_scale_are_reachable() {
    assert_eq!(score_from_survival(1.0), 0.0);
    let rarity = rarity();
    let sample = Sample::new((0..3650).map(f64::from).collect(), &rarity);
    let prior = Prior { median: 1000.0, q95: 3000.0, kind: PriorKind::Normal };
    let score = |x: f64| {
        gsi_model::round_half_away(
            score_from_survival(rarity.survival(&sample, SampleWorth::DAILY, &prior, x)),
            1,
        )
    };
    assert_eq!(score(-1e9), 0.0);
    assert_eq!(score(1e9), 100.0);
}

#[test]
fn a_bad_catalogue_is_refused_and_the_error_names_the_place() {
    let feeds: BTreeSet<String> = ["gdelt", "kev", "oil", "ofr"].map(str::to_owned).into();
    let text = Method::default_text();
    let version = text.lines().find(|line| line.starts_with("version = ")).unwrap();
    let check = |from: &str, to: &str, want: &str| {
        assert!(text.contains(from), "{from}");
        let error = Method::load(&text.replacen(from, to, 1), &feeds).unwrap_err().to_string();
        assert!(error.contains(want), "{from} -> {to}: {error}");
    };
    for (from, to, want) in [
        ("conflict = 0.35", "conflict = 0.36", "at pillars: the weights add to 1.01"),
        ("conflict = 0.35", "conflicts = 0.35", "the pillars must be conflict, cyber, macro, supply_chain"),
        ("conflict = 0.35", "conflict = nan", "every weight must be positive"),
        ("weight = 0.15", "weight = 0.16", "pillar conflict: the weights add to 1.01"),
        ("weight = 0.15", "weight = -0.15", "indicator geopolitical_acts: weight -0.15"),
        ("kind = \"level\"", "kind = \"levl\"", "unknown variant `levl`"),
        ("unit = \"index\"", "unitt = \"index\"", "unknown field `unitt`"),
        ("series = \"gpr.acts\"", "series = \"gpr\"", "not of the form source.name"),
        ("series = \"gpr.acts\"", "series = \"index.composite\"", "a cycle"),
        ("key = \"geopolitical_threats\"", "key = \"geopolitical_acts\"", "the key is used twice"),
        ("key = \"geopolitical_acts\"", "key = \"Acts\"", "a key is made of"),
        ("median = 78.0, q95 = 187.0", "median = 78.0, q95 = 7.0", "must be above its median"),
        ("median = 78.0, q95 = 187.0", "median = -1.0, q95 = 7.0", "positive median"),
        ("slow_periods = 180", "slow_periods = 0", "slow_periods 0"),
        ("start = \"2023-01-15\"", "start = \"2023-13-15\"", "not a day such as"),
        ("band_edges = [33.0, 44.0", "band_edges = [44.0, 33.0", "band_edges must rise"),
        ("composite_power = 4", "composite_power = 3", "composite_power 3 is neither 2 nor 4"),
        ("window_years = 10", "window_years = 0", "window_years 0"),
        (version, "version = \"\"", "at version"),
        ("cadence_hours = 168", "cadence_hours = inf", "cadence_hours inf"),
        ("coverage_min = 0.3", "coverage_min = nan", "coverage_min NaN must be positive"),
        ("trend_enter = 2.5", "trend_enter = 1.0", "trend_leave must not exceed trend_enter"),
        ("level = 42.0", "level = inf", "at alerts.rules.supply_chain: level inf"),
        ("rules.macro", "rules.markets", "at alerts.rules.markets: it is neither a pillar nor composite"),
        ("past_needed = 20", "past_needed = 50", "at alerts: past_needed must be"),
        ("half_life_hours = 48.0 }", "half_life_hours = 0.0 }", "fades needs from_hours"),
        ("offset = 0.5", "offset = 0.0", "offset 0 must be positive"),
        ("tail_quantile = 0.98", "tail_quantile = 1.98", "rarity.tail_quantile 1.98"),
        ("follow_until = 1.0", "follow_until = 9.0", "follow_until must not exceed follow_gap"),
        ("median = 78.0, q95 = 187.0", "median = 78.0, q95 = inf", "prior q95 inf"),
        ("series = \"events.theaters\"", "series = \"gpr.acts\"", "not one of events.*"),
        ("\"treasury.y2\", \"treasury.y10\"", "\"treasury.y2\", \"treasury.y2\"", "listed twice"),
    ] {
        check(from, to, want);
    }
    let only_markets = BTreeSet::from(["ofr".to_owned()]);
    assert_eq!(Method::load(text, &only_markets).unwrap_err(), MethodError::EmptyPillar(Pillar::Conflict));
}

#[test]
fn the_digest_covers_what_is_active_and_only_that() {
    let load = |text: &str, feeds: &[&str]| {
        let feeds: BTreeSet<String> = feeds.iter().map(|f| (*f).to_owned()).collect();
        Method::load(text, &feeds).unwrap()
    };
    let (text, four) = (Method::default_text(), ["gdelt", "kev", "oil", "ofr"]);
    let base = load(text, &four);
    assert_eq!(base.digest(), load(text, &four).digest());
    let elsewhere = text.replacen("median = 78.0", "median = 79.0", 1);
    assert_eq!(base.digest(), load(&elsewhere, &four).digest(), "an inactive indicator does not matter");
    let here = text.replacen("median = 45.0", "median = 46.0", 1);
    assert_ne!(base.digest(), load(&here, &four).digest());
    assert_ne!(base.digest(), load(text, &["gdelt", "kev", "oil", "ofr", "vix"]).digest());
    for pillar in Pillar::ALL {
        let weights = base.indicators().iter().filter(|i| i.pillar == pillar).map(|i| i.weight);
        assert!((weights.sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let document = base.document();
    assert_eq!(document["digest"], base.digest());
    assert!(document["inactive"].as_array().unwrap().iter().any(|k| k == "gscpi"));
}
