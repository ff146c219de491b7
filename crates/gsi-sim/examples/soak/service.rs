//! The service under the soak: a separate process, started like its unit starts it. Only its metrics are requested.

use gsi_model::{SimulatedPace, Timestamp};
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The C library's memory settings of the unit and the container.
const FRUGAL: [(&str, &str); 2] = [("MALLOC_MMAP_THRESHOLD_", "32768"), ("MALLOC_ARENA_MAX", "1")];
const PATIENCE: Duration = Duration::from_secs(300);
/// Units of processor time in /proc on Linux.
const JIFFIES_PER_SECOND: f64 = 100.0;

/// The service's binary and data, and the publishers it reads.
pub struct Installation {
    pub binary: PathBuf,
    pub data: PathBuf,
    pub publishers: String,
    pub since: Timestamp,
    pub pace: SimulatedPace,
}

/// Counts over the ticks that the service has logged.
#[derive(Clone, Copy, Default)]
pub struct TicksDone {
    pub ticks: u64,
    pub rows: u64,
    pub events: u64,
}

/// Figures of the service and the kernel at one moment.
pub struct ServiceFigures {
    pub ticks: u64,
    /// From the requests to the publishers to the commit, over all ticks.
    pub tick_seconds: f64,
    pub resident_mb: f64,
    pub cpu_seconds: f64,
}

pub struct RunningService {
    child: Child,
    /// Of its listener for metrics.
    address: String,
    begun: Instant,
    pub seconds_to_ready: f64,
    ticks_done: Arc<Mutex<TicksDone>>,
}

impl Installation {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .arg("--data")
            .arg(&self.data)
            .env("GSI_REHEARSAL_PUBLISHERS", &self.publishers)
            .env("GSI_REHEARSAL_BEGINS", self.pace.begins.to_string())
            .env("GSI_REHEARSAL_SINCE", self.since.to_string())
            .env("GSI_REHEARSAL_SCALE", self.pace.scale.to_string())
            .env("GSI_LOG_REQUESTS", "off")
            .stdin(Stdio::null());
        command
    }

    /// Starts the service and waits until it is ready.
    pub fn start(&self) -> Result<RunningService, Box<dyn Error>> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let begun = Instant::now();
        let mut child = self
            .command()
            // One line for each tick, with its counts.
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn,gsi_pipeline::tick=debug"])
            .env("GSI_METRICS_LISTEN", &address)
            .envs(FRUGAL)
            .stderr(Stdio::piped())
            .spawn()?;
        let ticks_done = Arc::new(Mutex::new(TicksDone::default()));
        if let Some(stderr) = child.stderr.take() {
            let ticks_done = ticks_done.clone();
            std::thread::spawn(move || listen(BufReader::new(stderr), &ticks_done));
        }
        let mut service = RunningService { child, address, begun, seconds_to_ready: 0.0, ticks_done };
        service.wait_until("it is ready", |service| {
            Ok(service.get("/readyz").is_ok_and(|(status, _)| status == 200))
        })?;
        service.seconds_to_ready = begun.elapsed().as_secs_f64();
        Ok(service)
    }

    /// Runs a command on the same store. Returns its output, how long it took, and whether it succeeded.
    pub fn run(&self, arguments: &[&str]) -> Result<(String, f64, bool), Box<dyn Error>> {
        let begun = Instant::now();
        let done = self.command().args(arguments).output()?;
        let output =
            String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        Ok((output, begun.elapsed().as_secs_f64(), done.status.success()))
    }
}

/// Counts the ticks in the log, and prints all other lines.
fn listen(lines: impl BufRead, ticks_done: &Mutex<TicksDone>) {
    for line in lines.lines().map_while(Result::ok) {
        let count = |name: &str| {
            let digits = line.split(name).nth(1)?.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u64>().ok()
        };
        match (line.contains("tick done"), count(" rows: "), count(" events: ")) {
            (true, Some(rows), Some(events)) => {
                let mut done = lock(ticks_done);
                done.ticks += 1;
                done.rows += rows;
                done.events += events;
            }
            _ => eprintln!("{line}"),
        }
    }
}

fn lock(ticks_done: &Mutex<TicksDone>) -> MutexGuard<'_, TicksDone> {
    ticks_done.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl RunningService {
    pub fn ticks_done(&self) -> TicksDone {
        *lock(&self.ticks_done)
    }

    fn get(&self, path: &str) -> Result<(u16, String), Box<dyn Error>> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: soak\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or("no status")?;
        Ok((status, answer))
    }

    pub fn figures(&self) -> Result<ServiceFigures, Box<dyn Error>> {
        let (_, metrics) = self.get("/metrics")?;
        let metric = |name: &str| {
            metrics.lines().find_map(|l| l.strip_prefix(name)?.trim().parse::<f64>().ok()).unwrap_or(0.0)
        };
        Ok(ServiceFigures {
            ticks: metric("gsi_tick_duration_seconds_count ") as u64,
            tick_seconds: metric("gsi_tick_duration_seconds_sum "),
            resident_mb: self.status_mb("VmRSS:"),
            cpu_seconds: self.cpu_seconds()?,
        })
    }

    /// Anonymous memory: without the program's and files' pages.
    pub fn own_mb(&self) -> f64 {
        self.status_mb("RssAnon:")
    }

    fn status_mb(&self, name: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().next().and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e3
    }

    fn cpu_seconds(&self) -> Result<f64, Box<dyn Error>> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name in brackets may contain anything; user and system time are the 12th and 13th field after it.
        let after = stat.rsplit(')').next().unwrap_or_default();
        let jiffies: f64 =
            after.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<f64>().ok()).sum();
        Ok(jiffies / JIFFIES_PER_SECOND)
    }

    pub fn seconds_to_first_tick(&mut self) -> Result<f64, Box<dyn Error>> {
        self.wait_until("a tick is done", |service| Ok(service.figures()?.ticks > 0))?;
        Ok(self.begun.elapsed().as_secs_f64())
    }

    fn wait_until(
        &mut self,
        what: &str,
        holds: impl Fn(&RunningService) -> Result<bool, Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        while !holds(self)? {
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("the service ended before {what}: {status}").into());
            }
            if self.begun.elapsed() > PATIENCE {
                return Err(format!("timed out waiting until {what}").into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Stops the service like an operator.
    pub fn stop(&mut self) -> Result<(), Box<dyn Error>> {
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("the service ended with {status}").into()) }
    }
}

impl Drop for RunningService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn file_bytes(path: &Path) -> f64 {
    std::fs::metadata(path).map_or(0.0, |file| file.len() as f64)
}

/// Size of all files in a folder and its subfolders.
pub fn bytes_below(folder: &Path) -> f64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0.0 };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            _ => file_bytes(&entry.path()),
        })
        .sum()
}
