//! Supervises the vital threads. If one of them panics, the whole process ends. If a stop takes too long, the process exits.
//!
//! A service without ticks would serve an ageing snapshot, and a leader without ticks would keep every other replica from taking over.

use super::Stop;
use crate::notice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The names of the vital threads.
const VITAL: [&str; 5] = ["ticks", "keep-lead", "follow", "clock", "deliveries"];
/// Longer than a tick waits for its feeds, and shorter than service managers wait before they kill a process.
pub const END_WITHIN: Duration = Duration::from_secs(75);

const STEP: Duration = Duration::from_millis(100);

/// Where the panic hook reports a dead thread.
struct Watch {
    stop: watch::Sender<bool>,
    dead: Arc<Mutex<Option<String>>>,
}

static WATCH: Mutex<Option<Watch>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// The supervision of one run of the service. It ends when the value is dropped.
pub struct Supervisor {
    dead: Arc<Mutex<Option<String>>>,
    ended: Arc<AtomicBool>,
}

impl Supervisor {
    /// Starts to supervise. The panic of a vital thread requests a stop through `stop`.
    pub fn start(stop: watch::Sender<bool>) -> Supervisor {
        let dead = Arc::default();
        *WATCH.lock().unwrap_or_else(PoisonError::into_inner) = Some(Watch { stop, dead: Arc::clone(&dead) });
        HOOK.call_once(|| {
            let print_panic = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                print_panic(panic);
                if let Some(name) = std::thread::current().name().filter(|name| VITAL.contains(name)) {
                    note_death(name);
                }
            }));
        });
        Supervisor { dead, ended: Arc::default() }
    }

    /// Exits if the process has not ended within the time after a stop was requested. Runs on a dedicated thread, because any other
    /// one may hang.
    pub fn end_in_time(&self, stop: Stop, within: Duration) -> std::io::Result<()> {
        let ended = Arc::clone(&self.ended);
        let watch = move || {
            stop.block();
            let requested = Instant::now();
            while requested.elapsed() < within {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(STEP);
            }
            notice!("gsi: not everything ended within {} s; stopped immediately", within.as_secs());
            std::process::exit(1);
        };
        std::thread::Builder::new().name("end-in-time".into()).spawn(watch).map(drop)
    }

    /// Returns the vital thread that died first, if one did.
    pub fn dead(&self) -> Option<String> {
        self.dead.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        *WATCH.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn note_death(name: &str) {
    if let Some(watch) = &*WATCH.lock().unwrap_or_else(PoisonError::into_inner) {
        watch.dead.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| name.to_owned());
        let _ = watch.stop.send(true);
    }
}
