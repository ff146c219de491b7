//! One poll: the newest file, then a few of the owed quarter hours, newest first.

use super::checkpoint::{self, GdeltCheckpoint};
use super::manifest::{self, Listed};
use super::{CLOCK_GRACE_SECONDS, Gdelt, ORIGIN, decode};
use crate::connector::files::{self, read_checkpoint, write_checkpoint};
use crate::refusal::refuse;
use crate::{Fetched, Fetcher, FileSource, Poll, Request};
use gsi_model::{DAY, Decoded, PayloadRefusal, RefusalCode, TICK, Timestamp};
use md5::{Digest, Md5};
use std::collections::HashMap;

/// The same bucket under a name with a valid certificate, then under the documented name. Both are checked by MD5.
const ROUTES: [&str; 2] = [
    "https://storage.googleapis.com/data.gdeltproject.org/gdeltv2/",
    "http://data.gdeltproject.org/gdeltv2/",
];
const HOSTS: &[&str] = &["storage.googleapis.com", "data.gdeltproject.org"];

/// Real zips are 60 to 150 KB.
const MAX_ZIP: usize = 5 << 20;
const MAX_MANIFEST: usize = 4 << 10;
/// The end of the master list, which covers about two days.
const TAIL: u64 = 64 << 10;
const TAIL_SPAN_SECONDS: i64 = 44 * 3_600;
/// Owed files per poll, 4 MB in all. Two polls catch up a day, and half a day of polls catches up a month.
const OWED_PER_POLL: usize = 48;
/// After this number of failures the other owed files wait for the next poll.
const FAILURES_PER_POLL: usize = 3;

pub async fn poll(
    gdelt: &Gdelt,
    fetcher: &Fetcher,
    now: Timestamp,
    in_retrospect: bool,
    checkpoint: &str,
) -> Poll {
    let checkpoint = read_checkpoint(checkpoint);
    let mut gdelt_poll = GdeltPoll { fetcher, now, in_retrospect, checkpoint, poll: Poll::default() };
    let reached = match gdelt_poll.read_newest(gdelt).await {
        Ok(()) => true,
        Err(refusal) => {
            gdelt_poll.poll.refusals.push(refusal);
            false
        }
    };
    if reached {
        gdelt_poll.read_owed().await;
    }
    gdelt_poll.poll.unchanged =
        reached && gdelt_poll.poll.decoded.is_empty() && gdelt_poll.poll.refusals.is_empty();
    gdelt_poll.poll.checkpoint = write_checkpoint(&gdelt_poll.checkpoint);
    gdelt_poll.poll
}

struct GdeltPoll<'a> {
    fetcher: &'a Fetcher,
    now: Timestamp,
    /// `now` is in the past, so newer files are ordinary and are left to later polls.
    in_retrospect: bool,
    checkpoint: GdeltCheckpoint,
    poll: Poll,
}

impl GdeltPoll<'_> {
    /// Reads `lastupdate.txt` and the file it names. A file that fails is owed. A list that fails ends the poll.
    async fn read_newest(&mut self, gdelt: &Gdelt) -> Result<(), PayloadRefusal> {
        let listed = manifest::newest(&self.fetch("lastupdate.txt", MAX_MANIFEST, None).await?.bytes)?;
        // The file of a quarter hour appears after its end.
        let last = self.now.floor_tick().minus(TICK);
        if self.in_retrospect && listed.stamp > last {
            if let Some(known) = self.checkpoint.newest.filter(|known| *known < last) {
                self.checkpoint.owe(known.plus(TICK), last);
                self.checkpoint.newest = Some(last);
            }
            return Ok(());
        }
        if listed.stamp > self.now.plus(CLOCK_GRACE_SECONDS) {
            return refuse(RefusalCode::Clock, format!("the newest file is said to be of {}", listed.stamp));
        }
        match self.checkpoint.newest {
            Some(known) if listed.stamp <= known => return Ok(()),
            Some(known) => self.checkpoint.owe(known.plus(TICK), listed.stamp.minus(TICK)),
            None if !self.fetcher.has_past() => {}
            None => {
                self.checkpoint.owe(listed.stamp.minus(gdelt.backfill_days * DAY), listed.stamp.minus(TICK))
            }
        }
        self.checkpoint.newest = Some(listed.stamp);
        match self.read_file(listed.stamp, Some(&listed)).await {
            Ok(decoded) => self.poll.decoded.push(decoded),
            Err(refusal) => {
                self.checkpoint.note_failure(listed.stamp);
                self.poll.refusals.push(refusal);
            }
        }
        Ok(())
    }

    async fn read_owed(&mut self) {
        let owed = self.checkpoint.newest_owed(OWED_PER_POLL);
        // The newest file has just failed.
        let just_tried = if self.poll.refusals.is_empty() { None } else { self.checkpoint.newest };
        let owed: Vec<_> = owed.into_iter().filter(|s| Some(*s) != just_tried).collect();
        let listed = self.listed_since(&owed).await;
        let mut failures = 0;
        for stamp in owed {
            if failures == FAILURES_PER_POLL {
                break;
            }
            match self.read_file(stamp, listed.get(&stamp)).await {
                Ok(decoded) => {
                    self.checkpoint.no_longer_owe(stamp);
                    self.poll.decoded.push(decoded);
                }
                // Missing quarter hours are ordinary. Late ones appear within hours.
                Err(refusal) if refusal.code == RefusalCode::Status404 => {
                    if self.now.since(stamp) > checkpoint::GIVE_UP_MISSING_SECONDS {
                        self.checkpoint.give_up(stamp);
                    }
                }
                Err(refusal) => {
                    failures += 1;
                    self.checkpoint.note_failure(stamp);
                    self.poll.refusals.push(refusal);
                }
            }
        }
    }

    /// Returns sizes and checksums of recent owed files. Without them a file is still checked by its zip archive's CRC.
    async fn listed_since(&mut self, owed: &[Timestamp]) -> HashMap<Timestamp, Listed> {
        if !owed.iter().any(|s| self.now.since(*s) < TAIL_SPAN_SECONDS) {
            return HashMap::new();
        }
        let Ok(piece) = self.fetch("masterfilelist.txt", 2 * TAIL as usize, Some(TAIL)).await else {
            return HashMap::new();
        };
        manifest::listed(&piece.bytes, !piece.partial).into_iter().map(|l| (l.stamp, l)).collect()
    }

    async fn read_file(
        &mut self,
        stamp: Timestamp,
        listed: Option<&Listed>,
    ) -> Result<Decoded, PayloadRefusal> {
        let name = format!("{}.export.CSV.zip", stamp.to_compact());
        let fetched = self.fetch(&name, MAX_ZIP, None).await?;
        if let Some(listed) = listed {
            check(&fetched.bytes, listed)?;
        }
        files::decode_fetched(name, fetched, None, decode).await
    }

    /// Tries each route in turn, always the encrypted one first.
    async fn fetch(
        &mut self,
        name: &str,
        max_bytes: usize,
        tail: Option<u64>,
    ) -> Result<Fetched, PayloadRefusal> {
        let mut first = None;
        for route in ROUTES {
            let mut request = Request::new(ORIGIN.feed, format!("{route}{name}"), HOSTS, self.now);
            request.max_bytes = max_bytes;
            request.tail = tail;
            match self.fetcher.get(&request).await {
                Ok(fetched) => return Ok(fetched),
                Err(refusal) => {
                    first.get_or_insert(refusal);
                }
            }
        }
        Err(first.unwrap_or_else(|| PayloadRefusal::new(RefusalCode::Manifest, "no route")))
    }
}

/// Returns the event file of one quarter hour, with every route.
pub fn source(stamp: Timestamp) -> FileSource {
    let name = format!("{}.export.CSV.zip", stamp.to_compact());
    let urls = ROUTES.map(|route| format!("{route}{name}")).to_vec();
    FileSource { urls, ..FileSource::new(name, "", HOSTS, MAX_ZIP) }
}

fn check(bytes: &[u8], listed: &Listed) -> Result<(), PayloadRefusal> {
    if bytes.len() as u64 != listed.bytes {
        return refuse(
            RefusalCode::ShortBody,
            format!("{} bytes where {} were announced", bytes.len(), listed.bytes),
        );
    }
    if Md5::digest(bytes).as_slice() != listed.md5 {
        return refuse(RefusalCode::Md5, "the checksum differs from the announced one");
    }
    Ok(())
}
