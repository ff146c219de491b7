//! The event publisher: `lastupdate.txt`, `masterfilelist.txt` and the zips of each slot; and the older daily files, one zip
//! a day in a layout of 58 columns. The third file of a slot is listed, as in the real feed, and not served.

use super::{Content, Document, Format, Request};
use crate::news::{Receipt, SlotFileKind, hex, zipped};
use crate::server::Fault;
use crate::world::World;
use gsi_model::{DAY, Day, HOUR, TICK, Timestamp};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let path = request.path.strip_prefix("/data.gdeltproject.org").unwrap_or(request.path);
    if let Some(file) = path.strip_prefix("/events/") {
        return daily(world, request, file);
    }
    match path.strip_prefix("/gdeltv2/")? {
        "lastupdate.txt" => last_update(world, request),
        "masterfilelist.txt" => master_list(world, request),
        file => zip(world, request, file),
    }
}

/// A day's file appears in the American morning of the next day.
const DAILY_POSTED_SECONDS: i64 = 11 * HOUR;
/// Columns of the quarter-hourly files that the daily ones do not have: the finer regions of three places.
const NOT_DAILY: [usize; 3] = [39, 47, 55];
/// `DATEADDED`, which has no time of day there.
const ADDED: usize = 59;

fn daily(world: &Arc<World>, request: &Request, file: &str) -> Option<Document> {
    let text = file.strip_suffix(".export.CSV.zip").filter(|text| text.len() == 8 && text.is_ascii())?;
    let day = Day::parse_iso(&format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]))?;
    let posted = day.end().plus(DAILY_POSTED_SECONDS);
    let slots: Vec<Timestamp> = (0..DAY / TICK).map(|k| day.start().plus(k * TICK)).collect();
    let slots: Vec<Timestamp> = slots.into_iter().filter(|slot| world.slots.exists(*slot)).collect();
    if posted > request.as_of || slots.is_empty() {
        return None;
    }
    let (maker, member) = (world.clone(), format!("{text}.export.CSV"));
    Some(Document::new(Format::Zip, day.0 as u64, Some(posted), move || {
        let mut rows = Vec::new();
        for slot in slots {
            daily_rows(&maker.slots.unpacked(slot).export, &mut rows);
        }
        zipped(&member, &rows).to_vec()
    }))
}

/// Rows of a quarter-hourly file in the daily layout.
fn daily_rows(export: &[u8], rows: &mut Vec<u8>) {
    for line in export.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        let mut first = true;
        for (i, cell) in line.split(|b| *b == b'\t').enumerate().filter(|(i, _)| !NOT_DAILY.contains(i)) {
            if !std::mem::take(&mut first) {
                rows.push(b'\t');
            }
            let day_only = if i == ADDED { cell.get(..8).unwrap_or(cell) } else { cell };
            rows.extend_from_slice(day_only);
        }
        rows.push(b'\n');
    }
}

fn last_update(world: &Arc<World>, request: &Request) -> Option<Document> {
    let slot = world.slots.newest(request.as_of)?;
    let (world, fault) = (world.clone(), request.fault);
    let landed = world.slots.landed_at(slot);
    let make = move || match fault {
        Some(Fault::EmptySuccess) => Vec::new(),
        Some(Fault::Garbage) => crate::server::tamper::garbage(300, slot.unix() as u64),
        _ => lines(&world, slot, fault).into_bytes(),
    };
    let mut document = Document::new(Format::Text, slot.unix() as u64, Some(landed), make);
    document.tampered = true;
    Some(document)
}

fn master_list(world: &Arc<World>, request: &Request) -> Option<Document> {
    let newest = world.slots.newest(request.as_of)?;
    let fault = request.fault;
    // While the publisher corrupts its files the list is read for its newest lines only.
    let slots = world.slots.listed(request.as_of);
    let length = lines(world, newest, None).len() as u64;
    let total = slots.len() as u64 * length;
    let reader = world.clone();
    let read = move |range: Range<u64>| {
        let (from, to) = (range.start / length, range.end.div_ceil(length));
        let mut text = String::new();
        for slot in slots.iter().take(to as usize).skip(from as usize) {
            text.push_str(&lines(&reader, *slot, fault.filter(|_| slot == &newest)));
        }
        let skip = (range.start - from * length) as usize;
        let wanted = (range.end - range.start) as usize;
        text.into_bytes().into_iter().skip(skip).take(wanted).collect()
    };
    Some(Document {
        format: Format::Text,
        version: newest.unix() as u64,
        modified: Some(world.slots.landed_at(newest)),
        content: Content::Virtual { total, read: Arc::new(read) },
        tampered: true,
    })
}

/// The three lines of a slot; every slot's are equally long.
fn lines(world: &World, slot: Timestamp, fault: Option<Fault>) -> String {
    let mut receipts = match fault {
        Some(fault) if fault.tampers() => world.slots.tampered(slot, fault).receipts,
        _ => world.slots.receipts(slot),
    };
    let unserved = world.slots.unserved(slot, &receipts);
    if fault == Some(Fault::WrongMd5) {
        receipts.iter_mut().for_each(|r| r.md5[0] ^= 0xff);
    }
    let stamp = slot.to_compact();
    let line = |r: &Receipt, suffix: &str| {
        let mut out = String::with_capacity(128);
        let _ = writeln!(
            out,
            "{} {} http://data.gdeltproject.org/gdeltv2/{stamp}.{suffix}.zip",
            r.size,
            hex(&r.md5)
        );
        out
    };
    let three =
        [line(&receipts[0], "export.CSV"), line(&receipts[1], "mentions.CSV"), line(&unserved, "gkg.csv")];
    if fault == Some(Fault::OutOfOrder) {
        [&*three[2], &three[0], &three[1]].concat()
    } else {
        three.concat()
    }
}

fn zip(world: &Arc<World>, request: &Request, file: &str) -> Option<Document> {
    let (stamp, rest) = file.split_once('.')?;
    let kind = [SlotFileKind::Export, SlotFileKind::Mentions]
        .into_iter()
        .find(|k| rest.strip_suffix(".zip").is_some_and(|r| r == k.suffix()))?;
    let slot = Timestamp::parse_compact(stamp.as_bytes())?;
    let landed = world.slots.landed_at(slot);
    if !world.slots.exists(slot) || landed > request.as_of {
        return None;
    }
    let (world, fault) = (world.clone(), request.fault.filter(|f| f.tampers()));
    let content = Content::Whole(Box::new(move || match fault {
        Some(fault) => world.slots.tampered(slot, fault).file(kind).clone(),
        None => world.slots.packed(slot).file(kind).clone(),
    }));
    Some(Document {
        format: Format::Zip,
        version: slot.unix() as u64 * 2 + u64::from(kind == SlotFileKind::Export),
        modified: Some(landed),
        content,
        tampered: true,
    })
}
