//! The service under test with everything that faults act on: a separate disk for its store, a clock that jumps, publishers, and a
//! client that checks the answers.

use crate::disk::LoopDisk;
use crate::reader::WellBehavedReader;
use crate::service::ManagedService;
use drills::clock::WallClock;
use drills::http::get;
use drills::postgres::PostgresServer;
use drills::proxy::Proxy;
use drills::publishers::Publishers;
use drills::{DISABLED_FEEDS, free_port, succeed, wait_until};
use gsi_model::{Clock, TICK, Timestamp};
use gsi_store::Store;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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
/// With `fsync`, so that a failing disk loses nothing that was committed.
const DATABASE: &str = "-c shared_buffers=32MB -c max_connections=60 -c max_wal_size=96MB";
/// Enough on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// The limit in `docs/operating.md`, and more for a busy machine.
pub const END_WITHIN: Duration = Duration::from_secs(90);
const ASKED_DIRECTLY: Duration = Duration::from_secs(3);

/// Sums over all rounds.
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
    pub publishers: Arc<Publishers>,
    pub proxy: Option<Proxy>,
    pub clock: Option<Arc<WallClock>>,
    /// The transaction of another process on the database file.
    pub lock: Option<rusqlite::Connection>,
    pub silent: Vec<TcpStream>,
    pub silent_connections: usize,
    pub port: u16,
    pub key: String,
    pub counts: ChaosCounts,
    /// What this round did, which is printed when it fails.
    pub done: Vec<String>,
    command: Arc<CommandLine>,
    // Before the disk, because fields are dropped in order and the server has to end first.
    server: Option<PostgresServer>,
    pub disk: Option<LoopDisk>,
    _folder: TempDir,
}

/// How the program is called, for the service and for commands.
struct CommandLine {
    store: String,
    data: PathBuf,
    publishers: Arc<Publishers>,
}

impl CommandLine {
    fn gsi(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
        self.publishers.apply_to(&mut command);
        command
            .args(["--store", &self.store])
            .arg("--data")
            .arg(&self.data)
            .env("GSI_FEEDS_DISABLED", DISABLED_FEEDS)
            .stdin(Stdio::null());
        command
    }
}

impl ChaosScene {
    /// Returns `None` without the programs of PostgreSQL.
    pub fn start(kind: StoreKind, silent_connections: usize) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let (server, proxy, disk, store, data) = match kind {
            StoreKind::Postgres => {
                let (server, disk) = PostgresServer::start_on_disk(DATABASE, LoopDisk::mount)?;
                let mut admin = postgres::Client::connect(&server.url("postgres"), postgres::NoTls).unwrap();
                admin.batch_execute("CREATE DATABASE gsi").unwrap();
                let proxy = Proxy::start(server.port());
                let store = format!("postgres://gsi@127.0.0.1:{}/gsi", proxy.port());
                (Some(server), Some(proxy), disk, store, folder.path().join("data"))
            }
            StoreKind::Sqlite => {
                // Outside the temporary folder, because the disk removes its folder itself.
                let place = TempDir::new().unwrap().keep().join("disk");
                std::fs::create_dir(&place).unwrap();
                let disk = LoopDisk::mount(&place);
                let data = if disk.is_some() { place } else { folder.path().join("data") };
                (None, None, disk, format!("sqlite:{}", data.join("gsi.db").display()), data)
            }
        };
        let publishers = Arc::new(Publishers::start(SCALE));
        let command = Arc::new(CommandLine { store, data, publishers: Arc::clone(&publishers) });
        let clock = WallClock::build(folder.path()).map(Arc::new);
        let port = free_port();
        let (calls, machine_clock) = (Arc::clone(&command), clock.clone());
        let service = ManagedService::start(Box::new(move || {
            let mut serve = calls.gsi();
            serve.args(["serve", "--listen", &format!("127.0.0.1:{port}")]);
            serve.stdout(Stdio::null()).stderr(Stdio::piped());
            machine_clock.iter().for_each(|clock| clock.apply_to(&mut serve));
            serve
        }));
        wait_until("the service is ready", PATIENCE, || {
            get(port, "/readyz", None, ASKED_DIRECTLY).is_ok_and(|a| a.status == 200)
        });
        let key = succeed(command.gsi().args(["key", "create", "--name", "reader", "--rate", "none"]));
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
            server,
            disk,
            _folder: folder,
        };
        scene.wait_until_well();
        for path in crate::crowd::COSTLY {
            assert_eq!(scene.status(path, &scene.key), Some(200), "{path}");
        }
        Some(scene)
    }

    pub fn server(&self) -> &PostgresServer {
        self.server.as_ref().expect("this scene has a database server")
    }

    /// Runs an operator's command that must succeed.
    pub fn gsi(&self, arguments: &[&str]) -> String {
        succeed(self.command.gsi().args(arguments))
    }

    /// Opens the store without the proxy.
    pub fn open_store(&self) -> Arc<dyn Store> {
        let url = self.server.as_ref().map_or_else(|| self.command.store.clone(), |server| server.url("gsi"));
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

    /// Waits after the faults until the service is ready and its ticks have caught up with the clock. From then on it has to answer
    /// every request.
    pub fn wait_until_well(&mut self) {
        wait_until("the service is ready and its ticks catch up", PATIENCE, || {
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

    /// Truncates the write-ahead log. Its free space would hide for a while that the disk is full.
    pub fn truncate_write_ahead_log(&self) {
        if self.kind == StoreKind::Sqlite {
            let file = rusqlite::Connection::open(self.database_file()).unwrap();
            // This fails while another process reads.
            let _ = file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }

    /// Locks the database, unless a service that is halted in the middle of a write has the lock, which has the same effect.
    pub fn lock_database(&mut self) {
        let file = rusqlite::Connection::open(self.database_file()).unwrap();
        file.busy_timeout(Duration::from_secs(1)).unwrap();
        self.lock = file.execute_batch("BEGIN IMMEDIATE").is_ok().then_some(file);
    }

    /// A server without space for its own log stops itself, and the operator starts it again.
    pub fn start_database_if_it_stopped(&mut self) {
        if let Some(server) = self.server.as_ref().filter(|server| !server.is_running()) {
            server.start_again();
        }
    }

    /// Ends the service, repairs the disk that broke down, and starts the database server again on it.
    pub fn replace_disk(&mut self) {
        self.service.terminate(END_WITHIN);
        if let Some(server) = &self.server {
            server.signal("-KILL");
        }
        self.disk.iter().for_each(LoopDisk::repair);
        if let Some(server) = &self.server {
            server.drop_locks();
            server.start_again();
        }
    }
}

impl Drop for ChaosScene {
    /// After a failure, processes may be halted and could not end.
    fn drop(&mut self) {
        self.disk.iter().for_each(LoopDisk::thaw);
        self.service.signal("-CONT");
        if std::thread::panicking() {
            self.server.iter().for_each(|server| server.signal("-CONT"));
            println!("-- {:?} failed after {}", self.kind, self.done.join(", "));
            println!("-- last lines of the service:\n{}", self.service.last_lines());
            let kept = std::env::temp_dir().join(format!("chaos-{:?}-{}.db", self.kind, std::process::id()));
            let backup = self.command.gsi().args(["store", "backup"]).arg(&kept).output();
            if backup.is_ok_and(|done| done.status.success()) {
                println!("-- the store is kept in {}", kept.display());
            }
        }
    }
}
