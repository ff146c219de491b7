//! The free space that a command leaves to the service's database.

use anyhow::{Context, bail};
use gsi_feeds::DiskSpace;
use std::path::Path;

/// Refuses to write a large file at `place` if its disk is nearly full.
pub(crate) fn require_free_space(place: &Path) -> anyhow::Result<()> {
    let shown = place.display();
    let space = DiskSpace::of(place).with_context(|| format!("cannot measure the disk of {shown}"))?;
    if space.is_low() {
        let (free_mb, floor_mb) = (space.free as f64 / 1e6, space.floor() as f64 / 1e6);
        bail!(
            "the disk of {shown} is nearly full: {free_mb:.1} MB are free, and the last {floor_mb:.1} MB are left to the \
             database; free some space, or name a place on another disk"
        );
    }
    Ok(())
}
