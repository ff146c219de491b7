//! The folder of an export: nothing there is replaced unless asked for, and a file has its name only when it is whole.

use crate::config::ConfigError;
use anyhow::{Context, bail};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const MANIFEST: &str = "manifest.json";
const PARTIAL: &str = "partial";

pub struct ExportFolder {
    path: PathBuf,
}

impl ExportFolder {
    pub fn open(path: PathBuf, force: bool, file: &str) -> anyhow::Result<Self> {
        for name in [file, MANIFEST] {
            let place = path.join(name);
            if !force && place.exists() {
                bail!(ConfigError::Invalid(format!(
                    "{} exists; --force replaces it, --out names another folder",
                    place.display()
                )));
            }
        }
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(ExportFolder { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn partial(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{PARTIAL}"))
    }

    pub fn create(&self, name: &str) -> anyhow::Result<HashedFile> {
        let place = self.partial(name);
        let file = File::create(&place).with_context(|| format!("cannot write {}", place.display()))?;
        Ok(HashedFile { file: BufWriter::new(file), hash: Sha256::new(), bytes: 0, place: Some(place) })
    }

    /// Gives the finished file and the manifest their names. The old manifest goes first, so that none ever speaks of another
    /// file.
    pub fn publish(&self, name: &str, manifest: &[u8]) -> anyhow::Result<()> {
        let mut file = self.create(MANIFEST)?;
        file.write_all(manifest)?;
        file.finish()?;
        let last = self.path.join(MANIFEST);
        if last.exists() {
            std::fs::remove_file(&last).with_context(|| format!("cannot replace {}", last.display()))?;
        }
        for name in [name, MANIFEST] {
            let place = self.path.join(name);
            std::fs::rename(self.partial(name), &place)
                .with_context(|| format!("cannot make {}", place.display()))?;
        }
        Ok(())
    }
}

/// A file that knows the digest of what is in it. One that was not finished is removed.
pub struct HashedFile {
    file: BufWriter<File>,
    hash: Sha256,
    bytes: u64,
    place: Option<PathBuf>,
}

impl HashedFile {
    /// Bytes written, and their SHA-256.
    pub fn finish(mut self) -> anyhow::Result<(u64, String)> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        self.place = None;
        Ok((self.bytes, HEXLOWER.encode(&self.hash.clone().finalize())))
    }
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for HashedFile {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            // It says nothing whole; a leftover would only be replaced by the next export.
            let _ = std::fs::remove_file(place);
        }
    }
}
