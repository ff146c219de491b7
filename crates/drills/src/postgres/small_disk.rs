use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A file system in memory that can be filled completely. It is unmounted when the value is dropped or the process ends.
#[derive(Debug)]
pub struct SmallDisk {
    mount_point: PathBuf,
    /// A process that unmounts the disk when its input ends.
    watchdog: Child,
}

/// Waits for the server on the disk, because it cannot be stopped without its files.
const WAIT_AND_UNMOUNT: &str =
    "read -r _; for _ in $(seq 100); do [ -e \"$0/data\" ] || break; sleep 0.1; done; umount -l \"$0\"";

impl SmallDisk {
    /// Returns `None` where this process may not mount.
    pub(super) fn mount(mount_point: &Path, megabytes: u32) -> Option<Self> {
        let size = format!("size={megabytes}m");
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(mount_point).output();
        if !mounted.is_ok_and(|out| out.status.success()) {
            return None;
        }
        let watchdog = Command::new("/bin/sh")
            .args(["-c", WAIT_AND_UNMOUNT])
            .arg(mount_point)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        Some(SmallDisk { mount_point: mount_point.to_owned(), watchdog })
    }

    pub fn fill(&self) {
        let mut ballast = fs::File::create(self.ballast()).unwrap();
        for size in [1 << 20, 1 << 12] {
            while std::io::Write::write_all(&mut ballast, &vec![7; size]).is_ok() {}
        }
    }

    pub fn clear(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.mount_point.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // `wait` closes its input first.
        let _ = self.watchdog.wait();
        let _ = fs::remove_dir(&self.mount_point);
    }
}
