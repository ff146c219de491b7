//! The event publisher's files: one zip per slot and kind, which slots exist, and when each can be fetched.
//!
//! A small cache keeps packed files, and the server's prefetch thread builds them ahead of the reader. Sizes and checksums are
//! kept longer, because the lists need them for days.

use super::{Newsroom, SlotNews};
use crate::scenario::Timeline;
use crate::server::Fault;
use crate::server::tamper;
use crate::world::{MISSING_SLOT_ONE_IN, NEWS_BEFORE_START_SECONDS, WorldSettings};
use crate::world::{Rng, Stream};
use bytes::Bytes;
use gsi_model::{TICK, Timestamp};
use md5::{Digest, Md5};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{Cursor, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Packed files kept: enough for the prefetcher's lead and for a client that fetches late.
const CACHE_BYTES: usize = 6 * 1024 * 1024;
/// Sizes and checksums kept: 60 days of slots, about 80 bytes each.
const RECEIPTS: usize = 6_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotFileKind {
    Export,
    Mentions,
}

impl SlotFileKind {
    pub fn suffix(self) -> &'static str {
        match self {
            SlotFileKind::Export => "export.CSV",
            SlotFileKind::Mentions => "mentions.CSV",
        }
    }
}

/// Size and checksum of a file, as the lists have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub size: u64,
    pub md5: [u8; 16],
}

#[derive(Debug)]
pub struct Packed {
    pub export: Bytes,
    pub mentions: Bytes,
    pub receipts: [Receipt; 2],
}

impl Packed {
    pub fn file(&self, kind: SlotFileKind) -> &Bytes {
        match kind {
            SlotFileKind::Export => &self.export,
            SlotFileKind::Mentions => &self.mentions,
        }
    }
}

#[derive(Default)]
struct PackedSlots {
    packed: VecDeque<(Timestamp, Arc<Packed>)>,
    bytes: usize,
    receipts: HashMap<Timestamp, [Receipt; 2]>,
    oldest_receipts: VecDeque<Timestamp>,
    building: HashSet<Timestamp>,
}

pub struct SlotFiles {
    seed: u64,
    first: Timestamp,
    landing_delay_seconds: i64,
    missing: bool,
    timeline: Arc<Timeline>,
    newsroom: Newsroom,
    cache: Mutex<PackedSlots>,
    built: Condvar,
}

impl SlotFiles {
    pub fn new(settings: &WorldSettings, timeline: Arc<Timeline>, newsroom: Newsroom) -> Self {
        SlotFiles {
            seed: settings.seed,
            first: settings.start.minus(NEWS_BEFORE_START_SECONDS).floor_tick(),
            landing_delay_seconds: settings.landing_delay_seconds,
            missing: settings.missing_slots,
            timeline,
            newsroom,
            cache: Mutex::default(),
            built: Condvar::new(),
        }
    }

    fn cache(&self) -> MutexGuard<'_, PackedSlots> {
        self.cache.lock().unwrap_or_else(|p| p.into_inner())
    }

    /// Returns whether the publisher ever makes files for this slot.
    pub fn exists(&self, slot: Timestamp) -> bool {
        slot >= self.first
            && slot.is_tick()
            && !(self.missing
                && Rng::new(self.seed, Stream::SlotMissing, slot.unix()).below(MISSING_SLOT_ONE_IN) == 0)
            && !self.timeline.silent("gdelt", slot)
    }

    pub fn landed_at(&self, slot: Timestamp) -> Timestamp {
        slot.plus(self.landing_delay_seconds)
    }

    /// Returns the newest slot whose files can be fetched at `now`.
    pub fn newest(&self, now: Timestamp) -> Option<Timestamp> {
        let mut slot = now.minus(self.landing_delay_seconds).floor_tick();
        while slot >= self.first {
            if self.exists(slot) {
                return Some(slot);
            }
            slot = slot.minus(TICK);
        }
        None
    }

    /// Returns every slot whose files can be fetched, oldest first.
    pub fn listed(&self, now: Timestamp) -> Vec<Timestamp> {
        let mut slots = Vec::new();
        let mut slot = self.first;
        while self.landed_at(slot) <= now {
            if self.exists(slot) {
                slots.push(slot);
            }
            slot = slot.plus(TICK);
        }
        slots
    }

    pub fn unpacked(&self, slot: Timestamp) -> SlotNews {
        self.newsroom.slot(slot)
    }

    pub fn packed(&self, slot: Timestamp) -> Arc<Packed> {
        let mut cache = self.cache();
        loop {
            if let Some((_, packed)) = cache.packed.iter().find(|(s, _)| *s == slot) {
                return packed.clone();
            }
            if cache.building.insert(slot) {
                break;
            }
            cache = self.built.wait(cache).unwrap_or_else(|p| p.into_inner());
        }
        drop(cache);
        let news = self.newsroom.slot(slot);
        let packed = Arc::new(pack(slot, &news.export, &news.mentions));
        let mut cache = self.cache();
        cache.building.remove(&slot);
        cache.bytes += packed.export.len() + packed.mentions.len();
        cache.packed.push_back((slot, packed.clone()));
        while cache.bytes > CACHE_BYTES && cache.packed.len() > 1 {
            if let Some((_, old)) = cache.packed.pop_front() {
                cache.bytes -= old.export.len() + old.mentions.len();
            }
        }
        if cache.receipts.insert(slot, packed.receipts).is_none() {
            cache.oldest_receipts.push_back(slot);
            if cache.oldest_receipts.len() > RECEIPTS
                && let Some(old) = cache.oldest_receipts.pop_front()
            {
                cache.receipts.remove(&old);
            }
        }
        drop(cache);
        self.built.notify_all();
        packed
    }

    pub fn receipts(&self, slot: Timestamp) -> [Receipt; 2] {
        if let Some(known) = self.cache().receipts.get(&slot) {
            return *known;
        }
        self.packed(slot).receipts
    }

    /// Builds the slot's files with a fault inside, without caching them.
    pub fn tampered(&self, slot: Timestamp, fault: Fault) -> Packed {
        if fault == Fault::ZipBomb {
            let bomb = tamper::zip_bomb(&format!("{}.{}", slot.to_compact(), SlotFileKind::Export.suffix()));
            let receipt = receipt(&bomb);
            return Packed { export: bomb.clone(), mentions: bomb, receipts: [receipt, receipt] };
        }
        let news = self.newsroom.slot(slot);
        let spoil = |rows: Vec<u8>| tamper::table(rows, fault, b'\t', false, self.seed);
        pack(slot, &spoil(news.export), &spoil(news.mentions))
    }

    /// Returns a size for the list's third file, which is not served. It gives every slot the same number of bytes in the
    /// list, so that any byte range of the list can be answered without building the files before it.
    pub fn unserved(&self, slot: Timestamp, receipts: &[Receipt; 2]) -> Receipt {
        const DIGITS: u32 = 18;
        let used: u32 = receipts.iter().map(|r| digits(r.size)).sum();
        let mut rng = Rng::new(self.seed, Stream::Gkg, slot.unix());
        let left = DIGITS.saturating_sub(used).max(1);
        let low = 10u64.pow(left - 1);
        let mut md5 = [0; 16];
        md5[..8].copy_from_slice(&rng.bits().to_le_bytes());
        md5[8..].copy_from_slice(&rng.bits().to_le_bytes());
        Receipt { size: low + rng.below((low * 8) as usize) as u64, md5 }
    }
}

fn digits(n: u64) -> u32 {
    n.checked_ilog10().map_or(1, |d| d + 1)
}

fn pack(slot: Timestamp, export: &[u8], mentions: &[u8]) -> Packed {
    let stamp = slot.to_compact();
    let export = zipped(&format!("{stamp}.{}", SlotFileKind::Export.suffix()), export);
    let mentions = zipped(&format!("{stamp}.{}", SlotFileKind::Mentions.suffix()), mentions);
    let receipts = [receipt(&export), receipt(&mentions)];
    Packed { export, mentions, receipts }
}

fn receipt(file: &[u8]) -> Receipt {
    Receipt { size: file.len() as u64, md5: Md5::digest(file).into() }
}

/// Makes a zip with one deflated member, its sizes in the local header.
pub fn zipped(name: &str, content: &[u8]) -> Bytes {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        // The lowest level: the demo packs thousands of files and reads each once.
        .compression_level(Some(1));
    let mut zip = ZipWriter::new(Cursor::new(Vec::with_capacity(content.len() / 3 + 512)));
    let written = zip.start_file(name, options).and_then(|()| Ok(zip.write_all(content)?));
    match written.and_then(|()| zip.finish()) {
        Ok(cursor) => Bytes::from(cursor.into_inner()),
        // Writing to memory fails only for members beyond 4 GiB, which no slot reaches.
        Err(_) => Bytes::new(),
    }
}

pub fn hex(md5: &[u8; 16]) -> String {
    use std::fmt::Write;
    md5.iter().fold(String::with_capacity(32), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}
