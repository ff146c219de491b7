//! A look into a binary workbook before the workbook reader is let loose on it.
//!
//! The format is a small file system whose sectors are chained by a table. A damaged table can send a reader round in
//! circles, and a single cell far out makes it allocate the whole rectangle before it; both are ruled out here.

use gsi_model::{PayloadRefusal, RefusalCode};

const HEADER: usize = 512;
/// Sector numbers from here on are marks, not sectors.
const RESERVED: u32 = 0xffff_fffa;
const ENTRY: usize = 128;
/// Streams below this size live in the small-sector area.
const SMALL_STREAM: usize = 4_096;
/// The largest real sheet has 170,000 cells.
const MAX_CELLS: u64 = 2_000_000;

fn bad(detail: &str) -> PayloadRefusal {
    PayloadRefusal::new(RefusalCode::BadWorkbook, detail)
}

struct CompoundFile<'a> {
    bytes: &'a [u8],
    sector: usize,
    table: Vec<u32>,
}

/// Whether a reader can walk this file in bounded time and memory.
pub fn check(bytes: &[u8]) -> Result<(), PayloadRefusal> {
    let header = bytes.get(..HEADER).ok_or_else(|| bad("too short"))?;
    let sector = match u16_at(header, 30) {
        9 => 512,
        12 => 4_096,
        _ => return Err(bad("an impossible sector size")),
    };
    let mut file = CompoundFile { bytes, sector, table: Vec::new() };
    file.read_table(header)?;
    if u64::from(u32_at(header, 64)) * sector as u64 > bytes.len() as u64 {
        return Err(bad("its tables exceed the file"));
    }
    let directory = file.chain(u32_at(header, 48))?;
    let mut streams = directory.chunks_exact(ENTRY).map(|entry| {
        let size = if sector == 512 { u64::from(u32_at(entry, 120)) } else { u64_at(entry, 120) };
        (entry, size)
    });
    if streams.clone().any(|(_, size)| size > bytes.len() as u64) {
        return Err(bad("a stream exceeds the file"));
    }
    let book = streams.find(|(entry, _)| matches!(name(entry).as_str(), "workbook" | "book"));
    match book {
        Some((entry, size)) if size as usize >= SMALL_STREAM => check_cells(&file.chain(u32_at(entry, 116))?),
        // A workbook of a few hundred bytes cannot hold a cell far out and the records a sheet needs.
        _ => Ok(()),
    }
}

impl CompoundFile<'_> {
    fn sector(&self, id: u32) -> Option<&[u8]> {
        let start = (id as usize).checked_add(1)?.checked_mul(self.sector)?;
        // The last sector of a file may be cut short.
        self.bytes.get(start..self.bytes.len().min(start + self.sector))
    }

    fn read_table(&mut self, header: &[u8]) -> Result<(), PayloadRefusal> {
        let most = self.bytes.len() / self.sector + 1;
        let mut ids: Vec<u32> = (0..109).map(|i| u32_at(header, 76 + i * 4)).collect();
        let mut next = u32_at(header, 68);
        let mut steps = 0;
        while next < RESERVED {
            steps += 1;
            let sector = self.sector(next).filter(|s| s.len() == self.sector && steps <= most);
            let sector = sector.ok_or_else(|| bad("its tables are damaged"))?;
            ids.extend((0..self.sector / 4 - 1).map(|i| u32_at(sector, i * 4)));
            next = u32_at(sector, self.sector - 4);
        }
        for id in ids.into_iter().filter(|id| *id < RESERVED).take(most) {
            let sector = self.sector(id).ok_or_else(|| bad("its tables are damaged"))?;
            let numbers: Vec<u32> = sector.chunks_exact(4).map(|c| u32_at(c, 0)).collect();
            self.table.extend(numbers);
        }
        Ok(())
    }

    /// All bytes of a chain that ends; a chain longer than the file goes in circles.
    fn chain(&self, mut id: u32) -> Result<Vec<u8>, PayloadRefusal> {
        let mut out = Vec::new();
        while id < RESERVED {
            let sector = self.sector(id).filter(|_| out.len() <= self.bytes.len());
            out.extend_from_slice(sector.ok_or_else(|| bad("a chain of sectors does not end"))?);
            id = *self.table.get(id as usize).ok_or_else(|| bad("a chain leads nowhere"))?;
        }
        Ok(out)
    }
}

/// The records of a workbook stream that place a cell: kind, and whether a last column follows at the end.
fn check_cells(stream: &[u8]) -> Result<(), PayloadRefusal> {
    const START_OF_SHEET: u16 = 0x0809;
    const DIMENSIONS: u16 = 0x0200;
    const RANGES: [u16; 2] = [0x00bd, 0x00be];
    const CELLS: [u16; 8] = [0x0203, 0x027e, 0x0204, 0x00fd, 0x0205, 0x0006, 0x0201, 0x0207];
    let (mut rows, mut columns) = (0u64, 0u64);
    let mut at = 0;
    while let Some(head) = stream.get(at..at + 4) {
        let (kind, length) = (u16_at(head, 0), usize::from(u16_at(head, 2)));
        let Some(data) = stream.get(at + 4..at + 4 + length) else { break };
        at += 4 + length;
        let (row, column) = match kind {
            START_OF_SHEET => {
                (rows, columns) = (0, 0);
                continue;
            }
            DIMENSIONS if length >= 12 => (u64::from(u32_at(data, 4)), u64::from(u16_at(data, 10))),
            _ if RANGES.contains(&kind) && length >= 6 => {
                (u64::from(u16_at(data, 0)) + 1, u64::from(u16_at(data, length - 2)) + 1)
            }
            _ if CELLS.contains(&kind) && length >= 4 => {
                (u64::from(u16_at(data, 0)) + 1, u64::from(u16_at(data, 2)) + 1)
            }
            _ => continue,
        };
        (rows, columns) = (rows.max(row), columns.max(column));
        if rows.saturating_mul(columns) > MAX_CELLS {
            return Err(bad("a sheet beyond all bounds"));
        }
    }
    Ok(())
}

/// A directory entry's name in lower case; all names of interest are plain letters.
fn name(entry: &[u8]) -> String {
    let units = entry.chunks_exact(2).take(32).map(|c| u16_at(c, 0)).take_while(|u| *u != 0);
    char::decode_utf16(units).map(|c| c.unwrap_or('?').to_ascii_lowercase()).collect()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
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

    fn stream(row: u16, column: u16) -> Vec<u8> {
        let mut stream = vec![0x03, 0x02, 14, 0];
        stream.extend(row.to_le_bytes());
        stream.extend(column.to_le_bytes());
        stream.resize(5_000, 0);
        stream
    }

    #[test]
    fn circles_and_far_cells_are_refused() {
        assert_eq!(check(&file(&stream(20_000, 20))), Ok(()));
        assert!(check(&file(&stream(65_000, 250))).is_err());
        let good = file(&stream(1, 1));
        for (what, at, value) in [
            ("the directory goes in circles", 512 + 4, 1u32),
            ("the stream goes in circles", 512 + 8 * 4, 2),
            ("a stream larger than the file", 1024 + 120, 1 << 30),
            ("a chain out of the file", 512 + 4, 1_000_000),
            ("the table lies outside", 76, 9_999),
            ("no such sector size", 30, 0x0b),
        ] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            assert!(check(&bytes).is_err(), "{what}");
        }
        assert!(check(&good[..300]).is_err());
    }
}
