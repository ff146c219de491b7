//! The copy of a file that is made before an upgrade.

use crate::format::copy_before_upgrade;
use crate::{Result, StoreError};
use rusqlite::Connection;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

/// Creates an empty file that only its owner can read, unless it exists.
pub fn create_private(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(StoreError::Unavailable(format!("{}: {e}", path.display()))),
    }
}

/// Copies the database into the same folder, completely or not at all.
pub fn keep(conn: &Connection, file: &Path, format: usize) -> Result<()> {
    let copy = copy_before_upgrade(file, format);
    let being_written = copy.with_extension("tmp");
    let write = || -> Result<()> {
        let failed = |e: std::io::Error| StoreError::Unavailable(format!("{}: {e}", being_written.display()));
        // A crash may have left one.
        let _ = std::fs::remove_file(&being_written);
        create_private(&being_written)?;
        conn.execute("VACUUM INTO ?1", [being_written.to_string_lossy()])?;
        File::open(&being_written).and_then(|written| written.sync_all()).map_err(failed)?;
        std::fs::rename(&being_written, &copy).map_err(failed)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&being_written);
        StoreError::Unavailable(format!(
            "the store has format {format}, and copying it to {} before the upgrade failed ({error}); free some space, or upgrade \
             without a copy: `gsi store upgrade --no-copy`",
            copy.display()
        ))
    })
}
