//! The encodings of bodies.

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// A level that saves bytes on the wire and compresses a publication within milliseconds.
const GZIP_LEVEL: u32 = 6;
const BROTLI_QUALITY: u32 = 5;
/// 64 KiB. Most bodies are smaller, and the encoder's memory grows with the window.
const BROTLI_WINDOW: u32 = 16;
const ZSTD_LEVEL: i32 = 3;

/// The encodings of a body, in the server's order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Br,
    Zstd,
    Gzip,
    Identity,
}

impl Encoding {
    pub const ALL: [Encoding; 4] = [Encoding::Br, Encoding::Zstd, Encoding::Gzip, Encoding::Identity];

    pub const fn index(self) -> usize {
        self as usize
    }

    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Br => "br",
            Encoding::Zstd => "zstd",
            Encoding::Gzip => "gzip",
            Encoding::Identity => "identity",
        }
    }
}

pub fn compress(plain: &Bytes, encoding: Encoding) -> Bytes {
    let done = match encoding {
        Encoding::Identity => return plain.clone(),
        Encoding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
            encoder.write_all(plain).and_then(|()| encoder.finish())
        }
        Encoding::Br => {
            let mut out = Vec::new();
            let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, BROTLI_QUALITY, BROTLI_WINDOW);
            let written = encoder.write_all(plain);
            drop(encoder);
            written.map(|()| out)
        }
        Encoding::Zstd => zstd::bulk::compress(plain, ZSTD_LEVEL),
    };
    // Writing to memory does not fail.
    done.unwrap_or_default().into()
}
