//! One subscriber: waits, sends what is new, and goes when the key, the client or the service does.

use super::hub::{Next, Signal, Start};
use super::message::{Part, Writer};
use super::place::StreamPlace;
use crate::auth::KeyEntry;
use crate::guard::Watch;
use crate::service::Service;
use crate::settings::{STREAM_HEARD_BYTES, STREAM_RETRY};
use gsi_model::Timestamp;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::Instant;

/// A place among the subscribers, not yet taken up by a connection.
pub struct Subscription {
    service: Arc<Service>,
    key: Arc<KeyEntry>,
    /// Given back when the subscriber goes.
    _place: StreamPlace,
    signal: watch::Receiver<Signal>,
    start: Start,
    /// HTTP/1.0 knows no chunks: there the end of the connection is the end.
    chunked: bool,
}

enum Woken {
    Signal,
    Silence,
    Gone,
}

impl Subscription {
    pub fn new(
        service: Arc<Service>,
        key: Arc<KeyEntry>,
        place: StreamPlace,
        seen: Option<Timestamp>,
        chunked: bool,
    ) -> Self {
        // Watching begins before the position is taken, so that nothing can pass in between.
        let signal = service.stream.watch();
        let start = service.stream.start(seen);
        Subscription { service, key, _place: place, signal, start, chunked }
    }

    /// Sends until there is a reason to stop. Whoever does not read is waited for until the write deadline, which the
    /// connection's watch keeps; meanwhile nothing is put aside for them.
    pub async fn run<S>(mut self, mut stream: S, watch: &Watch) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let greeting = std::mem::take(&mut self.start.greeting);
        let retry = Writer::new(None).retry(STREAM_RETRY.as_millis() as u64).finish();
        let mut waiting: VecDeque<Part> =
            retry.into_iter().chain(greeting).filter(|p| self.may_see(p)).collect();
        let mut after = self.start.after;
        let mut heard = 0;
        loop {
            // The lock is not held on: only the reason is looked at.
            let closing = self.signal.borrow_and_update().closing;
            if closing || !self.service.keys().still_holds(&self.key, self.service.clock.now()) {
                return self.end(stream, watch).await;
            }
            if let Some(part) = waiting.pop_front() {
                self.write(&mut stream, watch, &part).await?;
                continue;
            }
            match self.service.stream.next(after) {
                Next::Frame(frame) => {
                    after += 1;
                    waiting.extend(frame.seen_by(|p| self.may_see(p)).cloned());
                    continue;
                }
                Next::Lost => {
                    self.service.metrics.streams_lost_track.fetch_add(1, Ordering::Relaxed);
                    let start = self.service.stream.restart();
                    after = start.after;
                    waiting.extend(start.greeting.into_iter().filter(|p| self.may_see(p)));
                    continue;
                }
                Next::Nothing => {}
            }
            match self.wait(&mut stream, &mut heard).await {
                Woken::Signal => {}
                Woken::Silence => waiting.extend(Writer::new(None).heartbeat().finish()),
                Woken::Gone => return Ok(()),
            }
        }
    }

    fn may_see(&self, part: &Part) -> bool {
        part.scope.is_none_or(|scope| self.key.covers(scope))
    }

    async fn wait<S: AsyncRead + Unpin>(&mut self, stream: &mut S, heard: &mut usize) -> Woken {
        let until = Instant::now() + self.service.limits.stream_heartbeat;
        let mut scratch = [0; 64];
        loop {
            tokio::select! {
                changed = self.signal.changed() => {
                    return if changed.is_ok() { Woken::Signal } else { Woken::Gone };
                }
                // Nothing is expected from the client; it is listened to so that its going is noticed.
                read = stream.read(&mut scratch) => match read {
                    Ok(n) if n > 0 && *heard + n <= STREAM_HEARD_BYTES => *heard += n,
                    _ => return Woken::Gone,
                },
                () = tokio::time::sleep_until(until) => return Woken::Silence,
            }
        }
    }

    async fn write<S: AsyncWrite + Unpin>(
        &self,
        stream: &mut S,
        watch: &Watch,
        part: &Part,
    ) -> io::Result<()> {
        let bytes = part.bytes(self.chunked);
        watch.writing();
        stream.write_all(bytes).await?;
        stream.flush().await?;
        watch.resting();
        let metrics = &self.service.metrics;
        metrics.stream_sent.fetch_add(1, Ordering::Relaxed);
        metrics.bytes_sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// A whole ending, so that clients can tell it from a broken connection.
    async fn end<S: AsyncWrite + Unpin>(&self, mut stream: S, watch: &Watch) -> io::Result<()> {
        watch.writing();
        if self.chunked {
            stream.write_all(b"0\r\n\r\n").await?;
        }
        stream.shutdown().await
    }
}
