//! On a disk that is nearly full, exports and backups leave the last space to the database.

use crate::gsi;
use drills::{DISABLED_FEEDS, succeed, text_of};
use std::path::Path;
use std::process::{Command, Output};

/// Mounts a small disk at `$0`, fills it to 98 %, and runs the rest. The mount ends with the command.
const ON_A_FULL_DISK: &str =
    "mount -t tmpfs -o size=2m none \"$0\" && head -c 2050000 /dev/zero >\"$0/full\" && exec \"$@\"";

fn on_a_full_disk(place: &Path, command: &Command) -> Output {
    let mut mounted = Command::new("unshare");
    mounted.args(["--mount", "--map-root-user", "sh", "-c", ON_A_FULL_DISK]).arg(place);
    mounted.arg(command.get_program()).args(command.get_args());
    mounted.output().unwrap()
}

#[test]
fn exports_and_backups_refuse_to_fill_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("disk");
    std::fs::create_dir(&place).unwrap();
    let can_mount = Command::new("unshare")
        .args(["--mount", "--map-root-user", "mount", "-t", "tmpfs", "none"])
        .arg(&place)
        .output()
        .is_ok_and(|done| done.status.success());
    if !can_mount {
        eprintln!("skipped: mounting a small disk needs unshare and the right to use it");
        return;
    }
    let data = folder.path().join("data");
    let mut demo = gsi(&data);
    demo.args(["demo", "--listen", "127.0.0.1:0", "--days", "1", "--at", "2026-11-14T00:00:00Z"]);
    demo.args(["--until", "2026-11-14T00:30:00Z", "--time-scale", "9000"]);
    succeed(demo.env("GSI_FEEDS_DISABLED", DISABLED_FEEDS));

    let mut export = gsi(&data);
    export
        .args(["export", "--what", "scores", "--from", "2026-11-13", "--format", "csv", "--out"])
        .arg(place.join("export"));
    let mut backup = gsi(&data);
    backup.args(["store", "backup"]).arg(place.join("backup.db"));
    for command in [export, backup] {
        let refused = on_a_full_disk(&place, &command);
        assert_eq!(refused.status.code(), Some(1), "{}", text_of(&refused));
        assert!(text_of(&refused).contains("is nearly full"), "{}", text_of(&refused));
    }
}
