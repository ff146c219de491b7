//! The service under test with all that can be done to it: its store on a disk of its own, a clock that jumps, publishers,
//! and a client that is owed its answers.

use crate::asking::{get, until};
use crate::cluster::Cluster;
use crate::disk::LoopDisk;
use crate::proxy::Proxy;
use crate::reader::WellBehavedReader;
use crate::service::ManagedService;
use crate::wall_clock::WallClock;
use crate::world::{BEGINS, Publishers};
use gsi_model::{Clock, TICK, Timestamp};
use gsi_store::Store;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    Sqlite,
    Postgres,
}

/// Simulated seconds per second: a tick every three seconds.
const SCALE: f64 = 300.0;
/// One feed per pillar is enough to be hostile, and ticks are quick.
const LEFT_OUT: &str = "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,gscpi,usgs,gdacs,treasury,ecb,epu";
/// What is committed is on the disk, or a failing one would take it along.
const DATABASE: &str = "-c shared_buffers=32MB -c max_connections=60 -c max_wal_size=96MB";
/// The machine may be busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// What `docs/operating.md` promises, and some for a busy machine.
pub const END_WITHIN: Duration = Duration::from_secs(90);
const ASKED_DIRECTLY: Duration = Duration::from_secs(3);

/// What was done in all.
#[derive(Default)]
pub struct ChaosCounts {
    pub faults: usize,
    pub hang_ups: usize,
    pub most_silent: usize,
    pub skipped: usize,
}

pub struct ChaosScene {
    pub kind: StoreKind,
    pub reader: WellBehavedReader,
    pub service: ManagedService,
    pub publishers: Publishers,
    pub proxy: Option<Proxy>,
    pub clock: Option<Arc<WallClock>>,
    /// Somebody else's transaction on the database file.
    pub lock: Option<rusqlite::Connection>,
    pub silent: Vec<TcpStream>,
    pub silent_connections: usize,
    pub port: u16,
    pub key: String,
    pub counts: ChaosCounts,
    /// What this round did, for whoever has to find out why it failed.
    pub done: Vec<String>,
    command: Arc<CommandLine>,
    // The database ends before its disk goes.
    cluster: Option<Cluster>,
    pub disk: Option<LoopDisk>,
    _folder: TempDir,
}

/// How the program is called, as a service and beside it.
struct CommandLine {
    store: String,
    data: PathBuf,
    publishers: String,
    since: String,
}

impl CommandLine {
    fn gsi(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
        command
            .args(["--store", &self.store])
            .arg("--data")
            .arg(&self.data)
            .env("GSI_REHEARSAL_PUBLISHERS", &self.publishers)
            .env("GSI_REHEARSAL_BEGINS", BEGINS)
            .env("GSI_REHEARSAL_SINCE", &self.since)
            .env("GSI_REHEARSAL_SCALE", SCALE.to_string())
            .env("GSI_FEEDS_DISABLED", LEFT_OUT)
            .stdin(Stdio::null());
        command
    }
}

impl ChaosScene {
    /// `None` without the database it needs.
    pub fn start(kind: StoreKind, silent_connections: usize) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let (cluster, proxy, disk, store, data) = match kind {
            StoreKind::Postgres => {
                let (cluster, disk) = Cluster::start_on_disk(DATABASE, LoopDisk::mount)?;
                let mut admin = postgres::Client::connect(&cluster.url("postgres"), postgres::NoTls).unwrap();
                admin.batch_execute("CREATE DATABASE gsi").unwrap();
                let proxy = Proxy::to(cluster.port());
                let store = format!("postgres://gsi@127.0.0.1:{}/gsi", proxy.port());
                (Some(cluster), Some(proxy), disk, store, folder.path().join("data"))
            }
            StoreKind::Sqlite => {
                // Beside the folder for everything else: the disk takes its own along when it goes.
                let place = TempDir::new().unwrap().keep().join("disk");
                std::fs::create_dir(&place).unwrap();
                let disk = LoopDisk::mount(&place);
                let data = if disk.is_some() { place } else { folder.path().join("data") };
                (None, None, disk, format!("sqlite:{}", data.join("gsi.db").display()), data)
            }
        };
        let publishers = Publishers::start(SCALE);
        let command = Arc::new(CommandLine {
            store,
            data,
            publishers: publishers.server.base_url(),
            since: publishers.since.to_string(),
        });
        let clock = WallClock::build(folder.path()).map(Arc::new);
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (calls, machine_clock) = (Arc::clone(&command), clock.clone());
        let service = ManagedService::start(Box::new(move || {
            let mut serve = calls.gsi();
            serve.args(["serve", "--listen", &format!("127.0.0.1:{port}")]);
            serve.stdout(Stdio::null()).stderr(Stdio::piped());
            machine_clock.iter().for_each(|clock| clock.apply_to(&mut serve));
            serve
        }));
        until("the service is ready", PATIENCE, || {
            get(port, "/readyz", None, ASKED_DIRECTLY).is_ok_and(|a| a.status == 200)
        });
        let key = said(&command.gsi().args(["key", "create", "--name", "reader", "--rate", "none"]).output());
        let reader = WellBehavedReader::start(port, &key);
        let mut scene = ChaosScene {
            kind,
            reader,
            service,
            publishers,
            proxy,
            clock,
            lock: None,
            silent: vec![],
            silent_connections,
            port,
            key,
            counts: ChaosCounts::default(),
            done: vec![],
            command,
            cluster,
            disk,
            _folder: folder,
        };
        scene.wait_until_well();
        for path in crate::crowd::COSTLY {
            assert_eq!(scene.status(path, &scene.key), Some(200), "{path}");
        }
        Some(scene)
    }

    pub fn cluster(&self) -> &Cluster {
        self.cluster.as_ref().expect("this scene has a database server")
    }

    /// An operator's command that has to succeed.
    pub fn gsi(&self, arguments: &[&str]) -> String {
        said(&self.command.gsi().args(arguments).output())
    }

    /// Not by way of the proxy.
    pub fn open_store(&self) -> Arc<dyn Store> {
        let url = self.cluster.as_ref().map_or_else(|| self.command.store.clone(), |c| c.url("gsi"));
        gsi_store::open(&url).expect("the store opens")
    }

    pub fn status(&self, path: &str, key: &str) -> Option<u16> {
        get(self.port, path, Some(key), ASKED_DIRECTLY).ok().map(|answer| answer.status)
    }

    /// The tick that readers see.
    pub fn shown(&self) -> Option<Timestamp> {
        let answer = get(self.port, "/v1/global-stability", Some(&self.key), ASKED_DIRECTLY).ok()?;
        let json: serde_json::Value = serde_json::from_str(&answer.body).ok()?;
        json["as_of"].as_str()?.parse().ok()
    }

    /// Nothing is wrong any more: waits until the service is ready and its ticks have caught up with the clock. Then every
    /// question is owed an answer.
    pub fn wait_until_well(&mut self) {
        until("the service is ready and its ticks catch up", PATIENCE, || {
            self.service.keep_running(false);
            let is_ready =
                get(self.port, "/readyz", None, ASKED_DIRECTLY).is_ok_and(|answer| answer.status == 200);
            let now = self.publishers.clock.now().floor_tick();
            is_ready && self.shown().is_some_and(|shown| now.since(shown) <= 2 * TICK)
        });
        self.service.is_well();
        self.reader.expect_answers(true);
    }

    fn database_file(&self) -> PathBuf {
        Path::new(&self.command.data).join("gsi.db")
    }

    /// Room that the write-ahead log has already taken would hide for a while that the disk is full.
    pub fn give_back_room_of_the_log(&self) {
        if self.kind == StoreKind::Sqlite {
            let file = rusqlite::Connection::open(self.database_file()).unwrap();
            // Somebody may be reading; then the log keeps its room.
            let _ = file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }

    /// Unless a service that is halted in the middle of a write holds the lock already, which comes to the same.
    pub fn lock_database(&mut self) {
        let file = rusqlite::Connection::open(self.database_file()).unwrap();
        file.busy_timeout(Duration::from_secs(1)).unwrap();
        self.lock = file.execute_batch("BEGIN IMMEDIATE").is_ok().then_some(file);
    }

    /// A server without room for its own log stops itself; whoever makes room starts it again.
    pub fn start_database_if_it_stopped(&mut self) {
        if let Some(cluster) = self.cluster.as_ref().filter(|cluster| !cluster.is_running()) {
            cluster.start_again();
        }
    }

    /// The disk has broken down: the service is told to end, the disk is mended, and all begins again on what is left.
    pub fn replace_disk(&mut self) {
        self.service.terminate(END_WITHIN);
        if let Some(cluster) = &self.cluster {
            cluster.signal("-KILL");
        }
        self.disk.iter().for_each(LoopDisk::repair);
        if let Some(cluster) = &self.cluster {
            cluster.drop_locks();
            cluster.start_again();
        }
    }
}

impl Drop for ChaosScene {
    /// After a failure things may be halted, and could not end.
    fn drop(&mut self) {
        self.disk.iter().for_each(LoopDisk::thaw);
        self.service.signal("-CONT");
        if std::thread::panicking() {
            self.cluster.iter().for_each(|cluster| cluster.signal("-CONT"));
            println!("-- {:?} failed after {}", self.kind, self.done.join(", "));
            println!("-- the service said last:\n{}", self.service.last_lines());
            let kept = std::env::temp_dir().join(format!("chaos-{:?}-{}.db", self.kind, std::process::id()));
            let backup = self.command.gsi().args(["store", "backup"]).arg(&kept).output();
            if backup.is_ok_and(|done| done.status.success()) {
                println!("-- the store is kept in {}", kept.display());
            }
        }
    }
}

fn said(done: &std::io::Result<Output>) -> String {
    let done = done.as_ref().unwrap();
    let [out, err] = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(done.status.success(), "{err}{out}");
    out.trim().to_owned()
}
