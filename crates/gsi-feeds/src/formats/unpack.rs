//! Unpacks gzip streams and zip archives. The format follows from the magic bytes, not from the file name or content type.

use crate::refusal::refuse;
use gsi_model::{PayloadRefusal, RefusalCode};
use std::borrow::Cow;
use std::io::{Cursor, Read};

/// Deflate cannot exceed about 1030:1, and real tables stay under 40:1.
const MAX_RATIO: u64 = 400;
/// Content smaller than this may have any compression ratio, for example a small file of blanks.
const RATIO_FREE: u64 = 1 << 20;
/// The deepest nesting of any publisher is an archive with a transfer encoding.
const MAX_LAYERS: usize = 2;

const GZIP: &[u8] = &[0x1f, 0x8b, 0x08];
const ZIP: &[u8] = b"PK\x03\x04";
/// A directory's end; an archive without members has nothing else.
const EMPTY_ZIP: &[u8] = b"PK\x05\x06";
/// Refers to a directory's end with 64-bit numbers. The first disk's number is zero.
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07\0\0\0\0";
/// Packed bytes look like a directory's end once in 4 GB.
const MAX_DIRECTORIES: usize = 4;

pub type Archive<'a> = zip::ZipArchive<Cursor<&'a [u8]>>;

/// Returns the content of a gzip stream or of a zip archive with one member. Other bytes are returned unchanged.
pub fn unpack(bytes: &[u8], cap: usize) -> Result<Cow<'_, [u8]>, PayloadRefusal> {
    let mut current = Cow::Borrowed(bytes);
    for _ in 0..MAX_LAYERS {
        let opened = match current.as_ref() {
            b if b.starts_with(GZIP) => gunzip(b, cap)?,
            b if b.starts_with(ZIP) || b.starts_with(EMPTY_ZIP) => unzip(b, cap)?,
            _ => break,
        };
        current = Cow::Owned(opened);
    }
    if current.len() > cap {
        return refuse(RefusalCode::TooLarge, format!("{} bytes exceed the cap of {cap}", current.len()));
    }
    if current.is_empty() {
        return refuse(RefusalCode::Empty, "no content");
    }
    Ok(current)
}

pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(ZIP)
}

/// Opens a zip archive of several members, if what they unpack to is within bounds.
pub fn open_workbook(bytes: &[u8], cap: usize) -> Result<Archive<'_>, PayloadRefusal> {
    if bytes.len() > cap {
        return refuse(RefusalCode::TooLarge, format!("{} bytes exceed the cap of {cap}", bytes.len()));
    }
    let mut archive = open_zip(bytes)?;
    let mut total = 0u64;
    for i in 0..archive.len() {
        let size = archive.by_index_raw(i).map_or(u64::MAX, |m| m.size());
        total = total.saturating_add(size);
    }
    check_ratio(bytes.len(), total, cap)?;
    Ok(archive)
}

/// The bytes of one member, at most `cap`.
pub fn read_member(archive: &mut Archive<'_>, index: usize, cap: usize) -> Result<Vec<u8>, PayloadRefusal> {
    let member = archive
        .by_index(index)
        .map_err(|e| PayloadRefusal::new(RefusalCode::BadZip, format!("a member cannot be read: {e}")))?;
    let packed = member.compressed_size() as usize;
    // The reader checks the CRC when the member ends.
    read_capped(member, packed, cap, RefusalCode::BadZip)
}

fn gunzip(bytes: &[u8], cap: usize) -> Result<Vec<u8>, PayloadRefusal> {
    let reader = flate2::read::MultiGzDecoder::new(bytes);
    read_capped(reader, bytes.len(), cap, RefusalCode::BadGzip)
}

/// Opens a zip archive with a directory of reasonable size.
pub fn open_zip(bytes: &[u8]) -> Result<Archive<'_>, PayloadRefusal> {
    // The library searches for another directory when one is damaged, and reads each. Without the 64-bit extension a directory
    // has at most 65,535 members.
    let ends = memchr::memmem::find_iter(bytes, EMPTY_ZIP).take(MAX_DIRECTORIES + 1).count();
    if ends > MAX_DIRECTORIES || memchr::memmem::find(bytes, ZIP64_LOCATOR).is_some() {
        return refuse(RefusalCode::BadZip, "a directory of more members than any publisher has");
    }
    zip::ZipArchive::new(Cursor::new(bytes))
        .map_err(|e| PayloadRefusal::new(RefusalCode::BadZip, format!("not a readable archive: {e}")))
}

fn unzip(bytes: &[u8], cap: usize) -> Result<Vec<u8>, PayloadRefusal> {
    let mut archive = open_zip(bytes)?;
    if archive.len() != 1 {
        return refuse(RefusalCode::BadZip, format!("{} members where one was expected", archive.len()));
    }
    let member = archive
        .by_index(0)
        .map_err(|e| PayloadRefusal::new(RefusalCode::BadZip, format!("its member cannot be read: {e}")))?;
    check_ratio(bytes.len(), member.size(), cap)?;
    // The reader checks the CRC when the member ends.
    read_capped(member, bytes.len(), cap, RefusalCode::BadZip)
}

fn check_ratio(packed: usize, unpacked: u64, cap: usize) -> Result<(), PayloadRefusal> {
    let ratio_limit = (packed as u64).saturating_mul(MAX_RATIO).max(RATIO_FREE);
    if unpacked > cap as u64 || unpacked > ratio_limit {
        return refuse(RefusalCode::ZipBomb, format!("{packed} bytes would unpack to {unpacked}"));
    }
    Ok(())
}

fn read_capped(
    reader: impl Read,
    packed: usize,
    cap: usize,
    damaged: RefusalCode,
) -> Result<Vec<u8>, PayloadRefusal> {
    // The declared size may be false, so the cap applies to the unpacked bytes.
    let limit = (packed as u64).saturating_mul(MAX_RATIO).max(RATIO_FREE).min(cap as u64);
    let mut out = Vec::with_capacity(packed.saturating_mul(8).min(limit as usize));
    reader
        .take(limit + 1)
        .read_to_end(&mut out)
        .map_err(|e| PayloadRefusal::new(damaged, format!("damaged after {} bytes: {e}", out.len())))?;
    if out.len() as u64 > limit {
        return refuse(RefusalCode::ZipBomb, format!("{packed} bytes unpack to more than {limit}"));
    }
    Ok(out)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::Write;

    pub fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    pub fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in members {
            out.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            out.write_all(bytes).unwrap();
        }
        out.finish().unwrap().into_inner()
    }

    #[test]
    fn directories_of_any_size_are_not_read() {
        let honest = zip_of(&[("a", b"text")]);
        let directory = honest[honest.len() - 22..].to_vec();
        let many = [directory.repeat(5), honest.clone()].concat();
        let large = [ZIP64_LOCATOR, &honest].concat();
        for bytes in [many, large] {
            assert_eq!(open_zip(&bytes).unwrap_err().code.key(), "bad_zip");
        }
        assert_eq!(open_zip(&honest).unwrap().len(), 1);
    }

    #[test]
    fn opens_by_magic_and_refuses_bombs() {
        let table = b"Date,Price\n2026-01-01,1\n".repeat(10);
        let bomb = vec![0u8; 8 << 20];
        let mut cut = zip_of(&[("a", &table)]);
        cut.truncate(cut.len() / 2);
        let mut flipped = gzip(&table);
        let middle = flipped.len() - 6;
        flipped[middle] ^= 1;
        let check = |what: &str, bytes: &[u8], cap: usize, want: Result<&[u8], &str>| {
            let got = unpack(bytes, cap);
            let got = got.as_ref().map(|b| b.as_ref()).map_err(|r| r.code.key());
            assert_eq!(got, want, "{what}");
        };
        check("plain", &table, 1000, Ok(&table));
        check("gzip", &gzip(&table), 1000, Ok(&table));
        check("zip", &zip_of(&[("a", &table)]), 1000, Ok(&table));
        check("gzip around zip", &gzip(&zip_of(&[("a", &table)])), 1000, Ok(&table));
        check("two members", &zip_of(&[("a", &table), ("b", &table)]), 1000, Err("bad_zip"));
        check("no member", &zip_of(&[]), 1000, Err("bad_zip"));
        check("cut zip", &cut, 1000, Err("bad_zip"));
        check("flipped bit", &flipped, 1000, Err("bad_gzip"));
        check("gzip bomb", &gzip(&bomb), 64 << 20, Err("zip_bomb"));
        check("zip bomb", &zip_of(&[("a", &bomb)]), 64 << 20, Err("zip_bomb"));
        check("over the cap", &zip_of(&[("a", &table)]), 100, Err("zip_bomb"));
        check("too large", &table, 100, Err("too_large"));
        check("nothing", b"", 100, Err("empty"));
        check("gzip of nothing", &gzip(b""), 100, Err("empty"));
    }
}
