//! A PostgreSQL server and its standby.

use super::SmallDisk;
use super::binaries::{find_or_skip, unprivileged_user};
use crate::free_port;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A server in a temporary folder, reached on loopback. It stops when the value is dropped or the process ends.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    binaries: PathBuf,
    /// PostgreSQL refuses to run as root, so root becomes this user for it.
    user: Option<(u32, u32)>,
    /// Stops the server when its input ends, which also happens when this process is killed.
    watchdog: Option<Child>,
    port: u16,
    options: String,
}

/// Settings for a server that one test process uses.
const SMALL: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=16MB \
                     -c max_connections=60 -c autovacuum=off";

impl PostgresServer {
    /// Starts a small server. Returns `None` without PostgreSQL's programs; `TEST_REQUIRE_POSTGRES=1` makes that a failure.
    pub fn start() -> Option<Self> {
        Self::start_with(SMALL)
    }

    pub fn start_with(options: &str) -> Option<Self> {
        let binaries = find_or_skip()?;
        let folder = TempDir::new().unwrap();
        Some(Self::start_in(folder, binaries, options))
    }

    fn start_in(folder: TempDir, binaries: PathBuf, options: &str) -> Self {
        let mut server = Self::prepare(folder, binaries, options);
        server.initialise();
        server.watch();
        server.start_again();
        server
    }

    fn prepare(folder: TempDir, binaries: PathBuf, options: &str) -> Self {
        let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        let user = is_root.then(|| unprivileged_user().expect("a user that is not root"));
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        PostgresServer {
            folder,
            binaries,
            user,
            watchdog: None,
            port: free_port(),
            options: options.to_owned(),
        }
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres://gsi@127.0.0.1:{}/{database}", self.port)
    }

    pub fn restart(&self) {
        self.run("pg_ctl", ["restart", "-w", "-m", "fast"], &["-o", &self.server_options()]);
    }

    /// Uses a locale whose order differs from the order of bytes, if the build has one. No query may depend on the locale's order.
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

    /// Starts the watchdog in a separate process group, so that a signal to the group of the tests does not reach it.
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
            // A server that inherits a pipe would keep the caller waiting for the end of the pipe.
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

    /// Starts the server on a separate disk, if this process may mount one.
    pub fn start_on_small_disk(options: &str, megabytes: u32) -> Option<(Self, Option<SmallDisk>)> {
        let binaries = find_or_skip()?;
        let folder = TempDir::new().unwrap();
        let disk = SmallDisk::mount(folder.path(), megabytes);
        Some((Self::start_in(folder, binaries, options), disk))
    }

    /// Starts the server with its data on the disk that `make_disk` mounts at the given path.
    pub fn start_on_disk<D>(
        options: &str,
        make_disk: impl FnOnce(&Path) -> Option<D>,
    ) -> Option<(Self, Option<D>)> {
        let binaries = find_or_skip()?;
        let mut server = Self::prepare(TempDir::new().unwrap(), binaries, options);
        let data = PathBuf::from(server.data());
        fs::create_dir(&data).unwrap();
        let disk = make_disk(&data);
        if let Some((uid, gid)) = server.user {
            chown(&data, Some(uid), Some(gid)).unwrap();
        }
        server.initialise();
        server.watch();
        server.start_again();
        Some((server, disk))
    }

    /// Starts a server that accepts only TLS.
    pub fn start_with_tls(certificate: &str, key: &str) -> Option<Self> {
        let binaries = find_or_skip()?;
        let mut server = Self::prepare(TempDir::new().unwrap(), binaries, SMALL);
        server.initialise();
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = Path::new(&server.data()).join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((uid, gid)) = server.user {
                chown(&path, Some(uid), Some(gid)).unwrap();
            }
        }
        fs::write(Path::new(&server.data()).join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n")
            .unwrap();
        server.options.push_str(" -c ssl=on");
        server.watch();
        server.start_again();
        Some(server)
    }

    /// Starts a streaming standby of this server.
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

    /// Removes the locks of a server that has lost its disk. Its process may still exist as a zombie, and the locks would keep the
    /// next server from starting.
    pub fn drop_locks(&self) {
        let _ = fs::remove_file(Path::new(&self.data()).join("postmaster.pid"));
        let _ = fs::remove_file(self.folder.path().join(format!(".s.PGSQL.{}.lock", self.port)));
    }

    pub fn is_running(&self) -> bool {
        self.command("pg_ctl").args(["status", "-D", &self.data()]).output().unwrap().status.success()
    }

    /// Stops the server like a power failure of its machine.
    pub fn stop_at_once(&self) {
        self.run("pg_ctl", ["stop", "-w", "-m", "immediate"], &[]);
    }

    /// Sends a signal, for example `-STOP`, to the server and all processes it has started, if it is running.
    pub fn signal(&self, signal: &str) {
        let pid_file = fs::read_to_string(Path::new(&self.data()).join("postmaster.pid")).unwrap_or_default();
        let Some(server) = pid_file.lines().next() else { return };
        let children =
            fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap_or_default();
        // A child may have ended meanwhile.
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

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // `wait` closes its input first.
        if let Some(mut watchdog) = self.watchdog.take() {
            let _ = watchdog.wait();
        }
    }
}
