//! Finds PostgreSQL's programs, and a user who can run them.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Returns the folder of the server's programs. Without one, prints the reason that `make test` counts and returns `None`, or
/// panics if `TEST_REQUIRE_POSTGRES` is 1.
pub fn find_or_skip() -> Option<PathBuf> {
    let found = find();
    if found.is_none() {
        let required = env::var("TEST_REQUIRE_POSTGRES").is_ok_and(|value| value == "1");
        assert!(!required, "TEST_REQUIRE_POSTGRES=1, and there is no initdb and pg_ctl");
        println!("skipped: no PostgreSQL");
    }
    found
}

fn find() -> Option<PathBuf> {
    let configured = Command::new("pg_config").arg("--bindir").output().ok();
    let configured = configured.and_then(|out| String::from_utf8(out.stdout).ok()).map(|s| s.trim().into());
    let mut packaged: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|version| version.path().join("bin")).collect())
        .unwrap_or_default();
    packaged.sort_by_key(|folder| Reverse(version_of(folder)));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = env::split_paths(&path).collect();
    configured
        .into_iter()
        .chain(packaged)
        .chain(on_path)
        .find(|folder: &PathBuf| folder.join("initdb").exists() && folder.join("pg_ctl").exists())
}

fn version_of(binaries: &Path) -> u32 {
    let version = binaries.parent().and_then(Path::file_name).and_then(OsStr::to_str);
    version.and_then(|version| version.parse().ok()).unwrap_or(0)
}

/// Returns user and group of an account that is not root.
pub fn unprivileged_user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    ["postgres", "nobody"].into_iter().find_map(|name| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut ids = line.split(':').skip(2).map(|id| id.parse().ok());
        Some((ids.next()??, ids.next()??))
    })
}
