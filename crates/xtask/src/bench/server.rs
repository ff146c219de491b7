//! A server that is measured.

use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::io::{Read, Seek};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The servers take turns on one core, and the caller has the other.
pub const SERVERS_CORE: u32 = 0;
pub const CALLERS_CORE: u32 = 1;
/// A first start on a slow machine takes half of it.
const START_LIMIT: Duration = Duration::from_secs(120);

/// A running server. It is stopped when the value is dropped.
pub struct Server {
    child: Child,
}

pub fn on_core(core: u32, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", &core.to_string()]).arg(program);
    command
}

pub fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Server {
    /// Starts a server and waits until it answers `url` with a success. Returns how long that took.
    pub fn start(mut command: Command, url: &str, key: Option<&str>) -> anyhow::Result<(Self, Duration)> {
        let begun = Instant::now();
        let mut stderr = tempfile::tempfile()?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr.try_clone()?);
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut server = Server { child };
        while fetch(url, key).is_err() {
            if let Some(status) = server.child.try_wait()? {
                let mut text = String::new();
                stderr.rewind()?;
                stderr.read_to_string(&mut text)?;
                bail!("{command:?} has ended, {status}, before it answered {url}: {text}");
            }
            if begun.elapsed() > START_LIMIT {
                bail!("{url} did not answer within {} s", START_LIMIT.as_secs());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok((server, begun.elapsed()))
    }

    pub fn resident_kb(&self) -> anyhow::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        Ok(line.trim().trim_end_matches("kB").trim().parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).stderr(Stdio::null()).status();
        let _ = self.child.wait();
    }
}

/// Returns the body of a successful answer.
pub fn fetch(url: &str, key: Option<&str>) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new("curl");
    command.args(["--fail", "--silent", "--show-error", url]);
    if let Some(key) = key {
        command.args(["--header", &format!("Authorization: Bearer {key}")]);
    }
    let done = command.output().context("cannot run curl")?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(done.stdout)
}
