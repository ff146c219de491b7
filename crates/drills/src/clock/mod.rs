//! A wall clock that can be wrong. A library is preloaded into the service and shifts its time.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = include_str!("ahead.c");

#[derive(Debug)]
pub struct WallClock {
    library: PathBuf,
    /// The file with the seconds that the clock is ahead, which the library reads.
    seconds_ahead: PathBuf,
}

impl WallClock {
    /// Compiles the library into `folder`. Returns `None` without a C compiler.
    pub fn build(folder: &Path) -> Option<Self> {
        let source = folder.join("ahead.c");
        fs::write(&source, SOURCE).unwrap();
        let clock =
            WallClock { library: folder.join("ahead.so"), seconds_ahead: folder.join("seconds-ahead") };
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&clock.library).arg(source).arg("-ldl");
        compiler.output().ok().filter(|done| done.status.success())?;
        clock.set_ahead(0);
        Some(clock)
    }

    /// Makes a program use this clock.
    pub fn apply_to(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env("WALL_CLOCK", &self.seconds_ahead);
    }

    /// Sets the clock, which takes effect at once in running programs. The file is overwritten and never truncated, because
    /// programs have mapped it.
    pub fn set_ahead(&self, seconds: i64) {
        let mut options = fs::File::options();
        let file = options.create(true).truncate(false).write(true).open(&self.seconds_ahead).unwrap();
        file.write_all_at(&seconds.to_ne_bytes(), 0).unwrap();
    }
}
