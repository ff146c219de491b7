//! One look: the newest file, then a few of the quarter hours still owed, newest first.

use super::manifest::{self, Listed};
use super::memory::{self, Memory};
use super::{CLOCK_GRACE, Gdelt, ORIGIN, decode};
use crate::refusal::{self, refuse};
use crate::{Fetched, Fetcher, Poll, Request, files};
use gsi_model::{DAY, Decoded, Refusal, TICK, Timestamp};
use md5::{Digest, Md5};
use std::collections::HashMap;

/// The same bucket under a name with a valid certificate, then the documented name. Files are checked by MD5 either way.
const ROUTES: [&str; 2] = [
    "https://storage.googleapis.com/data.gdeltproject.org/gdeltv2/",
    "http://data.gdeltproject.org/gdeltv2/",
];
const HOSTS: &[&str] = &["storage.googleapis.com", "data.gdeltproject.org"];

/// Real zips are 60 to 150 KB.
const MAX_ZIP: usize = 5 << 20;
const MAX_MANIFEST: usize = 4 << 10;
/// The end of the master list that covers about two days.
const TAIL: u64 = 64 << 10;
const TAIL_SPAN: i64 = 44 * 3_600;
/// Owed files fetched in one look, 4 MB in all: a day is caught up in two looks, a month within half a day.
const OWED_PER_LOOK: usize = 48;
/// After this many failures in a row the rest of the debts wait for the next look.
const FAILURES_PER_LOOK: usize = 3;

pub async fn poll(gdelt: &Gdelt, fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let mut look = Look { fetcher, now, memory: Memory::read(checkpoint), poll: Poll::default() };
    let reached = match look.newest(gdelt).await {
        Ok(()) => true,
        Err(refusal) => {
            look.poll.refusals.push(refusal);
            false
        }
    };
    if reached {
        look.pay_debts().await;
    }
    look.poll.unchanged = reached && look.poll.decoded.is_empty() && look.poll.refusals.is_empty();
    look.poll.checkpoint = look.memory.write();
    look.poll
}

struct Look<'a> {
    fetcher: &'a Fetcher,
    now: Timestamp,
    memory: Memory,
    poll: Poll,
}

impl Look<'_> {
    /// Reads `lastupdate.txt` and the file it names. A file that fails is owed; a list that fails ends the look.
    async fn newest(&mut self, gdelt: &Gdelt) -> Result<(), Refusal> {
        let listed = manifest::newest(&self.fetch("lastupdate.txt", MAX_MANIFEST, None).await?.bytes)?;
        if listed.stamp > self.now.plus(CLOCK_GRACE) {
            return refuse(refusal::CLOCK, format!("the newest file is said to be of {}", listed.stamp));
        }
        match self.memory.newest {
            Some(known) if listed.stamp <= known => return Ok(()),
            Some(known) => self.memory.owe(known.plus(TICK), listed.stamp.minus(TICK)),
            None if !self.fetcher.has_past() => {}
            None => self.memory.owe(listed.stamp.minus(gdelt.backfill_days * DAY), listed.stamp.minus(TICK)),
        }
        self.memory.newest = Some(listed.stamp);
        match self.file(listed.stamp, Some(&listed)).await {
            Ok(decoded) => self.poll.decoded.push(decoded),
            Err(refusal) => {
                self.memory.failed(listed.stamp);
                self.poll.refusals.push(refusal);
            }
        }
        Ok(())
    }

    async fn pay_debts(&mut self) {
        let owed = self.memory.newest_owed(OWED_PER_LOOK);
        // The newest file was tried a moment ago.
        let just_tried = if self.poll.refusals.is_empty() { None } else { self.memory.newest };
        let owed: Vec<_> = owed.into_iter().filter(|s| Some(*s) != just_tried).collect();
        let listed = self.listed_since(&owed).await;
        let mut failures = 0;
        for stamp in owed {
            if failures == FAILURES_PER_LOOK {
                break;
            }
            match self.file(stamp, listed.get(&stamp)).await {
                Ok(decoded) => {
                    self.memory.settle(stamp);
                    self.poll.decoded.push(decoded);
                }
                // Quarter hours that do not exist are ordinary; late ones come within hours.
                Err(refusal) if refusal.code == refusal::STATUS_404 => {
                    if self.now.since(stamp) > memory::GIVE_UP_MISSING {
                        self.memory.give_up(stamp);
                    }
                }
                Err(refusal) => {
                    failures += 1;
                    self.memory.failed(stamp);
                    self.poll.refusals.push(refusal);
                }
            }
        }
    }

    /// Sizes and checksums of recent owed files. Without them a file is still checked by its archive's own CRC.
    async fn listed_since(&mut self, owed: &[Timestamp]) -> HashMap<Timestamp, Listed> {
        if !owed.iter().any(|s| self.now.since(*s) < TAIL_SPAN) {
            return HashMap::new();
        }
        let Ok(piece) = self.fetch("masterfilelist.txt", 2 * TAIL as usize, Some(TAIL)).await else {
            return HashMap::new();
        };
        manifest::listed(&piece.bytes, !piece.partial).into_iter().map(|l| (l.stamp, l)).collect()
    }

    async fn file(&mut self, stamp: Timestamp, listed: Option<&Listed>) -> Result<Decoded, Refusal> {
        let name = format!("{}.export.CSV.zip", stamp.to_compact());
        let fetched = self.fetch(&name, MAX_ZIP, None).await?;
        if let Some(listed) = listed {
            check(&fetched.bytes, listed)?;
        }
        files::decode_aside(name, fetched, decode).await
    }

    /// Asks by the route that worked last, then by the others.
    async fn fetch(&mut self, name: &str, max_bytes: usize, tail: Option<u64>) -> Result<Fetched, Refusal> {
        let mut first = None;
        for i in 0..ROUTES.len() {
            let route = (self.memory.route + i) % ROUTES.len();
            let mut request = Request::new(ORIGIN.feed, format!("{}{name}", ROUTES[route]), HOSTS, self.now);
            request.max_bytes = max_bytes;
            request.tail = tail;
            match self.fetcher.get(&request).await {
                Ok(fetched) => {
                    self.memory.route = route;
                    return Ok(fetched);
                }
                Err(refusal) => {
                    first.get_or_insert(refusal);
                }
            }
        }
        Err(first.unwrap_or_else(|| Refusal::new(refusal::MANIFEST, "no route")))
    }
}

/// The event file of one quarter hour, by every route.
pub fn source(stamp: Timestamp) -> files::Source {
    let name = format!("{}.export.CSV.zip", stamp.to_compact());
    let urls = ROUTES.map(|route| format!("{route}{name}")).to_vec();
    files::Source { urls, ..files::Source::new(name, "", HOSTS, MAX_ZIP) }
}

fn check(bytes: &[u8], listed: &Listed) -> Result<(), Refusal> {
    if bytes.len() as u64 != listed.bytes {
        return refuse(
            refusal::SHORT_BODY,
            format!("{} bytes where {} were announced", bytes.len(), listed.bytes),
        );
    }
    if Md5::digest(bytes).as_slice() != listed.md5 {
        return refuse(refusal::MD5, "the checksum differs from the announced one");
    }
    Ok(())
}
