//! A tick is a function of what was known: caches, order of arrival and later knowledge change no byte.

mod world;

use gsi_index::Engine;
use gsi_model::{DAY, HOUR, Snapshot, Timestamp};
use world::{BEGIN, Run, World, compute, method, observation, ticks};

const DAYS: i32 = 9;

fn bytes(snapshot: &Option<Snapshot>) -> Vec<u8> {
    serde_json::to_vec(snapshot).unwrap()
}

#[test]
fn a_fresh_engine_a_truncated_table_and_another_order_give_the_same_bytes() {
    let world = World::new(7, DAYS, 3);
    let run = Run::over(&world, ticks(0, DAYS));
    let mut published = 0;
    for (n, tick) in run.ticks.iter().enumerate().filter(|(n, _)| n % 23 == 0 || n % 96 < 2 || n % 96 == 95) {
        let mut known = world.known_by(tick.tick);
        known.observations.extend(run.derived.iter().filter(|o| o.known_at <= tick.tick).cloned());
        known.observations.reverse();
        known.slots.reverse();
        let again = compute(&mut Engine::new(method()), &known.table(), &run.states, tick.tick);
        assert_eq!(again.state, tick.computed.state, "state at {}", tick.tick);
        assert_eq!(bytes(&again.snapshot), bytes(&tick.computed.snapshot), "tick {n} {}", tick.tick);
        published += usize::from(again.snapshot.is_some());
        // All that became known later, derived rows included, is in the long run's table.
        let late = compute(&mut Engine::new(method()), &run.table, &run.states, tick.tick);
        assert_eq!(bytes(&late.snapshot), bytes(&tick.computed.snapshot), "with later rows, {}", tick.tick);
    }
    assert!(published > 40, "{published} snapshots compared");
}

#[test]
fn rows_that_come_late_or_change_the_past_reach_a_running_engine() {
    let mut world = World::new(11, DAYS, 3);
    let at = |day: i32, hour: i64| BEGIN.plus(day).start().plus(hour * HOUR);
    let noon = at(4, 12);
    // A gap that is filled days later, a revision, a value for a day that was never reported, and a second series' hole.
    for (series, back, known) in
        [("ofr.fsi", 40, noon), ("eia.brent", 12, at(5, 1)), ("treasury.y10", 21, at(5, 3))]
    {
        let end = BEGIN.plus(-back).end();
        let row = world.observations.iter_mut().rfind(|o| o.series == series && o.period_end <= end);
        let row = row.expect("a business day before that");
        row.known_at = known;
        row.ingested_at = known;
    }
    let mut revision = world.observations.iter().find(|o| o.series == "ofr.volatility").unwrap().clone();
    revision.revision = 1;
    revision.value += 1.0;
    revision.known_at = at(3, 7);
    world.observations.push(revision);
    world.observations.push(observation("kev.weighted", BEGIN.plus(-2000).end(), at(6, 0), 9.0, "kev"));

    let run = Run::over(&world, ticks(0, DAYS));
    for tick in run.ticks.iter().step_by(13) {
        let mut known = world.known_by(tick.tick);
        known.observations.extend(run.derived.iter().filter(|o| o.known_at <= tick.tick).cloned());
        let again = compute(&mut Engine::new(method()), &known.table(), &run.states, tick.tick);
        assert_eq!(bytes(&again.snapshot), bytes(&tick.computed.snapshot), "{}", tick.tick);
    }
}

#[test]
fn rows_inserted_into_the_past_of_a_running_engine_are_seen_at_once() {
    let world = World::new(5, 4, 2);
    let cut = BEGIN.plus(2).start().plus(6 * HOUR);
    let late =
        |o: &gsi_model::Observation| o.series.starts_with("ofr.") && o.period_end < BEGIN.plus(-100).start();
    let mut first = world.clone();
    first.observations.retain(|o| !late(o));
    let mut run = Run::new(&first);
    let mut engine = Engine::new(method());
    for tick in ticks(0, 4) {
        if tick == cut {
            world.observations.iter().filter(|o| late(o)).for_each(|o| run.table.insert(o));
        }
        let running = run.step(&mut engine, tick).snapshot.clone();
        let fresh = compute(&mut Engine::new(method()), &run.table, &run.states, tick);
        if tick >= cut {
            assert_eq!(bytes(&fresh.snapshot), bytes(&running), "{tick}");
            break;
        }
    }
}

#[test]
fn missed_ticks_and_pruning_change_nothing_that_is_read() {
    let world = World::new(3, DAYS, 2);
    // Six hours around a midnight are missed, so that day's close is made later.
    let missed = |t: &Timestamp| t.since(BEGIN.plus(5).start()).abs() < 3 * HOUR;
    let kept: Vec<Timestamp> = ticks(0, DAYS).filter(|t| !missed(t)).collect();
    let whole = Run::over(&world, kept.iter().copied());
    let mut pruned = Run::new(&World { slots: Vec::new(), ..world.clone() });
    let mut engine = Engine::new(method());
    let mut slots = world.slots.iter().peekable();
    for (tick, want) in kept.iter().zip(&whole.ticks) {
        while let Some(slot) = slots.next_if(|s| s.known_at <= *tick) {
            pruned.table.insert_slot(slot);
        }
        let got = bytes(&pruned.step(&mut engine, *tick).snapshot);
        pruned.table.prune(*tick);
        assert_eq!(got, bytes(&want.computed.snapshot), "{tick}");
    }
    let closes: Vec<Timestamp> =
        whole.derived.iter().filter(|o| o.series == "index.peak_escalation").map(|o| o.period_end).collect();
    let expected: Vec<Timestamp> = (0..DAYS).map(|d| BEGIN.plus(d).end()).collect();
    assert_eq!(closes, expected, "every day has one close");
}

#[test]
fn a_state_of_another_method_or_damaged_bytes_start_anew() {
    let world = World::new(3, 2, 2);
    let table = world.table();
    let tick = BEGIN.plus(1).start();
    let mut engine = Engine::new(method());
    let anew = engine.compute(tick, &table, None, &|_| None, true);
    for damaged in [&b""[..], b"\x01", b"nonsense", &[0xff; 64]] {
        let again = engine.compute(tick, &table, Some(damaged), &|_| Some(damaged.to_vec()), true);
        assert_eq!(again.state, anew.state);
    }
    // A state from the future is not continued.
    let later = engine.compute(tick.plus(DAY), &table, None, &|_| None, true);
    assert_eq!(engine.compute(tick, &table, Some(&later.state), &|_| None, true).state, anew.state);
}
