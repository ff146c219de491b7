//! A throwaway PostgreSQL server in a temporary folder, reached by a socket there, gone when the value goes.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
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
}

impl Cluster {
    /// `None` when there are no server binaries, unless `GSI_REQUIRE_POSTGRES=1` makes that a failure.
    pub fn start() -> Option<Self> {
        let Some(binaries) = find_binaries() else {
            let required = env::var("GSI_REQUIRE_POSTGRES").is_ok_and(|v| v == "1");
            assert!(!required, "GSI_REQUIRE_POSTGRES=1, and there is no initdb and pg_ctl");
            println!("skipped: no PostgreSQL");
            return None;
        };
        let folder = TempDir::new().unwrap();
        let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        let user = is_root.then(|| unprivileged_user().expect("a user that is not root"));
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        let mut cluster = Cluster { folder, binaries, user, watchdog: None };
        cluster.initialise();
        cluster.watch();
        cluster.run("pg_ctl", ["start", "-w", "-t", "60"], &["-o", &cluster.server_options()]);
        Some(cluster)
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres://gsi@localhost/{database}?host={}", self.folder.path().display())
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
        format!(
            "-c listen_addresses='' -c unix_socket_directories='{}' -c fsync=off -c synchronous_commit=off \
             -c full_page_writes=off -c shared_buffers=16MB -c max_connections=60 -c autovacuum=off",
            self.folder.path().display()
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
