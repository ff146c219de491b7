//! A disk of the test's own: ext4 in a file. It can be full, stand still and break down as a real one does, the last with
//! the loss of everything that nobody forced onto it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// More than two hours of ticks take; the file behind it is as large as what was written.
const GIGABYTES: u32 = 4;
/// For processes that have just ended to let go of their files.
const LET_GO: Duration = Duration::from_secs(20);

pub struct LoopDisk {
    place: PathBuf,
    image: PathBuf,
    watchdog: Child,
}

/// Also when this process is killed. A database server on the disk has to end first: without its files it could not be told to.
const CLEAN_UP: &str = "read -r _; fsfreeze -u \"$0\" 2>/dev/null
for _ in $(seq 100); do [ -e \"$0/postmaster.pid\" ] || break; sleep 0.1; done
umount -l \"$0\"; rm -f \"$1\"; rmdir \"$0\"; rmdir \"$(dirname \"$0\")\"";

impl LoopDisk {
    /// At an empty folder; `None` where this process may not mount.
    pub fn mount(place: &Path) -> Option<Self> {
        let image = place.with_extension("img");
        let made = run("truncate", &["-s", &format!("{GIGABYTES}G")], &[&image])
            && run("mkfs.ext4", &["-q", "-m", "0"], &[&image])
            && run("mount", &["-o", "loop"], &[&image, place]);
        if !made {
            let _ = fs::remove_file(&image);
            return None;
        }
        // A database server wants its folder empty.
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

    /// It may have been cleared by a repair.
    pub fn clear(&self) {
        let _ = fs::remove_file(self.ballast());
    }

    /// Whoever writes waits.
    pub fn freeze(&self) {
        assert!(run("fsfreeze", &["-f"], &[&self.place]), "freeze");
    }

    /// Also when it is not frozen.
    pub fn thaw(&self) {
        run("fsfreeze", &["-u"], &[&self.place]);
    }

    /// As after a fatal error of the device: from here on it can only be read.
    pub fn break_down(&self) {
        assert!(run("mount", &["-o", "remount,abort"], &[&self.place]), "break down");
    }

    /// What an operator does once whoever used it has ended: checked, and mounted again.
    pub fn repair(&self) {
        let begun = Instant::now();
        while !run("umount", &[], &[&self.place]) {
            assert!(begun.elapsed() < LET_GO, "somebody still uses {}", self.place.display());
            std::thread::sleep(Duration::from_millis(50));
        }
        // Its exit code says that it mended something, which is what it is for.
        run("e2fsck", &["-fy"], &[&self.image]);
        assert!(run("mount", &["-o", "loop"], &[&self.image, &self.place]), "mount again");
        // A file that was removed shortly before the disk broke down is there again.
        self.clear();
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        // Waiting closes its input first.
        let _ = self.watchdog.wait();
    }
}

fn run(program: &str, arguments: &[&str], paths: &[&Path]) -> bool {
    Command::new(program).args(arguments).args(paths).output().is_ok_and(|done| done.status.success())
}
