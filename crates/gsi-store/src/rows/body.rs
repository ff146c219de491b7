//! Records as compressed JSON. The columns next to a body exist only for searching.

use crate::{Result, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use zstd::zstd_safe;

/// A tick writes about a dozen bodies, and they are rarely read. Level 1 already saves four fifths of such JSON.
const LEVEL: i32 = 1;
/// The maximum unpacked size of a body. The largest real one is well under 1 MiB.
const MAX_UNPACKED: u64 = 64 << 20;

/// Compresses bodies and reuses its working memory.
pub struct Packer {
    zstd: zstd::bulk::Compressor<'static>,
    json: Vec<u8>,
}

impl Packer {
    pub fn new() -> Result<Self> {
        let zstd = zstd::bulk::Compressor::new(LEVEL)
            .map_err(|e| StoreError::Refused(format!("the compressor cannot start: {e}")))?;
        Ok(Packer { zstd, json: Vec::new() })
    }

    pub fn json<T: Serialize>(&mut self, value: &T) -> Result<Vec<u8>> {
        self.json.clear();
        serde_json::to_writer(&mut self.json, value).map_err(|e| StoreError::Refused(e.to_string()))?;
        pack(&mut self.zstd, &self.json)
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<Vec<u8>> {
        pack(&mut self.zstd, bytes)
    }
}

fn pack(zstd: &mut zstd::bulk::Compressor<'_>, bytes: &[u8]) -> Result<Vec<u8>> {
    zstd.compress(bytes).map_err(|e| StoreError::Refused(format!("a body cannot be compressed: {e}")))
}

pub fn unpack_bytes(packed: &[u8]) -> Result<Vec<u8>> {
    let broken = || StoreError::Corrupt("a compressed body is damaged".to_owned());
    let size = zstd_safe::get_frame_content_size(packed).ok().flatten().ok_or_else(broken)?;
    if size > MAX_UNPACKED {
        return Err(broken());
    }
    zstd::bulk::decompress(packed, size as usize).map_err(|_| broken())
}

pub fn unpack_json<T: DeserializeOwned>(packed: &[u8]) -> Result<T> {
    read_json(&unpack_bytes(packed)?)
}

pub fn read_json<T: DeserializeOwned>(json: &[u8]) -> Result<T> {
    serde_json::from_slice(json).map_err(|e| StoreError::Corrupt(e.to_string()))
}

pub fn write_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|e| StoreError::Refused(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_back_and_damage_is_noticed() {
        let mut packer = Packer::new().unwrap();
        let value = vec![0.1f64, -3.5e-7, 12.0];
        let packed = packer.json(&value).unwrap();
        assert_eq!(unpack_json::<Vec<f64>>(&packed).unwrap(), value);
        assert_eq!(unpack_bytes(&packer.bytes(b"").unwrap()).unwrap(), b"");

        let long = packer.bytes(&[7; 9000]).unwrap();
        for damaged in [&long[..long.len() - 1], &long[1..], b"", b"plain"] {
            assert!(matches!(unpack_bytes(damaged), Err(StoreError::Corrupt(_))), "{} bytes", damaged.len());
        }
    }
}
