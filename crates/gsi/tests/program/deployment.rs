//! The shipped systemd unit: systemd accepts it, and its settings are enough to bind a low port and to read a key that only root
//! can read. systemd itself does not run here, so `setpriv` and `prlimit` set the unit's user, capabilities and limits.

use crate::{GSI, repository};
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A user that exists nowhere, from the range that systemd gives to `DynamicUser`.
const DYNAMIC_USER: u32 = 61_999;
const PATIENCE: Duration = Duration::from_secs(60);

fn unit_text() -> String {
    fs::read_to_string(repository("deploy/systemd/gsi.service")).unwrap()
}

/// Every value of every setting, in order, without comments and sections.
fn settings(unit: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut settings: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in unit.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once('=')) {
        settings.entry(name).or_default().push(value);
    }
    settings
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[test]
fn systemd_accepts_the_unit_and_finds_it_closed() {
    if !is_there("systemd-analyze") {
        eprintln!("skipped: no systemd-analyze");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gsi.service");
    fs::write(&path, unit_text().replace("/usr/local/bin/gsi", GSI)).unwrap();
    let analyze = |arguments: &[&str]| {
        let done = Command::new("systemd-analyze").args(arguments).arg(&path).output().unwrap();
        let said = [done.stdout, done.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).join("\n");
        assert!(done.status.success(), "systemd-analyze {arguments:?}: {said}");
        said
    };
    let said = analyze(&["verify", "--man=no"]);
    assert!(!said.contains("gsi.service:"), "{said}");
    // 100 is wide open, 0 is nothing allowed; below 30 systemd itself says OK.
    analyze(&["security", "--offline=true", "--threshold=30", "--no-pager"]);
}

/// The service as the unit starts it.
struct Started {
    child: Child,
    port: u16,
    said: PathBuf,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Started {
    /// The answer's status over TLS, asked for until there is one or the service has ended.
    fn health(&mut self) -> Option<String> {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "no answer: {}", self.log());
            let asked = Command::new("curl")
                .args([
                    "--silent",
                    "--insecure",
                    "--max-time",
                    "5",
                    "--output",
                    "/dev/null",
                    "--write-out",
                    "%{http_code}",
                ])
                .arg(format!("https://127.0.0.1:{}/healthz", self.port))
                .output();
            let status = String::from_utf8(asked.unwrap().stdout).unwrap();
            if status != "000" {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        None
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.said).unwrap_or_default()
    }
}

/// A port that only a privileged process may bind, free at the moment.
fn low_port() -> Option<u16> {
    let first: u16 =
        fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start").ok()?.trim().parse().ok()?;
    (600..first.min(1024)).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
}

/// The unit's limit, or this machine's where even root may not raise it.
fn files_allowed(wanted: &str) -> u64 {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find(|l| l.starts_with("Max open files")).expect("a limit on open files");
    let hard = line.split_whitespace().nth(4).and_then(|h| h.parse().ok()).unwrap_or(u64::MAX);
    hard.min(wanted.parse().expect("a number"))
}

/// What systemd would do, from the values in the unit; `capabilities` as `setpriv` takes them.
fn start(root: &Path, unit: &str, port: u16, capabilities: &str) -> Started {
    let settings = settings(unit);
    let one = |name: &str| settings[name].first().copied().unwrap_or_else(|| panic!("{name} is set"));
    let state = root.join("state");
    let credentials = root.join("credentials");
    for folder in [&state, &credentials] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir(folder).unwrap();
        chown(folder, Some(DYNAMIC_USER), Some(DYNAMIC_USER)).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    // The service gets copies. The originals belong to root.
    for credential in &settings["LoadCredential"] {
        let (name, original) = credential.split_once(':').unwrap();
        let original = root.join(Path::new(original).file_name().unwrap());
        assert_eq!(fs::metadata(&original).unwrap().mode() & 0o777, 0o600);
        let copy = credentials.join(name);
        fs::copy(original, &copy).unwrap();
        chown(&copy, Some(DYNAMIC_USER), Some(DYNAMIC_USER)).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o400)).unwrap();
    }
    let said = root.join("said");
    let user = DYNAMIC_USER.to_string();
    let command_line =
        one("ExecStart").replace("/usr/local/bin/gsi", &root.join("gsi").display().to_string());
    let command_line =
        command_line.replace("/etc/gsi/gsi.toml", &root.join("gsi.toml").display().to_string());
    let mut command = Command::new("prlimit");
    command
        .arg(format!("--nofile={}", files_allowed(one("LimitNOFILE"))))
        .args(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups", "--no-new-privs"])
        .args(["--bounding-set", capabilities, "--inh-caps", capabilities, "--ambient-caps", capabilities])
        .args(["sh", "-c", &format!("umask {}; exec {command_line}", one("UMask"))])
        .current_dir(&state)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&said).unwrap());
    for pair in settings["Environment"].iter().flat_map(|line| line.split(' ')) {
        let (name, value) = pair.split_once('=').unwrap();
        command.env(name, value.replace("%d", &credentials.display().to_string()));
    }
    Started { child: command.spawn().unwrap(), port, said }
}

#[test]
fn the_unit_binds_a_low_port_and_reads_a_key_of_roots() {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout == b"0\n");
    let tools = ["setpriv", "prlimit", "curl"].into_iter().all(is_there);
    let Some(port) = low_port().filter(|_| is_root && tools) else {
        eprintln!("skipped: playing systemd needs root, setpriv, prlimit, curl and a privileged port");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::set_permissions(root, fs::Permissions::from_mode(0o711)).unwrap();
    fs::copy(GSI, root.join("gsi")).unwrap();
    fs::set_permissions(root.join("gsi"), fs::Permissions::from_mode(0o755)).unwrap();
    let pair = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    for (name, text) in [("tls.pem", pair.cert.pem()), ("tls.key", pair.signing_key.serialize_pem())] {
        fs::write(root.join(name), text).unwrap();
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    // No server listens at the mirror, so the test asks no publisher.
    let config = format!(
        "listen = \"127.0.0.1:{port}\"\ndata = \"{}\"\n[feeds]\nmirror = \"http://127.0.0.1:9\"\n",
        root.join("state").display()
    );
    fs::write(root.join("gsi.toml"), config).unwrap();
    fs::set_permissions(root.join("gsi.toml"), fs::Permissions::from_mode(0o644)).unwrap();

    let unit = unit_text();
    let settings = settings(&unit);
    assert_eq!(settings["AmbientCapabilities"], ["CAP_NET_BIND_SERVICE"]);
    assert_eq!(settings["CapabilityBoundingSet"], ["CAP_NET_BIND_SERVICE"]);

    let mut started = start(root, &unit, port, "-all,+net_bind_service");
    assert_eq!(started.health().as_deref(), Some("200"), "{}", started.log());
    for entry in fs::read_dir(root.join("state")).unwrap().flatten() {
        let mode = entry.metadata().unwrap().mode() & 0o077;
        assert_eq!(mode, 0, "{} can be read by others", entry.path().display());
    }
    drop(started);

    let mut without = start(root, &unit, port, "-all");
    assert_eq!(without.health(), None, "a port below 1024 was bound without the capability");
    assert!(without.log().contains("ermission denied"), "{}", without.log());
}
