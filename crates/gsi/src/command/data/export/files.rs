//! The folder of an export. Existing files are replaced only with --force, and a file gets its name when it is complete.

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
        std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
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

    /// Gives the finished file and the manifest their names. The old manifest is removed first, so that a manifest never describes
    /// another file.
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
                .with_context(|| format!("cannot create {}", place.display()))?;
        }
        Ok(())
    }
}

/// A file that computes the digest of its contents. It is removed if it is not finished.
pub struct HashedFile {
    file: BufWriter<File>,
    hash: Sha256,
    bytes: u64,
    place: Option<PathBuf>,
}

impl HashedFile {
    /// Returns the number of bytes and their SHA-256.
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
            // A leftover is harmless: the next export replaces it.
            let _ = std::fs::remove_file(place);
        }
    }
}
