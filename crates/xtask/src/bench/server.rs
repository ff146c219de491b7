//! A server that is measured. It ends with its value.

use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::io::{Read, Seek};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The servers share one core, in turn; whoever calls them has the other.
pub const SERVERS_CORE: u32 = 0;
pub const CALLERS_CORE: u32 = 1;
/// A first start on a slow machine takes half of it.
const START_LIMIT: Duration = Duration::from_secs(120);

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
    /// Started, and how long it took until it answered `url` with a success. What it says is told if it never does.
    pub fn start(mut command: Command, url: &str, key: Option<&str>) -> anyhow::Result<(Self, Duration)> {
        let begun = Instant::now();
        let mut said = tempfile::tempfile()?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said.try_clone()?);
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut server = Server { child };
        while fetch(url, key).is_err() {
            if let Some(status) = server.child.try_wait()? {
                let mut words = String::new();
                said.rewind()?;
                said.read_to_string(&mut words)?;
                bail!("{command:?} has ended, {status}, before it answered {url}: {words}");
            }
            if begun.elapsed() > START_LIMIT {
                bail!("{url} did not answer within {} s", START_LIMIT.as_secs());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok((server, begun.elapsed()))
    }

    /// How long all its threads and those of its children have been on a processor, by the kernel's account.
    pub fn cpu_time(&self) -> anyhow::Result<Duration> {
        let own = self.child.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children"))?;
        let processes = children.split_whitespace().map(str::to_owned).chain([own.to_string()]);
        let mut nanoseconds = 0;
        for process in processes {
            for thread in fs::read_dir(format!("/proc/{process}/task"))? {
                let account = fs::read_to_string(thread?.path().join("schedstat"))?;
                nanoseconds += account.split(' ').next().unwrap_or_default().parse::<u64>()?;
            }
        }
        Ok(Duration::from_nanos(nanoseconds))
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

/// The body of a successful answer.
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
