//! A throwaway PostgreSQL server in a temporary folder, reached by a socket there or on loopback, gone when the value
//! goes. Also its standby.

// Not every test uses all of it.
#![allow(dead_code)]

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

pub struct Cluster {
    folder: TempDir,
    binaries: PathBuf,
    /// PostgreSQL refuses to run as root, so root becomes this user for it.
    user: Option<(u32, u32)>,
    /// Stops the server when its input ends, which it also does when this process is killed.
    watchdog: Option<Child>,
    port: u16,
    options: String,
}

/// What the tests of one process need; the drills need more.
const SMALL: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=16MB \
                     -c max_connections=60 -c autovacuum=off";

impl Cluster {
    /// `None` when there are no server binaries, unless `GSI_REQUIRE_POSTGRES=1` makes that a failure.
    pub fn start() -> Option<Self> {
        Self::start_with(SMALL)
    }

    pub fn start_with(options: &str) -> Option<Self> {
        let binaries = binaries_or_skip()?;
        let folder = TempDir::new().unwrap();
        Some(Self::start_in(folder, binaries, options))
    }

    fn start_in(folder: TempDir, binaries: PathBuf, options: &str) -> Self {
        let mut cluster = Self::prepare(folder, binaries, options);
        cluster.initialise();
        cluster.watch();
        cluster.start_again();
        cluster
    }

    fn prepare(folder: TempDir, binaries: PathBuf, options: &str) -> Self {
        let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        let user = is_root.then(|| unprivileged_user().expect("a user that is not root"));
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        Cluster { folder, binaries, user, watchdog: None, port: free_port(), options: options.to_owned() }
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres://gsi@127.0.0.1:{}/{database}", self.port)
    }

    pub fn restart(&self) {
        self.run("pg_ctl", ["restart", "-w", "-m", "fast"], &["-o", &self.server_options()]);
    }

    /// A language whose alphabet is not the order of bytes, where the build knows one: order must not depend on it.
    fn initialise(&self) {
        let data = self.data();
        let common = ["-D", &data, "-U", "gsi", "-A", "trust", "-E", "UTF8", "--no-sync"];
        let with = |locale: &[&str]| {
            self.command("initdb").args(common).args(locale).output().is_ok_and(|out| out.status.success())
        };
        let made =
            with(&["--locale-provider=icu", "--icu-locale=en", "--locale=C.UTF-8"]) || with(&["--locale=C"]);
        assert!(made, "initdb failed");
    }

    /// In a process group of its own: whoever kills the tests as a group must not take it along.
    fn watch(&mut self) {
        let stop = "read -r _; \"$0\" stop -s -m immediate -D \"$1\"; rm -rf \"$2\"";
        let mut command = self.command_line(OsStr::new("/bin/sh"));
        command.args(["-c", stop]).arg(self.binaries.join("pg_ctl")).arg(self.data()).arg(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        self.watchdog = Some(command.spawn().unwrap());
    }

    fn server_options(&self) -> String {
        let folder = self.folder.path().display();
        format!(
            "-c port={} -c unix_socket_directories='{folder}' -c listen_addresses=127.0.0.1 {}",
            self.port, self.options
        )
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run<const N: usize>(&self, program: &str, verb: [&str; N], more: &[&str]) {
        let log = self.folder.path().join("log");
        let done = self
            .command(program)
            .args(verb)
            .args(["-s", "-D", &self.data(), "-l"])
            .arg(&log)
            .args(more)
            // A server that inherited a pipe would keep the caller waiting for its end.
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success(), "{program}: {}", fs::read_to_string(log).unwrap_or_default());
    }

    fn command(&self, program: &str) -> Command {
        self.command_line(self.binaries.join(program).as_os_str())
    }

    fn command_line(&self, program: &OsStr) -> Command {
        let mut command = match self.user {
            None => Command::new(program),
            Some((uid, gid)) => {
                let mut command = Command::new("setpriv");
                command.args([
                    format!("--reuid={uid}"),
                    format!("--regid={gid}"),
                    "--clear-groups".to_owned(),
                ]);
                command.arg("--").arg(program);
                command
            }
        };
        command.current_dir(self.folder.path()).env("LC_ALL", "C");
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Waiting closes its input first.
        if let Some(mut watchdog) = self.watchdog.take() {
            let _ = watchdog.wait();
        }
    }
}

impl Cluster {
    /// On a disk of its own, if this process may make one.
    pub fn start_on_small_disk(options: &str, megabytes: u32) -> Option<(Self, Option<SmallDisk>)> {
        let binaries = binaries_or_skip()?;
        let folder = TempDir::new().unwrap();
        let disk = SmallDisk::mount(folder.path(), megabytes);
        Some((Self::start_in(folder, binaries, options), disk))
    }

    /// With its data on whatever `make_disk` puts at the path it is given.
    pub fn start_on_disk<D>(
        options: &str,
        make_disk: impl FnOnce(&Path) -> Option<D>,
    ) -> Option<(Self, Option<D>)> {
        let binaries = binaries_or_skip()?;
        let mut cluster = Self::prepare(TempDir::new().unwrap(), binaries, options);
        let data = PathBuf::from(cluster.data());
        fs::create_dir(&data).unwrap();
        let disk = make_disk(&data);
        if let Some((uid, gid)) = cluster.user {
            chown(&data, Some(uid), Some(gid)).unwrap();
        }
        cluster.initialise();
        cluster.watch();
        cluster.start_again();
        Some((cluster, disk))
    }

    /// One that is reached by TLS or not at all.
    pub fn start_with_tls(certificate: &str, key: &str) -> Option<Self> {
        let binaries = binaries_or_skip()?;
        let mut cluster = Self::prepare(TempDir::new().unwrap(), binaries, SMALL);
        cluster.initialise();
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = Path::new(&cluster.data()).join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((uid, gid)) = cluster.user {
                chown(&path, Some(uid), Some(gid)).unwrap();
            }
        }
        fs::write(Path::new(&cluster.data()).join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n")
            .unwrap();
        cluster.options.push_str(" -c ssl=on");
        cluster.watch();
        cluster.start_again();
        Some(cluster)
    }

    /// A streaming copy.
    pub fn standby(&self, options: &str) -> Self {
        let mut copy = Self::prepare(TempDir::new().unwrap(), self.binaries.clone(), options);
        let from = format!("host=127.0.0.1 port={} user=gsi", self.port);
        let made = copy
            .command("pg_basebackup")
            .args(["-R", "-X", "stream", "-c", "fast", "--no-sync", "-D", &copy.data(), "-d", &from])
            .output()
            .unwrap();
        assert!(made.status.success(), "pg_basebackup: {}", String::from_utf8_lossy(&made.stderr));
        copy.watch();
        copy.start_again();
        copy
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn start_again(&self) {
        self.run("pg_ctl", ["start", "-w", "-t", "60"], &["-o", &self.server_options()]);
    }

    /// Of a server that has lost its disk: its process may still be there as a zombie that nobody has buried, and the locks that it
    /// left would keep the next one from starting.
    pub fn drop_locks(&self) {
        let _ = fs::remove_file(Path::new(&self.data()).join("postmaster.pid"));
        let _ = fs::remove_file(self.folder.path().join(format!(".s.PGSQL.{}.lock", self.port)));
    }

    pub fn is_running(&self) -> bool {
        self.command("pg_ctl").args(["status", "-D", &self.data()]).output().unwrap().status.success()
    }

    /// Like a power cut of the machine it runs on.
    pub fn stop_at_once(&self) {
        self.run("pg_ctl", ["stop", "-w", "-m", "immediate"], &[]);
    }

    /// To the server and all processes it has started, for example `-STOP`; to nobody when it has ended.
    pub fn signal(&self, signal: &str) {
        let pid_file = fs::read_to_string(Path::new(&self.data()).join("postmaster.pid")).unwrap_or_default();
        let Some(server) = pid_file.lines().next() else { return };
        let children =
            fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap_or_default();
        // A child may have ended since; the server has not.
        for process in std::iter::once(server).chain(children.split_whitespace()) {
            let _ = Command::new("kill").args([signal, process]).stderr(Stdio::null()).status();
        }
    }

    pub fn promote(&self) {
        self.run("pg_ctl", ["promote", "-w", "-t", "60"], &[]);
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

/// A file system in memory that can be filled to the brim; gone with the value, or with this process.
pub struct SmallDisk {
    place: PathBuf,
    watchdog: Child,
}

/// The server on it ends first: without its files it could not be told to.
const WAIT_AND_UNMOUNT: &str =
    "read -r _; for _ in $(seq 100); do [ -e \"$0/data\" ] || break; sleep 0.1; done; umount -l \"$0\"";

impl SmallDisk {
    fn mount(place: &Path, megabytes: u32) -> Option<Self> {
        let size = format!("size={megabytes}m");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(place).output();
        if !mounted.is_ok_and(|out| out.status.success()) {
            return None;
        }
        let watchdog = Command::new("/bin/sh")
            .args(["-c", WAIT_AND_UNMOUNT])
            .arg(place)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        Some(SmallDisk { place: place.to_owned(), watchdog })
    }

    pub fn fill(&self) {
        let mut ballast = fs::File::create(self.place.join("ballast")).unwrap();
        for size in [1 << 20, 1 << 12] {
            while std::io::Write::write_all(&mut ballast, &vec![7; size]).is_ok() {}
        }
    }

    pub fn clear(&self) {
        fs::remove_file(self.place.join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.watchdog.wait();
        let _ = fs::remove_dir(&self.place);
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn binaries_or_skip() -> Option<PathBuf> {
    let found = find_binaries();
    if found.is_none() {
        let required = env::var("GSI_REQUIRE_POSTGRES").is_ok_and(|v| v == "1");
        assert!(!required, "GSI_REQUIRE_POSTGRES=1, and there is no initdb and pg_ctl");
        println!("skipped: no PostgreSQL");
    }
    found
}

fn find_binaries() -> Option<PathBuf> {
    let configured = Command::new("pg_config").arg("--bindir").output().ok();
    let configured = configured.and_then(|out| String::from_utf8(out.stdout).ok()).map(|s| s.trim().into());
    let mut packaged: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|v| v.path().join("bin")).collect())
        .unwrap_or_default();
    // Newest first.
    packaged.sort_by_key(|bin| std::cmp::Reverse(version_of(bin)));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = env::split_paths(&path).collect();
    configured
        .into_iter()
        .chain(packaged)
        .chain(on_path)
        .find(|bin: &PathBuf| bin.join("initdb").exists() && bin.join("pg_ctl").exists())
}

fn version_of(bin: &Path) -> u32 {
    let version = bin.parent().and_then(Path::file_name).and_then(OsStr::to_str);
    version.and_then(|v| v.parse().ok()).unwrap_or(0)
}

fn unprivileged_user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    ["postgres", "nobody"].into_iter().find_map(|name| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut ids = line.split(':').skip(2).map(|id| id.parse().ok());
        Some((ids.next()??, ids.next()??))
    })
}
