//! Three replicas under constant load on a primary with a streaming standby, and everything that can befall them, one
//! after another on the same data.
//!
//! Real processes, a real PostgreSQL, and a simulated world served by this process. Time runs three hundred times as
//! fast, a tick every three seconds, so a minute here is five hours of service: a freeze of twenty seconds is one of
//! a hundred minutes. `cargo test -p gsi --test replicas`, or as part of `make test`.

#[path = "../asking/mod.rs"]
mod asking;
mod audit;
#[path = "../../../gsi-store/tests/cluster/mod.rs"]
mod cluster;
mod drills;
mod hook;
mod load;
mod proxy;
#[path = "../receiver/mod.rs"]
mod receiver;
mod set;
#[path = "../wall_clock/mod.rs"]
mod wall_clock;
mod world;

use set::Set;

#[test]
fn a_set_of_replicas_survives() {
    let Some(mut set) = Set::start() else { return };
    drills::propagation(&mut set);
    drills::revoked_key(&mut set);
    drills::quota(&mut set);
    drills::leader_killed(&mut set);
    drills::leader_frozen(&mut set);
    drills::connections_cut(&mut set);
    drills::database_restarted(&mut set);
    drills::disk_full(&mut set);
    drills::clock_an_hour_off(&mut set);
    drills::primary_lost(&mut set);
    set.finish();
}
