//! Three replicas under constant load on a primary with a streaming standby, and every fault we can cause, one after another on
//! the same data.
//!
//! The replicas are processes on a real PostgreSQL, and this process serves their simulated publishers. Time runs three hundred
//! times as fast, a tick every three seconds, so a minute here is five hours of service. Run it with
//! `cargo test -p gsi --test replicas`; `make test` includes it.

mod faults;
mod hook;
mod load;
mod set;

use set::ReplicaSet;

#[test]
fn a_set_of_replicas_survives() {
    let Some(mut set) = ReplicaSet::start() else { return };
    faults::propagation(&mut set);
    faults::revoked_key(&mut set);
    faults::quota(&mut set);
    faults::leader_killed(&mut set);
    faults::leader_frozen(&mut set);
    faults::connections_cut(&mut set);
    faults::database_restarted(&mut set);
    faults::disk_full(&mut set);
    faults::clock_an_hour_off(&mut set);
    faults::primary_lost(&mut set);
    set.finish();
}
