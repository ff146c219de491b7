//! What the service cannot do without, watched: a vital thread that panics ends the whole process, and nothing that hangs
//! keeps it from ending once it was told to.
//!
//! A service without its ticks would go on answering with an ageing snapshot, and one that went on saying it leads would
//! keep every other replica from taking over.

use crate::results::notice;
use crate::running::Stop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Threads by name: the ticks, whoever says that the leader lives, whoever hears of the others' ticks and keys, and the
/// shared time.
const VITAL: [&str; 5] = ["ticks", "keep-lead", "follow", "clock", "deliveries"];
/// Longer than a tick under way waits for its feeds, and shorter than service managers wait before they kill.
pub const END_WITHIN: Duration = Duration::from_secs(75);

const STEP: Duration = Duration::from_millis(100);

/// Where to say that a vital thread is dead.
struct Watch {
    stop: watch::Sender<bool>,
    dead: Arc<Mutex<Option<String>>>,
}

static WATCH: Mutex<Option<Watch>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// The watch over one run of the service; it ends with this value.
pub struct Supervisor {
    dead: Arc<Mutex<Option<String>>>,
    ended: Arc<AtomicBool>,
}

impl Supervisor {
    /// From here on a vital thread's panic stops everything through `stop`.
    pub fn start(stop: watch::Sender<bool>) -> Supervisor {
        let dead = Arc::default();
        *WATCH.lock().unwrap_or_else(PoisonError::into_inner) = Some(Watch { stop, dead: Arc::clone(&dead) });
        HOOK.call_once(|| {
            let say_it = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                say_it(panic);
                if let Some(name) = std::thread::current().name().filter(|name| VITAL.contains(name)) {
                    note_death(name);
                }
            }));
        });
        Supervisor { dead, ended: Arc::default() }
    }

    /// Ends the process if it has not ended by itself in time after it was told to. On a thread of its own: whatever hangs
    /// may hang the others.
    pub fn end_in_time(&self, stop: Stop, within: Duration) -> std::io::Result<()> {
        let ended = Arc::clone(&self.ended);
        let watch = move || {
            stop.block();
            let told = Instant::now();
            while told.elapsed() < within {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(STEP);
            }
            notice!("gsi: not everything ended within {} s; stopped at once", within.as_secs());
            std::process::exit(1);
        };
        std::thread::Builder::new().name("end-in-time".into()).spawn(watch).map(drop)
    }

    /// The vital thread that died first, if one did.
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
