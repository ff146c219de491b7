//! The table of faults: where each acts, whether clients are served meanwhile, how it begins and how it is undone.

use crate::crowd;
use crate::scene::{ChaosScene, StoreKind};
use gsi_sim::{Fault, PUBLISHERS};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Process,
    Clock,
    Store,
    Log,
    Readers,
    Publishers,
}

/// How long the service has to answer a well-behaved client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Served {
    Throughout,
    /// Until the repair, which restarts the service.
    UntilMended,
    NotMeanwhile,
}

/// Why this machine cannot cause the fault.
pub type Skipped = &'static str;

pub struct ChaosFault {
    pub name: &'static str,
    /// Two faults never act at the same place at once.
    pub place: Place,
    pub stores: &'static [StoreKind],
    pub served: Served,
    pub inflict: fn(&mut ChaosScene, &mut ChaCha8Rng) -> Result<(), Skipped>,
    pub undo: fn(&mut ChaosScene),
}

const BOTH: &[StoreKind] = &[StoreKind::Sqlite, StoreKind::Postgres];
const SQLITE: &[StoreKind] = &[StoreKind::Sqlite];
const POSTGRES: &[StoreKind] = &[StoreKind::Postgres];
const NO_DISK: Skipped = "this process may not mount a disk";
const NO_COMPILER: Skipped = "there is no C compiler to build a clock that jumps";

/// At a tick every three seconds, a longer jump would leave ticks out.
const LONGEST_JUMP_SECONDS: i64 = 15;
/// A tick waits for its feeds. A slower answer would leave ticks out.
const SLOWEST_PUBLISHER: Duration = Duration::from_secs(3);

pub static FAULTS: [ChaosFault; 14] = [
    ChaosFault {
        name: "kill",
        place: Place::Process,
        stores: BOTH,
        served: Served::NotMeanwhile,
        inflict: |scene, _| {
            scene.service.kill();
            Ok(())
        },
        // `keep_running` has started a new process.
        undo: |_| {},
    },
    ChaosFault {
        name: "stop and continue",
        place: Place::Process,
        stores: BOTH,
        served: Served::NotMeanwhile,
        inflict: |scene, _| {
            scene.service.signal("-STOP");
            Ok(())
        },
        undo: |scene| scene.service.signal("-CONT"),
    },
    ChaosFault {
        name: "clock jump",
        place: Place::Clock,
        stores: BOTH,
        served: Served::Throughout,
        inflict: |scene, random| {
            let jump = random.random_range(-LONGEST_JUMP_SECONDS..=LONGEST_JUMP_SECONDS);
            scene.clock.as_ref().ok_or(NO_COMPILER)?.set_ahead(jump);
            Ok(())
        },
        undo: |scene| scene.clock.iter().for_each(|clock| clock.set_ahead(0)),
    },
    ChaosFault {
        name: "full disk",
        place: Place::Store,
        stores: BOTH,
        served: Served::Throughout,
        inflict: |scene, _| {
            scene.truncate_write_ahead_log();
            scene.disk.as_ref().ok_or(NO_DISK)?.fill();
            Ok(())
        },
        undo: |scene| {
            scene.disk.iter().for_each(|disk| disk.clear());
            scene.start_database_if_it_stopped();
        },
    },
    ChaosFault {
        name: "slow disk",
        place: Place::Store,
        stores: BOTH,
        served: Served::Throughout,
        inflict: |scene, random| {
            let disk = scene.disk.as_ref().ok_or(NO_DISK)?;
            for _ in 0..random.random_range(0..6) {
                disk.freeze();
                std::thread::sleep(Duration::from_millis(random.random_range(20..250)));
                disk.thaw();
                std::thread::sleep(Duration::from_millis(random.random_range(5..50)));
            }
            disk.freeze();
            Ok(())
        },
        undo: |scene| scene.disk.iter().for_each(|disk| disk.thaw()),
    },
    ChaosFault {
        name: "failing disk",
        place: Place::Store,
        stores: BOTH,
        served: Served::UntilMended,
        inflict: |scene, _| {
            scene.disk.as_ref().ok_or(NO_DISK)?.break_down();
            Ok(())
        },
        undo: ChaosScene::replace_disk,
    },
    ChaosFault {
        name: "locked database",
        place: Place::Store,
        stores: SQLITE,
        served: Served::Throughout,
        inflict: |scene, _| {
            scene.lock_database();
            Ok(())
        },
        undo: |scene| scene.lock = None,
    },
    ChaosFault {
        name: "dead database",
        place: Place::Store,
        stores: POSTGRES,
        served: Served::Throughout,
        inflict: |scene, _| {
            scene.server().stop_at_once();
            Ok(())
        },
        undo: |scene| scene.server().start_again(),
    },
    ChaosFault {
        name: "halted database",
        place: Place::Store,
        stores: POSTGRES,
        served: Served::Throughout,
        inflict: |scene, _| {
            scene.server().signal("-STOP");
            Ok(())
        },
        undo: |scene| scene.server().signal("-CONT"),
    },
    ChaosFault {
        name: "cut connections",
        place: Place::Store,
        stores: POSTGRES,
        served: Served::Throughout,
        inflict: |scene, random| {
            let proxy = scene.proxy.as_ref().expect("a proxy");
            for _ in 0..random.random_range(2..8) {
                proxy.cut();
                std::thread::sleep(Duration::from_millis(random.random_range(10..400)));
            }
            proxy.refuse(true);
            proxy.cut();
            Ok(())
        },
        undo: |scene| scene.proxy.as_ref().expect("a proxy").refuse(false),
    },
    ChaosFault {
        name: "closed stderr",
        place: Place::Log,
        stores: BOTH,
        served: Served::Throughout,
        inflict: |scene, _| {
            scene.service.close_stderr();
            Ok(())
        },
        // The log is read again after the next start.
        undo: |_| {},
    },
    ChaosFault {
        name: "hang-ups",
        place: Place::Readers,
        stores: BOTH,
        served: Served::Throughout,
        inflict: |scene, random| {
            let questions = random.random_range(50..300);
            crowd::ask_and_hang_up(scene.port, &scene.key, questions, random);
            scene.counts.hang_ups += questions;
            Ok(())
        },
        undo: |_| {},
    },
    ChaosFault {
        name: "silent connections",
        place: Place::Readers,
        stores: BOTH,
        served: Served::Throughout,
        inflict: |scene, _| {
            scene.silent = crowd::connect_silently(scene.port, scene.silent_connections);
            scene.counts.most_silent = scene.counts.most_silent.max(scene.silent.len());
            Ok(())
        },
        undo: |scene| scene.silent.clear(),
    },
    ChaosFault {
        name: "hostile feeds",
        place: Place::Publishers,
        stores: BOTH,
        served: Served::Throughout,
        inflict: |scene, random| {
            for publisher in PUBLISHERS {
                let fault = match Fault::ALL[random.random_range(0..Fault::ALL.len())] {
                    Fault::Slow(_) => Fault::Slow(SLOWEST_PUBLISHER),
                    other => other,
                };
                scene.publishers.server.faults().set(publisher, fault);
            }
            Ok(())
        },
        undo: |scene| scene.publishers.server.faults().clear_all(),
    },
];
