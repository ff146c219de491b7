//! The embedded backend against the suite, and what only it can show: files, formats, kills and full disks.

use gsi_store::conformance::{self, Backend};
use gsi_store::{LedStore, SqliteStore};
use std::path::PathBuf;
use tempfile::TempDir;

struct Files {
    folder: TempDir,
    made: usize,
}

impl Files {
    fn path(&self) -> PathBuf {
        self.folder.path().join(format!("{}.db", self.made))
    }
}

impl Backend for Files {
    fn fresh(&mut self) -> Box<dyn LedStore> {
        self.made += 1;
        self.reopen()
    }

    fn reopen(&mut self) -> Box<dyn LedStore> {
        Box::new(SqliteStore::open(&self.path()).unwrap())
    }
}

#[test]
fn a_file_conforms() {
    conformance::run(&mut Files { folder: TempDir::new().unwrap(), made: 0 });
}
