//! The last publications as bytes, and the signal that there is a new one. A subscriber only keeps its position, and
//! all subscribers get the same bytes.

use super::message::{MessagePart, MessageWriter};
use crate::settings::{STREAM_KEPT_BYTES, STREAM_KEPT_FRAMES};
use crate::stream::body::StreamReset;
use gsi_model::Timestamp;
use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// Messages that belong together.
#[derive(Debug)]
pub struct StreamFrame {
    serial: u64,
    /// The tick that this frame ends; `None` for messages between ticks.
    tick: Option<Timestamp>,
    parts: Vec<MessagePart>,
    /// The same in one piece: most keys may see everything, and one write costs less than four.
    whole: Option<MessagePart>,
}

impl StreamFrame {
    fn weight(&self) -> usize {
        self.parts.iter().chain(&self.whole).map(MessagePart::weight).sum()
    }

    /// The parts that a subscriber may see.
    pub(crate) fn seen_by(
        &self,
        may_see: impl Fn(&MessagePart) -> bool,
    ) -> impl Iterator<Item = &MessagePart> {
        let all = self.parts.iter().all(&may_see);
        let (whole, parts) = if all { (&self.whole, &[][..]) } else { (&None, &self.parts[..]) };
        whole.iter().chain(parts.iter().filter(move |part| may_see(part)))
    }
}

/// What subscribers wait for: any change wakes them.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamSignal {
    pub newest: u64,
    /// Counts changes of the keys.
    pub keys: u64,
    pub closing: bool,
}

pub struct StreamHub {
    kept: Mutex<RecentFrames>,
    signal: watch::Sender<StreamSignal>,
    /// Open subscribers, for their limit.
    pub open: AtomicUsize,
}

struct RecentFrames {
    frames: VecDeque<Arc<StreamFrame>>,
    weight: usize,
    newest: u64,
    /// The messages that a new subscriber gets first.
    now: Vec<MessagePart>,
    tick: Option<Timestamp>,
}

/// What follows a subscriber's position.
pub enum NextFrame {
    StreamFrame(Arc<StreamFrame>),
    /// The subscriber has everything.
    Nothing,
    /// The next frame is no longer kept.
    Lost,
}

/// Where a subscriber begins.
pub struct StreamStart {
    /// The last frame that the subscriber has.
    pub after: u64,
    pub greeting: Vec<MessagePart>,
}

impl StreamHub {
    pub(crate) fn new() -> Self {
        StreamHub {
            kept: Mutex::new(RecentFrames {
                frames: VecDeque::new(),
                weight: 0,
                newest: 0,
                now: Vec::new(),
                tick: None,
            }),
            signal: watch::Sender::new(StreamSignal::default()),
            open: AtomicUsize::new(0),
        }
    }

    fn kept(&self) -> MutexGuard<'_, RecentFrames> {
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Sends a frame to all subscribers, and keeps it for those that reconnect. `now` replaces the messages that new
    /// subscribers get first.
    pub fn send(&self, tick: Option<Timestamp>, parts: Vec<MessagePart>, now: Vec<MessagePart>) {
        let newest = {
            let mut kept = self.kept();
            kept.newest += 1;
            let frame = StreamFrame { serial: kept.newest, tick, whole: MessagePart::join(&parts), parts };
            kept.weight += frame.weight();
            kept.frames.push_back(Arc::new(frame));
            while kept.frames.len() > 1
                && (kept.frames.len() > STREAM_KEPT_FRAMES || kept.weight > STREAM_KEPT_BYTES)
            {
                if let Some(oldest) = kept.frames.pop_front() {
                    kept.weight -= oldest.weight();
                }
            }
            kept.now = now;
            kept.tick = tick.or(kept.tick);
            kept.newest
        };
        self.signal.send_modify(|s| s.newest = newest);
    }

    pub(crate) fn keys_changed(&self) {
        self.signal.send_modify(|s| s.keys += 1);
    }

    /// Ends every stream.
    pub fn close(&self) {
        self.signal.send_modify(|s| s.closing = true);
    }

    pub fn watch(&self) -> watch::Receiver<StreamSignal> {
        self.signal.subscribe()
    }

    pub fn next(&self, after: u64) -> NextFrame {
        let kept = self.kept();
        let Some(oldest) = kept.frames.front() else { return NextFrame::Nothing };
        if after >= kept.newest {
            NextFrame::Nothing
        } else if after + 1 < oldest.serial {
            NextFrame::Lost
        } else {
            kept.frames
                .get((after + 1 - oldest.serial) as usize)
                .cloned()
                .map_or(NextFrame::Nothing, NextFrame::StreamFrame)
        }
    }

    /// The start of a new subscriber, or of one that has everything up to `seen`.
    pub fn start(&self, seen: Option<Timestamp>) -> StreamStart {
        let kept = self.kept();
        match seen {
            None => StreamStart { after: kept.newest, greeting: kept.now.clone() },
            Some(seen) => match kept.place_of(seen) {
                Some(after) => StreamStart { after, greeting: Vec::new() },
                None => kept.restart(),
            },
        }
    }

    /// The start of a subscriber that was too slow.
    pub fn restart(&self) -> StreamStart {
        self.kept().restart()
    }
}

impl RecentFrames {
    /// The frame that ended `seen`, or the last one before it if no frame in between can be missing.
    fn place_of(&self, seen: Timestamp) -> Option<u64> {
        let ends = || self.frames.iter().filter_map(|f| f.tick.map(|tick| (tick, f.serial)));
        if self.tick.is_some_and(|newest| seen > newest) {
            // Another replica was ahead, so the subscriber has all frames here.
            return Some(self.newest);
        }
        ends().filter(|(tick, _)| *tick <= seen).map(|(_, serial)| serial).max()
    }

    fn restart(&self) -> StreamStart {
        let reset = MessageWriter::new(None).message("reset", &StreamReset { as_of: self.tick }).finish();
        StreamStart {
            after: self.newest,
            greeting: reset.into_iter().chain(self.now.iter().cloned()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::Scope;

    fn part(text: &str) -> MessagePart {
        MessageWriter::new(None).message("test", &text).finish().unwrap()
    }

    fn tick(n: i64) -> Timestamp {
        Timestamp::from_unix(900 * n)
    }

    fn send(hub: &StreamHub, n: i64) {
        hub.send(Some(tick(n)), vec![part(&n.to_string())], vec![part("now")]);
    }

    fn said(parts: &[MessagePart]) -> String {
        parts.iter().map(|p| String::from_utf8_lossy(&p.text).into_owned()).collect()
    }

    #[test]
    fn who_comes_back_goes_on_where_they_were() {
        let hub = StreamHub::new();
        for n in [10, 11, 13] {
            send(&hub, n);
        }
        // (what was seen last, the next frame's number or none, whether it starts over)
        let rows =
            [(10, Some("11"), false), (11, Some("13"), false), (12, Some("13"), false), (13, None, false)];
        let more = [(14, None, false), (9, None, true), (0, None, true)];
        for (seen, next, over) in rows.into_iter().chain(more) {
            let start = hub.start(Some(tick(seen)));
            assert_eq!(said(&start.greeting).contains("event: reset"), over, "{seen}");
            match (hub.next(start.after), next) {
                (NextFrame::StreamFrame(frame), Some(want)) => {
                    assert!(said(&frame.parts).contains(want), "{seen}")
                }
                (NextFrame::Nothing, None) => {}
                _ => panic!("{seen}"),
            }
        }
        assert_eq!(said(&hub.start(None).greeting), "event: test\ndata: \"now\"\n\n");
    }

    #[test]
    fn what_is_kept_is_bounded_in_number_and_size() {
        let hub = StreamHub::new();
        for n in 0..3 * STREAM_KEPT_FRAMES as i64 {
            send(&hub, n);
        }
        assert_eq!(hub.kept().frames.len(), STREAM_KEPT_FRAMES);
        assert!(matches!(hub.next(0), NextFrame::Lost));
        let big = "x".repeat(STREAM_KEPT_BYTES / 6);
        for _ in 0..9 {
            hub.send(Some(tick(1000)), vec![part(&big)], vec![]);
            assert!(hub.kept().weight <= STREAM_KEPT_BYTES);
        }
        let kept = hub.kept();
        assert_eq!(kept.weight, kept.frames.iter().map(|f| f.weight()).sum::<usize>());
    }

    #[test]
    fn a_frame_goes_out_whole_or_in_the_parts_that_may_be_seen() {
        let hub = StreamHub::new();
        let for_scores = MessageWriter::new(Some(Scope::Scores)).message("a", &1).finish().unwrap();
        hub.send(Some(tick(1)), vec![for_scores, part("b"), part("c")], vec![]);
        let NextFrame::StreamFrame(frame) = hub.next(0) else { panic!() };
        let seen = |may_see: &dyn Fn(&MessagePart) -> bool| -> Vec<MessagePart> {
            frame.seen_by(may_see).cloned().collect()
        };
        let (all, some) = (seen(&|_| true), seen(&|p| p.scope.is_none()));
        assert_eq!((all.len(), some.len()), (1, 2));
        assert_eq!(said(&all), said(&frame.parts));
        assert_eq!(said(&some), said(&frame.parts[1..]));
    }

    #[test]
    fn one_message_is_one_allocation_for_all() {
        let hub = StreamHub::new();
        send(&hub, 1);
        let pointer = || match hub.next(0) {
            NextFrame::StreamFrame(frame) => frame.seen_by(|_| true).next().unwrap().text.as_ptr(),
            _ => panic!(),
        };
        assert_eq!(pointer(), pointer());
        let greeting = || hub.start(None).greeting[0].text.as_ptr();
        assert_eq!(greeting(), greeting());
    }
}
