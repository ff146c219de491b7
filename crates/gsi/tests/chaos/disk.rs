//! A separate disk: ext4 in a file. It can be full, stop and break down like a real one. A disk that breaks down loses everything
//! that was not synced to it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// More than two hours of ticks write. The file behind it is only as large as what was written.
const GIGABYTES: u32 = 4;
/// Time in which processes that have just ended close their files.
const CLOSE_FILES: Duration = Duration::from_secs(20);

pub struct LoopDisk {
    place: PathBuf,
    image: PathBuf,
    watchdog: Child,
}

/// Runs when this process ends, even by a kill. A database server on the disk has to end first, because it cannot be stopped
/// without its files.
const CLEAN_UP: &str = "read -r _; fsfreeze -u \"$0\" 2>/dev/null
for _ in $(seq 100); do [ -e \"$0/postmaster.pid\" ] || break; sleep 0.1; done
umount -l \"$0\"; rm -f \"$1\"; rmdir \"$0\"; rmdir \"$(dirname \"$0\")\"";

impl LoopDisk {
    /// Mounts the disk at an empty folder. Returns `None` where this process may not mount.
    pub fn mount(place: &Path) -> Option<Self> {
        let image = place.with_extension("img");
        let made = run("truncate", &["-s", &format!("{GIGABYTES}G")], &[&image])
            && run("mkfs.ext4", &["-q", "-m", "0"], &[&image])
            && run("mount", &["-o", "loop"], &[&image, place]);
        if !made {
            let _ = fs::remove_file(&image);
            return None;
        }
        // A database server needs an empty folder.
        let _ = fs::remove_dir(place.join("lost+found"));
        let watchdog = Command::new("/bin/sh")
            .args(["-c", CLEAN_UP])
            .arg(place)
            .arg(&image)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        Some(LoopDisk { place: place.to_owned(), image, watchdog })
    }

    fn ballast(&self) -> PathBuf {
        self.place.join("ballast")
    }

    pub fn fill(&self) {
        let ballast = fs::File::create(self.ballast()).unwrap();
        let (mut end, mut piece) = (0, 1 << 30);
        while piece >= 1 << 10 {
            match rustix::fs::fallocate(&ballast, rustix::fs::FallocateFlags::empty(), end, piece) {
                Ok(()) => end += piece,
                Err(_) => piece /= 2,
            }
        }
    }

    /// Does nothing if a repair has cleared the disk.
    pub fn clear(&self) {
        let _ = fs::remove_file(self.ballast());
    }

    /// Makes every write wait.
    pub fn freeze(&self) {
        assert!(run("fsfreeze", &["-f"], &[&self.place]), "freeze");
    }

    /// Does nothing if the disk is not frozen.
    pub fn thaw(&self) {
        run("fsfreeze", &["-u"], &[&self.place]);
    }

    /// Makes the disk read-only, as after a fatal error of the device.
    pub fn break_down(&self) {
        assert!(run("mount", &["-o", "remount,abort"], &[&self.place]), "break down");
    }

    /// Checks the disk and mounts it again, as an operator does after the programs on it have ended.
    pub fn repair(&self) {
        let begun = Instant::now();
        while !run("umount", &[], &[&self.place]) {
            assert!(begun.elapsed() < CLOSE_FILES, "a process still uses {}", self.place.display());
            std::thread::sleep(Duration::from_millis(50));
        }
        // The exit code is not 0 when it has repaired something.
        run("e2fsck", &["-fy"], &[&self.image]);
        assert!(run("mount", &["-o", "loop"], &[&self.image, &self.place]), "mount again");
        // A file that was removed shortly before the breakdown exists again.
        self.clear();
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        // `wait` closes its input first.
        let _ = self.watchdog.wait();
    }
}

fn run(program: &str, arguments: &[&str], paths: &[&Path]) -> bool {
    Command::new(program).args(arguments).args(paths).output().is_ok_and(|done| done.status.success())
}
