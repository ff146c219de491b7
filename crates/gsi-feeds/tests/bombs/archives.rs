//! Archives that unpack to far more than they are, or have far more members.

use crate::{Bomb, bomb};
use flate2::{Compression, write::GzEncoder};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

pub const BOMBS: &[Bomb] = &[
    bomb("gzip", || gzip_of_zeros(ZEROS)),
    bomb("gzip in gzip", || gzip(&gzip_of_zeros(ZEROS))),
    bomb("gzip in gzip in gzip", || gzip(&gzip(&gzip_of_zeros(ZEROS)))),
    bomb("many gzip streams", || gzip_of_zeros(1_000).repeat(50_000)),
    bomb("zip", zip_of_zeros),
    bomb("zip in gzip", || gzip(&zip_of_zeros())),
    bomb("zip in zip", || zip_of(&zip_of_zeros())),
    bomb("zip of many members", directory),
    bomb("zip of a million members", wide_directory),
    bomb("zip with many directories", many_directories),
];

const ZEROS: usize = 100 << 20;
const CHUNK: usize = 1 << 20;

fn gzip_of_zeros(bytes: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    write_zeros(&mut encoder, bytes);
    encoder.finish().unwrap()
}

fn write_zeros(out: &mut impl Write, bytes: usize) {
    let zeros = vec![0; bytes.min(CHUNK)];
    for _ in 0..bytes / zeros.len() {
        out.write_all(&zeros).unwrap();
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of_zeros() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("a.csv", SimpleFileOptions::default()).unwrap();
    write_zeros(&mut archive, ZEROS);
    archive.finish().unwrap().into_inner()
}

fn zip_of(bytes: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("a.zip", SimpleFileOptions::default()).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap().into_inner()
}

const DIRECTORY: u32 = 30;
/// One less than a directory can state.
const MEMBERS: u16 = 65_534;

/// A local header, and a directory of members without content.
fn members(count: u64) -> Vec<u8> {
    let mut bytes = [&b"PK\x03\x04"[..], &[0; 26]].concat();
    for n in 0..count {
        bytes.extend([&b"PK\x01\x02"[..], &[0; 24], &[8, 0], &[0; 16]].concat());
        bytes.extend(format!("{n:08}").bytes());
    }
    bytes
}

fn directory() -> Vec<u8> {
    let bytes = members(MEMBERS.into());
    let end = end_of_directory(&bytes, MEMBERS);
    [bytes, end].concat()
}

/// Each end states a member too many, so that the one before it is tried.
fn many_directories() -> Vec<u8> {
    let bytes = members(MEMBERS.into());
    let ends = end_of_directory(&bytes, MEMBERS + 1).repeat(100_000);
    [bytes, ends].concat()
}

fn end_of_directory(bytes: &[u8], stated: u16) -> Vec<u8> {
    let size = (bytes.len() as u32 - DIRECTORY).to_le_bytes();
    let (stated, at) = (stated.to_le_bytes(), DIRECTORY.to_le_bytes());
    [&b"PK\x05\x06"[..], &[0; 4], &stated, &stated, &size, &at, &[0; 2]].concat()
}

/// A directory with 64-bit numbers.
fn wide_directory() -> Vec<u8> {
    const COUNT: u64 = 1_000_000;
    /// Of the record after this number.
    const RECORD: u64 = 44;
    let mut bytes = members(COUNT);
    let end = bytes.len() as u64;
    let (count, size) = (COUNT.to_le_bytes(), (end - u64::from(DIRECTORY)).to_le_bytes());
    let (record, at) = (RECORD.to_le_bytes(), u64::from(DIRECTORY).to_le_bytes());
    bytes
        .extend([&b"PK\x06\x06"[..], &record, &[45, 0, 45, 0], &[0; 8], &count, &count, &size, &at].concat());
    bytes.extend([&b"PK\x06\x07"[..], &[0; 4], &end.to_le_bytes(), &[1, 0, 0, 0]].concat());
    bytes.extend([&b"PK\x05\x06"[..], &[0; 4], &[0xff; 12], &[0; 2]].concat());
    bytes
}
