//! The drills. Each reports what it measured.

use crate::set::{PATIENCE, ReplicaSet};
use drills::http::get;
use drills::wait_until;
use gsi_model::{TICK, Timestamp};
use gsi_store::{PostgresStore, Store};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limits that docs/operating.md states.
const TAKEOVER: Duration = Duration::from_secs(10);
const PROPAGATION: Duration = Duration::from_secs(1);
const REVOCATION: Duration = Duration::from_secs(5);

/// A snapshot that one replica shows is shown by all.
pub fn propagation(set: &mut ReplicaSet) {
    set.drill("propagation", |set| {
        let mut first: BTreeMap<Timestamp, BTreeMap<usize, Instant>> = BTreeMap::new();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(16) {
            for replica in 0..3 {
                if let Some(tick) = set.shown(replica) {
                    first.entry(tick).or_default().entry(replica).or_insert_with(Instant::now);
                }
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // The first tick was there before, the last may still be on its way.
        let mut spreads: Vec<Duration> = first
            .values()
            .skip(1)
            .filter(|seen| seen.len() == 3)
            .map(|seen| *seen.values().max().unwrap() - *seen.values().min().unwrap())
            .collect();
        spreads.sort();
        assert!(spreads.len() >= 3, "too few ticks: {}", spreads.len());
        let (median, worst) = (spreads[spreads.len() / 2], spreads[spreads.len() - 1]);
        assert!(median <= PROPAGATION, "{spreads:?}");
        format!("{} ticks on all replicas within {median:.0?} (worst {worst:.0?})", spreads.len())
    });
}

pub fn revoked_key(set: &mut ReplicaSet) {
    set.drill("revoked key", |set| {
        let key = set.gsi(&["key", "create", "--name", "leaver"]);
        let status = |set: &ReplicaSet, r: usize| {
            get(set.replicas[r].port, "/v1/keys/self", Some(&key), PATIENCE).map_or(0, |a| a.status)
        };
        let known =
            wait_until("the key is known everywhere", PATIENCE, || (0..3).all(|r| status(set, r) == 200));
        set.gsi(&["key", "revoke", &key[4..14]]);
        let gone =
            wait_until("the key is refused everywhere", PATIENCE, || (0..3).all(|r| status(set, r) == 401));
        assert!(gone <= REVOCATION, "{gone:?}");
        format!("a new key works everywhere after {known:.0?}, a revoked one nowhere after {gone:.0?}")
    });
}

/// One key asks all three replicas as fast as it can.
pub fn quota(set: &mut ReplicaSet) {
    set.drill("quota", |set| {
        const PER_SECOND: u64 = 5;
        const BURST: u64 = 50;
        let key = set.gsi(&["key", "create", "--name", "greedy", "--rate", "300/min"]);
        wait_until("the key is known everywhere", PATIENCE, || {
            (0..3).all(|r| {
                // These three requests count as well.
                get(set.replicas[r].port, "/v1/keys/self", Some(&key), PATIENCE)
                    .is_ok_and(|a| a.status == 200)
            })
        });
        let passed: Vec<AtomicU64> = (0..13).map(|_| AtomicU64::new(0)).collect();
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for replica in &set.replicas {
                let (key, passed) = (&key, &passed);
                scope.spawn(move || {
                    while begun.elapsed() < Duration::from_secs(12) {
                        let answer = get(replica.port, "/v1/keys/self", Some(key), PATIENCE);
                        if answer.is_ok_and(|a| a.status == 200) {
                            passed[begun.elapsed().as_secs() as usize].fetch_add(1, Ordering::Relaxed);
                        }
                        std::thread::sleep(Duration::from_millis(4));
                    }
                });
            }
        });
        let all: u64 = passed.iter().map(|n| n.load(Ordering::Relaxed)).sum();
        let (others, seconds) = (2, 12);
        // The quota, and once what two more replicas can accept before they know of each other's requests.
        let most = BURST + PER_SECOND * seconds + others * (BURST + 2 * PER_SECOND);
        assert!(all <= most, "{all} passed, at most {most} may");
        assert!(all > BURST, "{all}: the quota itself must be usable");
        // Later they repay the excess: over the whole time it is the quota of one replica.
        let late: u64 = passed[4..12].iter().map(|n| n.load(Ordering::Relaxed)).sum();
        assert!(late <= PER_SECOND * 8 + 2 * PER_SECOND, "{late} in eight seconds");
        format!("300 a minute, burst 50: {all} passed in 12 s on three replicas (one alone: 110)")
    });
}

pub fn leader_killed(set: &mut ReplicaSet) {
    set.drill("leader killed (SIGKILL)", |set| {
        let (leader, _) = set.wait_for_leader(None);
        set.signal(leader, "-KILL");
        let (_, took) = set.wait_for_leader(Some(leader));
        assert!(took <= TAKEOVER, "{took:?}");
        let before = set.store.pulse().unwrap().frontier;
        wait_until("the next tick is done", PATIENCE, || set.store.pulse().unwrap().frontier > before);
        set.revive(leader);
        format!("another led after {took:.0?}")
    });
}

pub fn leader_frozen(set: &mut ReplicaSet) {
    set.drill("leader frozen for two minutes (SIGSTOP)", |set| {
        let (leader, _) = set.wait_for_leader(None);
        set.signal(leader, "-STOP");
        let begun = Instant::now();
        let mut next = None;
        let took = wait_until("another replica leads", PATIENCE, || {
            next = (0..3).find(|r| *r != leader && set.metric(*r, "gsi_leader") == Some(1.0));
            next.is_some()
        });
        assert!(took <= TAKEOVER, "{took:?}");
        std::thread::sleep(Duration::from_secs(120).saturating_sub(begun.elapsed()));
        let ahead = set.store.pulse().unwrap().published;
        set.signal(leader, "-CONT");
        let back = wait_until("it shows what the others do", PATIENCE, || set.shown(leader) >= ahead);
        wait_until("it knows that it does not lead", PATIENCE, || {
            set.metric(leader, "gsi_leader") == Some(0.0)
        });
        format!("another led after {took:.0?}; back, it was up to date after {back:.0?} and changed nothing")
    });
}

/// Cuts connections at any point: in a commit, in an answer, while listening.
pub fn connections_cut(set: &mut ReplicaSet) {
    set.drill("connections cut by a proxy", |set| {
        let mut cut = 0;
        for round in 0..12u64 {
            std::thread::sleep(Duration::from_millis(350 + (round * 37) % 300));
            cut += set.to_primary.cut();
        }
        set.to_primary.refuse(true);
        cut += set.to_primary.cut();
        std::thread::sleep(Duration::from_secs(7));
        let degraded = (0..3).filter(|r| {
            let answer = set.ask(*r, "/v1/global-stability");
            answer.is_some_and(|a| a.status == 200 && a.header("gsi-data-status") != Some("ok"))
        });
        assert_eq!(degraded.count(), 3, "the status reports that the store is gone");
        assert!((0..3).all(|r| set.metric(r, "gsi_store_up") == Some(0.0)));
        set.to_primary.refuse(false);
        let back = wait_until("the status is ok again", PATIENCE, || {
            (0..3).all(|r| set.metric(r, "gsi_store_up") == Some(1.0))
        });
        format!("{cut} connections cut in 13 rounds, then 7 s without a database: all reported it and served; back after {back:.0?}")
    });
}

pub fn database_restarted(set: &mut ReplicaSet) {
    set.drill("database restarted", |set| {
        let begun = Instant::now();
        set.primary.as_ref().unwrap().restart();
        let took = begun.elapsed();
        let before = frontier_when_possible(&set.store);
        wait_until("ticks continue", PATIENCE, || frontier_when_possible(&set.store) > before);
        format!("the server was away for {took:.0?}, ticks continued")
    });
}

pub fn disk_full(set: &mut ReplicaSet) {
    let Some(disk) = set.disk.take() else {
        println!("skipped: disk full on the primary, because this process may not mount a small disk");
        return;
    };
    set.drill("disk full on the primary", |set| {
        let before = frontier_when_possible(&set.store);
        disk.fill();
        let begun = Instant::now();
        // Long enough for ticks to fail on it.
        std::thread::sleep(Duration::from_secs(10));
        let during = frontier_when_possible(&set.store);
        disk.clear();
        let primary = set.primary.as_ref().unwrap();
        // A server without space for its own log stops itself, and the operator starts it again.
        let stopped = !primary.is_running();
        if stopped {
            primary.start_again();
        }
        wait_until("ticks continue", PATIENCE, || frontier_when_possible(&set.store) > during.max(before));
        let ticks = during.zip(before).map_or(0, |(d, b)| d.since(b) / TICK);
        let kind = if stopped { "the server stopped itself" } else { "writes were refused" };
        format!(
            "full for {:.0?}: {kind}, {ticks} ticks were done meanwhile, the others afterwards",
            begun.elapsed()
        )
    });
    set.disk = Some(disk);
}

/// Makes the replica whose clock is an hour ahead the leader.
pub fn clock_an_hour_off(set: &mut ReplicaSet) {
    let Some(skewed) = set.replicas.iter().position(|r| r.skewed) else {
        println!("skipped: clock an hour off, because there is no C compiler");
        return;
    };
    set.drill("clock of one replica an hour off", |set| {
        let off = set.metric(skewed, "gsi_clock_error_seconds").unwrap();
        assert!((3590.0..3610.0).contains(&off), "the clock is not off: {off}");
        // At SIGTERM the others give up the lead at once.
        let others: Vec<usize> = (0..3).filter(|r| *r != skewed).collect();
        for other in &others {
            set.signal(*other, "-TERM");
        }
        wait_until("the one with the wrong clock leads", PATIENCE, || {
            set.metric(skewed, "gsi_leader") == Some(1.0)
        });
        let before = set.metric(skewed, "gsi_ticks_total").unwrap();
        wait_until("it does ticks", PATIENCE, || {
            set.metric(skewed, "gsi_ticks_total").unwrap_or(0.0) >= before + 4.0
        });
        for replica in others {
            set.revive(replica);
        }
        format!("off by {off} s, it led and did its ticks on time")
    });
}

pub fn primary_lost(set: &mut ReplicaSet) {
    set.drill("primary lost, standby promoted", |set| {
        let newest = set.store.pulse().unwrap().published;
        set.primary.as_ref().unwrap().stop_at_once();
        let begun = Instant::now();
        std::thread::sleep(Duration::from_secs(2));
        set.standby.promote();
        set.store = PostgresStore::open(&set.standby.url("gsi")).unwrap();
        assert!(set.store.pulse().unwrap().published >= newest, "a published tick is gone");
        let before = set.store.pulse().unwrap().frontier;
        wait_until("ticks continue", PATIENCE, || set.store.pulse().unwrap().frontier > before);
        format!("the first tick on the promoted standby after {:.0?}", begun.elapsed())
    });
}

fn frontier_when_possible(store: &PostgresStore) -> Option<Timestamp> {
    let mut found = None;
    // A full or restarting server answers within five seconds, or the caller tries again.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        match store.pulse() {
            Ok(pulse) => {
                found = pulse.frontier;
                break;
            }
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
    found
}
