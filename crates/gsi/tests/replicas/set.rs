//! The servers and processes under test: databases, proxies, publishers, three replicas and their readers.

use crate::hook::SnapshotHook;
use crate::load::Load;
use drills::audit::{self, StoreDigest};
use drills::clock::WallClock;
use drills::http::{Answer, get};
use drills::postgres::{PostgresServer, SmallDisk};
use drills::proxy::Proxy;
use drills::publishers::Publishers;
use drills::{DISABLED_FEEDS, free_port, succeed, wait_until};
use gsi_model::{Clock, HOUR, TICK, Timestamp};
use gsi_store::{PostgresStore, Store};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const COMMON: &str = "-c fsync=off -c full_page_writes=off -c shared_buffers=32MB -c max_connections=100 \
                      -c max_wal_size=96MB -c min_wal_size=48MB -c hot_standby_feedback=on \
                      -c wal_retrieve_retry_interval=500ms -c wal_receiver_timeout=10s";
/// A commit waits until the standby has it, so a failover loses nothing.
const SYNCHRONOUS: &str = "-c synchronous_commit=on -c synchronous_standby_names='*'";
/// Simulated seconds per second: a tick every three seconds.
const SCALE: f64 = 300.0;
const DISK_MEGABYTES: u32 = 700;
/// Enough on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(90);
/// A balancer leaves a silent replica after one second, so the last of three is asked after three.
const ASKED_DIRECTLY: Duration = Duration::from_secs(3);

const LOG_LINES_SHOWN: usize = 25;

pub struct ReplicaSet {
    pub load: Load,
    pub replicas: Vec<Replica>,
    pub key: String,
    pub primary: Option<PostgresServer>,
    pub standby: PostgresServer,
    pub to_primary: Proxy,
    pub store: PostgresStore,
    pub disk: Option<SmallDisk>,
    pub publishers: Publishers,
    hook: SnapshotHook,
    settings: Settings,
    totals: Vec<String>,
}

struct Settings {
    folder: TempDir,
    store: String,
    read_store: String,
    skew: Option<WallClock>,
}

pub struct Replica {
    pub child: Child,
    pub port: u16,
    metrics_port: u16,
    /// Its machine's clock is an hour ahead.
    pub skewed: bool,
    name: usize,
}

impl ReplicaSet {
    pub fn start() -> Option<Self> {
        let (primary, disk) =
            PostgresServer::start_on_small_disk(&format!("{COMMON} {SYNCHRONOUS}"), DISK_MEGABYTES)?;
        let standby = primary.standby(COMMON);
        let mut admin = postgres_client(&primary.url("postgres"));
        admin.batch_execute("CREATE DATABASE gsi").unwrap();
        drop(admin);
        let (to_primary, to_standby) = (Proxy::start(primary.port()), Proxy::start(standby.port()));
        let publishers = Publishers::start(SCALE);
        let folder = TempDir::new().unwrap();
        let (p, s) = (to_primary.port(), to_standby.port());
        let settings = Settings {
            store: format!("postgres://gsi@127.0.0.1:{p},127.0.0.1:{s}/gsi"),
            read_store: format!("postgres://gsi@127.0.0.1:{s},127.0.0.1:{p}/gsi"),
            skew: build_skew(folder.path()),
            folder,
        };
        let store = PostgresStore::open(&primary.url("gsi")).unwrap();
        let key = settings.gsi(&publishers, &["key", "create", "--name", "load", "--rate", "none"]);
        let replicas: Vec<_> = (0..3).map(|name| settings.spawn(&publishers, name, free_port())).collect();
        let ports = replicas.iter().map(|r| r.port).collect();
        let begun = Instant::now();
        wait_until("all replicas are ready", 3 * PATIENCE, || {
            replicas
                .iter()
                .all(|r| get(r.port, "/readyz", None, ASKED_DIRECTLY).is_ok_and(|a| a.status == 200))
        });
        println!("three replicas ready after {:.1} s", begun.elapsed().as_secs_f64());
        let load = Load::start(ports, &key);
        let hook = SnapshotHook::start(|arguments| settings.gsi(&publishers, arguments));
        // The proxy to the standby lives as long as the process.
        std::mem::forget(to_standby);
        let primary = Some(primary);
        let mut set = ReplicaSet {
            load,
            replicas,
            key,
            primary,
            standby,
            to_primary,
            store,
            disk,
            publishers,
            hook,
            settings,
            totals: vec![],
        };
        set.wait_until_caught_up();
        Some(set)
    }

    pub fn ask(&self, replica: usize, path: &str) -> Option<Answer> {
        get(self.replicas[replica].port, path, Some(&self.key), ASKED_DIRECTLY).ok()
    }

    /// The tick a replica shows.
    pub fn shown(&self, replica: usize) -> Option<Timestamp> {
        let answer = self.ask(replica, "/v1/global-stability").filter(|a| a.status == 200)?;
        let json: serde_json::Value = serde_json::from_str(&answer.body).ok()?;
        json["as_of"].as_str()?.parse().ok()
    }

    pub fn metric(&self, replica: usize, name: &str) -> Option<f64> {
        let text = get(self.replicas[replica].metrics_port, "/metrics", None, ASKED_DIRECTLY).ok()?.body;
        let line = text.lines().find(|l| l.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))?;
        line.rsplit(' ').next()?.parse().ok()
    }

    pub fn wait_for_leader(&self, not: Option<usize>) -> (usize, Duration) {
        let mut found = None;
        let took = wait_until("a replica leads", PATIENCE, || {
            found = (0..self.replicas.len())
                .find(|r| Some(*r) != not && self.metric(*r, "gsi_leader") == Some(1.0));
            found.is_some()
        });
        (found.unwrap(), took)
    }

    pub fn gsi(&self, arguments: &[&str]) -> String {
        self.settings.gsi(&self.publishers, arguments)
    }

    pub fn signal(&self, replica: usize, signal: &str) {
        let pid = self.replicas[replica].child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Starts a new process in the place of one that has ended.
    pub fn revive(&mut self, replica: usize) {
        let port = self.replicas[replica].port;
        self.replicas[replica].child.wait().unwrap();
        self.replicas[replica] = self.settings.spawn(&self.publishers, replica, port);
        wait_until("the new process is ready", PATIENCE, || {
            get(port, "/readyz", None, ASKED_DIRECTLY).is_ok_and(|a| a.status == 200)
        });
    }

    /// Waits until the ticks have caught up with the clock and every replica shows the last one.
    pub fn wait_until_caught_up(&mut self) {
        wait_until("ticks and replicas catch up", PATIENCE, || {
            let now = self.publishers.clock.now().floor_tick();
            let Ok(Some(done)) = self.store.pulse().map(|p| p.published) else { return false };
            let shown = |r| self.shown(r).is_some_and(|shown| shown >= done);
            now.since(done) <= TICK && (0..self.replicas.len()).all(shown)
        });
    }

    /// Runs one drill, and checks before and after it everything that must hold.
    pub fn drill(&mut self, name: &str, work: impl FnOnce(&mut ReplicaSet) -> String) {
        let before_drill = StoreDigest::now(&self.store);
        let counts = |set: &ReplicaSet| {
            let c = &set.load.counts;
            [&c.asked, &c.failed, &c.lists_asked, &c.lists_failed, &c.moved_on].map(read)
        };
        let (before, begun) = (counts(self), Instant::now());
        let found = work(self);
        self.wait_until_caught_up();
        before_drill.assert_unchanged(&self.store);
        audit::assert_no_tick_missing(&self.store);
        let after = counts(self);
        let [asked, failed, lists, lists_failed, moved] = std::array::from_fn(|i| after[i] - before[i]);
        let line = format!(
            "{name}: {found}; {:.0} s, {asked} prepared reads ({failed} failed), {lists} list reads \
             ({lists_failed} failed), {moved} times the next replica was asked",
            begun.elapsed().as_secs_f64()
        );
        println!("{line}");
        self.totals.push(line);
        assert_eq!(self.load.complaints(), Vec::<String>::new());
    }

    pub fn finish(mut self) {
        self.load.end();
        println!("{}", self.hook.finish(&self.store));
        let ticks = audit::assert_no_tick_missing(&self.store);
        let files = audit::assert_no_file_missing(&self.store);
        println!("\n{}\n", self.totals.join("\n"));
        println!(
            "{ticks} ticks, none missing, none twice; {} of them seen by readers, none in two versions; {files} \
             news files, none missing",
            self.load.ticks_seen()
        );
        let c = &self.load.counts;
        let share = |failed: &AtomicU64, asked: &AtomicU64| 100.0 * read(failed) as f64 / read(asked) as f64;
        println!(
            "failed: {:.3} % of {} prepared reads, {:.3} % of {} list reads",
            share(&c.failed, &c.asked),
            read(&c.asked),
            share(&c.lists_failed, &c.lists_asked),
            read(&c.lists_asked)
        );
        let failures = self.load.failures();
        assert_eq!((read(&c.failed), read(&c.lists_failed)), (0, 0), "{failures:#?}");
        for replica in &mut self.replicas {
            let _ = replica.child.kill();
            let _ = replica.child.wait();
        }
    }
}

impl Drop for ReplicaSet {
    fn drop(&mut self) {
        self.load.end();
        for replica in &mut self.replicas {
            let _ = replica.child.kill();
            let _ = replica.child.wait();
        }
        if std::thread::panicking() {
            for replica in &self.replicas {
                let log = std::fs::read_to_string(self.settings.log(replica.name)).unwrap_or_default();
                let last: Vec<_> = log.lines().rev().take(LOG_LINES_SHOWN).collect();
                println!("-- last lines of replica {}:", replica.name);
                last.iter().rev().for_each(|line| println!("{line}"));
            }
        }
    }
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

impl Settings {
    fn command(&self, publishers: &Publishers) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
        publishers.apply_to(&mut command);
        command
            .args(["--store", &self.store])
            .env("GSI_FEEDS_DISABLED", DISABLED_FEEDS)
            .env("GSI_LOG_REQUESTS", "off")
            .env("GSI_HOOKS_ALLOW_PRIVATE", "true")
            .stdin(Stdio::null());
        command
    }

    fn gsi(&self, publishers: &Publishers, arguments: &[&str]) -> String {
        let mut command = self.command(publishers);
        succeed(command.arg("--data").arg(self.folder.path().join("cli")).args(arguments))
    }

    fn log(&self, name: usize) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
    }

    fn spawn(&self, publishers: &Publishers, name: usize, port: u16) -> Replica {
        let log = File::options().create(true).append(true).open(self.log(name)).unwrap();
        let metrics_port = free_port();
        let mut command = self.command(publishers);
        command
            .args(["serve", "--read-store", &self.read_store, "--listen", &format!("127.0.0.1:{port}")])
            .env("GSI_METRICS_LISTEN", format!("127.0.0.1:{metrics_port}"))
            .arg("--data")
            .arg(self.folder.path().join(name.to_string()))
            .stdout(Stdio::null())
            .stderr(log);
        let skew = self.skew.as_ref().filter(|_| name == 2);
        if let Some(clock) = skew {
            clock.apply_to(&mut command);
        }
        Replica { child: command.spawn().unwrap(), port, metrics_port, skewed: skew.is_some(), name }
    }
}

/// The clock of one machine, an hour ahead.
fn build_skew(folder: &Path) -> Option<WallClock> {
    let clock = WallClock::build(folder);
    match &clock {
        Some(clock) => clock.set_ahead(HOUR),
        None => println!("no C compiler: no replica has a wrong clock"),
    }
    clock
}

fn postgres_client(url: &str) -> postgres::Client {
    postgres::Client::connect(url, postgres::NoTls).unwrap()
}
