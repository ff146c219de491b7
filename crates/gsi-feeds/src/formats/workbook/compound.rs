//! The stream named `Workbook` of a compound file, which is a small file system: its sectors are chained by a table.
//!
//! A damaged table can send a reader round in circles. A chain that is longer than the file is therefore refused, and what is
//! kept of the file is never larger than the file.

use super::{Budget, bad, u16_at, u32_at};
use gsi_model::PayloadRefusal;

const SIGNATURE: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// Sector numbers from here on are marks.
const RESERVED: u32 = 0xffff_fffa;
const ENTRY: usize = 128;
/// Smaller streams are in the root's stream, in sectors of [`SMALL_SECTOR`] bytes with their own table.
const SMALL_STREAM: usize = 4_096;
const SMALL_SECTOR: usize = 64;
/// The header has room for this many sector numbers of the table; a chain of sectors has the rest.
const TABLE_SECTORS_IN_HEADER: usize = 109;

/// The bytes of one area and the table that chains its sectors.
struct Sectors<'a> {
    bytes: &'a [u8],
    size: usize,
    table: Vec<u32>,
}

pub fn workbook_stream(file: &[u8], budget: &mut Budget) -> Result<Vec<u8>, PayloadRefusal> {
    if !file.starts_with(&SIGNATURE) {
        return Err(bad("neither an XLS nor an XLSX file"));
    }
    let size = match u16_at(file, 30)? {
        9 => 512,
        12 => 4_096,
        _ => return Err(bad("an impossible sector size")),
    };
    // The header takes the room of the first sector.
    let bytes = file.get(size..).ok_or_else(|| bad("its header is cut off"))?;
    let mut sectors = Sectors { bytes, size, table: Vec::new() };
    sectors.table = sectors.read_table(file)?;
    let directory = sectors.chain(u32_at(file, 48)?)?;
    let mut root = None;
    for entry in directory.chunks_exact(ENTRY) {
        let (start, length) = (u32_at(entry, 116)?, u64::from(u32_at(entry, 120)?));
        // The first entry is the root.
        let root = *root.get_or_insert(start);
        if name(entry) != "workbook" {
            continue;
        }
        let length = usize::try_from(length).ok().filter(|length| *length <= file.len());
        let length = length.ok_or_else(|| bad("a stream exceeds the file"))?;
        let mut stream = if length >= SMALL_STREAM {
            sectors.chain(start)?
        } else {
            let small = sectors.chain(root)?;
            let table = numbers(&sectors.chain(u32_at(file, 60)?)?);
            Sectors { bytes: &small, size: SMALL_SECTOR, table }.chain(start)?
        };
        stream.truncate(length);
        budget.take_bytes(stream.len())?;
        return Ok(stream);
    }
    Err(bad("the compound file has no workbook"))
}

impl Sectors<'_> {
    fn sector(&self, id: u32) -> Option<&[u8]> {
        let start = (id as usize).checked_mul(self.size)?;
        let end = start.checked_add(self.size)?.min(self.bytes.len());
        // The last sector of a file may be cut short.
        self.bytes.get(start..end).filter(|sector| !sector.is_empty())
    }

    fn read_table(&self, file: &[u8]) -> Result<Vec<u32>, PayloadRefusal> {
        let damaged = || bad("its table of sectors is damaged");
        let most = self.bytes.len() / self.size + 1;
        let mut ids = Vec::new();
        for n in 0..TABLE_SECTORS_IN_HEADER {
            ids.push(u32_at(file, 76 + n * 4)?);
        }
        let mut next = u32_at(file, 68)?;
        let mut steps = 0;
        while next < RESERVED {
            steps += 1;
            let sector = self.sector(next).filter(|sector| sector.len() == self.size && steps <= most);
            let mut listed = numbers(sector.ok_or_else(damaged)?);
            next = listed.pop().ok_or_else(damaged)?;
            ids.extend(listed);
        }
        let mut table = Vec::new();
        for id in ids.into_iter().filter(|id| *id < RESERVED).take(most) {
            table.extend(numbers(self.sector(id).ok_or_else(damaged)?));
        }
        Ok(table)
    }

    /// All bytes of a chain. A chain that is longer than its area goes in circles.
    fn chain(&self, first: u32) -> Result<Vec<u8>, PayloadRefusal> {
        let mut id = first;
        let mut chained = Vec::new();
        while id < RESERVED {
            let sector = self.sector(id).filter(|_| chained.len() <= self.bytes.len());
            chained.extend_from_slice(sector.ok_or_else(|| bad("a chain of sectors does not end"))?);
            id = *self.table.get(id as usize).ok_or_else(|| bad("a chain of sectors leads nowhere"))?;
        }
        Ok(chained)
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]])).collect()
}

/// A directory entry's name in lower case; the one of interest is plain letters.
fn name(entry: &[u8]) -> String {
    let units =
        entry.chunks_exact(2).take(32).map(|c| u16::from_le_bytes([c[0], c[1]])).take_while(|u| *u != 0);
    char::decode_utf16(units).map(|c| c.unwrap_or('?').to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Header, one table sector, one directory sector, and the workbook stream from the third sector on.
    fn file(stream: &[u8]) -> Vec<u8> {
        let sectors = stream.len().div_ceil(512);
        let mut bytes = vec![0u8; 512 * (3 + sectors)];
        let put = |bytes: &mut Vec<u8>, at: usize, value: u32| {
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes())
        };
        bytes[..8].copy_from_slice(&SIGNATURE);
        bytes[30] = 9;
        for i in 0..109 {
            put(&mut bytes, 76 + i * 4, u32::MAX);
        }
        put(&mut bytes, 76, 0);
        put(&mut bytes, 68, 0xffff_fffe);
        put(&mut bytes, 48, 1);
        for i in 0..128 {
            let next = if i >= 2 && i + 1 < 2 + sectors { i as u32 + 1 } else { 0xffff_fffe };
            put(&mut bytes, 512 + i * 4, next);
        }
        for (i, unit) in "Workbook".encode_utf16().enumerate() {
            bytes[1024 + i * 2..][..2].copy_from_slice(&unit.to_le_bytes());
        }
        put(&mut bytes, 1024 + 116, 2);
        put(&mut bytes, 1024 + 120, stream.len() as u32);
        bytes[1536..1536 + stream.len()].copy_from_slice(stream);
        bytes
    }

    fn open(bytes: &[u8]) -> Result<Vec<u8>, PayloadRefusal> {
        workbook_stream(bytes, &mut Budget { cells: 0, bytes: 1 << 20 })
    }

    #[test]
    fn circles_and_impossible_tables_are_refused() {
        let stream: Vec<u8> = (0..5_000u32).map(|n| n as u8).collect();
        let good = file(&stream);
        assert_eq!(open(&good).unwrap(), stream);
        for (what, at, value) in [
            ("the directory goes in circles", 512 + 4, 1u32),
            ("the stream goes in circles", 512 + 8 * 4, 2),
            ("a stream larger than the file", 1024 + 120, 1 << 30),
            ("a chain out of the file", 512 + 4, 1_000_000),
            ("the table is outside the file", 76, 9_999),
            ("no such sector size", 30, 0x0b),
            ("another signature", 0, 0),
        ] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            assert!(open(&bytes).is_err(), "{what}");
        }
        assert!(open(&good[..300]).is_err());
        assert!(workbook_stream(&good, &mut Budget { cells: 0, bytes: 1_000 }).is_err());
    }
}
