//! The wall clock of the service's machine, as it can be set while the service runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct WallClock {
    library: PathBuf,
    seconds_ahead: PathBuf,
}

impl WallClock {
    /// `None` without a C compiler.
    pub fn build(folder: &Path) -> Option<Self> {
        let clock =
            WallClock { library: folder.join("ahead.so"), seconds_ahead: folder.join("seconds-ahead") };
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wall_clock/ahead.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&clock.library).arg(source).arg("-ldl");
        compiler.output().ok().filter(|done| done.status.success())?;
        clock.set_ahead(0);
        Some(clock)
    }

    pub fn apply_to(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env("WALL_CLOCK", &self.seconds_ahead);
    }

    /// Written over, never cut short: whoever has mapped the file reads it all the time.
    pub fn set_ahead(&self, seconds: i64) {
        use std::os::unix::fs::FileExt;
        let file =
            fs::File::options().create(true).truncate(false).write(true).open(&self.seconds_ahead).unwrap();
        file.write_all_at(&seconds.to_ne_bytes(), 0).unwrap();
    }
}
