//! Corrupted content, correctly wrapped: what a publisher serves after its own mistake.

use super::faults::Fault;
use crate::world::{Rng, Stream};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Cursor, Read, Write};
use std::sync::OnceLock;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Far above every cap on unpacked bytes, yet quick to make.
const BOMB_BYTES: usize = 192 * 1024 * 1024;
const CHUNK: usize = 1024 * 1024;

/// Corrupts a table of lines. `header` says that the first line has the names of the columns.
pub fn table(rows: Vec<u8>, fault: Fault, separator: u8, header: bool, seed: u64) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = rows.split_inclusive(|b| *b == b'\n').collect();
    let head = if header && !lines.is_empty() { Some(lines.remove(0)) } else { None };
    match fault {
        Fault::Garbage => garbage(rows.len(), seed),
        Fault::Duplicate => {
            let doubled = lines.iter().flat_map(|l| [*l, *l]);
            head.into_iter().chain(doubled).flatten().copied().collect()
        }
        Fault::OutOfOrder => head.into_iter().chain(lines.into_iter().rev()).flatten().copied().collect(),
        Fault::SchemaChange => {
            let mut out = Vec::with_capacity(rows.len() + lines.len() * 4);
            if let Some(head) = head {
                out.extend_from_slice(b"revision");
                out.push(separator);
                out.extend_from_slice(head);
            }
            for line in lines {
                out.extend_from_slice(b"v3");
                out.push(separator);
                out.extend_from_slice(line);
            }
            out
        }
        Fault::EmptySuccess => head.unwrap_or_default().to_vec(),
        _ => rows,
    }
}

/// Corrupts JSON in its outermost arrays, which connectors read.
pub fn json(body: Vec<u8>, fault: Fault, seed: u64) -> Vec<u8> {
    use serde_json::Value;
    if fault == Fault::Garbage {
        return garbage(body.len().max(64), seed);
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(&body) else { return body };
    if fault == Fault::SchemaChange {
        value = serde_json::json!({ "schemaVersion": "3.0", "payload": value });
    } else {
        each_array(&mut value, &mut |items| match fault {
            Fault::Duplicate => {
                *items = items.iter().flat_map(|i| [i.clone(), i.clone()]).collect();
            }
            Fault::OutOfOrder => items.reverse(),
            Fault::EmptySuccess => items.clear(),
            _ => {}
        });
        // A publisher that repeats entries counts them too.
        if let Value::Object(object) = &mut value
            && let Some(n) = object.get("vulnerabilities").and_then(|v| v.as_array()).map(Vec::len)
        {
            object.insert("count".into(), n.into());
        }
    }
    serde_json::to_vec(&value).unwrap_or(body)
}

/// Changes the outermost arrays.
fn each_array(value: &mut serde_json::Value, change: &mut impl FnMut(&mut Vec<serde_json::Value>)) {
    match value {
        serde_json::Value::Array(items) => change(items),
        serde_json::Value::Object(object) => object.values_mut().for_each(|v| each_array(v, change)),
        _ => {}
    }
}

pub fn garbage(length: usize, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, Stream::Garbage, length as i64);
    (0..length).map(|_| rng.bits() as u8).collect()
}

/// Corrupts the table inside a gzip file.
pub fn gzip(body: &[u8], fault: Fault, seed: u64) -> Vec<u8> {
    let mut rows = Vec::new();
    if flate2::read::GzDecoder::new(body).read_to_end(&mut rows).is_err() {
        return body.to_vec();
    }
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = gz.write_all(&table(rows, fault, b',', true, seed));
    gz.finish().unwrap_or_default()
}

pub fn gzip_bomb() -> Bytes {
    static BOMB: OnceLock<Bytes> = OnceLock::new();
    BOMB.get_or_init(|| {
        let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
        let chunk = vec![b'0'; CHUNK];
        // Writing to memory cannot fail.
        for _ in 0..BOMB_BYTES / CHUNK {
            let _ = gz.write_all(&chunk);
        }
        gz.finish().unwrap_or_default().into()
    })
    .clone()
}

pub fn zip_bomb(member: &str) -> Bytes {
    static BOMB: OnceLock<Bytes> = OnceLock::new();
    BOMB.get_or_init(|| {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(1));
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let chunk = vec![b'0'; CHUNK];
        let _ = zip.start_file(member, options);
        for _ in 0..BOMB_BYTES / CHUNK {
            let _ = zip.write_all(&chunk);
        }
        zip.finish().map(Cursor::into_inner).unwrap_or_default().into()
    })
    .clone()
}
