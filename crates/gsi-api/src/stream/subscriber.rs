//! One subscriber: waits, sends new messages, and ends when its key becomes invalid or the service stops. When the
//! client disconnects, the HTTP library drops the body and the subscription with it.

use super::hub::{NextFrame, StreamSignal, StreamStart};
use super::message::{MessagePart, MessageWriter};
use super::place::StreamPlace;
use crate::auth::key_ring::KeyEntry;
use crate::settings::STREAM_RETRY;
use crate::state::service::Service;
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream::unfold;
use gsi_model::Timestamp;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::timeout;

/// A place among the subscribers, and the messages that wait to be sent.
pub struct Subscription {
    service: Arc<Service>,
    key: Arc<KeyEntry>,
    /// Given back when the subscriber goes.
    _place: StreamPlace,
    signal: watch::Receiver<StreamSignal>,
    /// The last frame that was sent.
    after: u64,
    waiting: VecDeque<MessagePart>,
}

impl Subscription {
    pub fn new(
        service: Arc<Service>,
        key: Arc<KeyEntry>,
        place: StreamPlace,
        seen: Option<Timestamp>,
    ) -> Self {
        // The signal is subscribed to before the position is read, so that no frame between the two is missed.
        let signal = service.published.stream.watch();
        let StreamStart { after, greeting } = service.published.stream.start(seen);
        let mut subscription =
            Subscription { service, key, _place: place, signal, after, waiting: VecDeque::new() };
        let retry = MessageWriter::new(None).retry(STREAM_RETRY.as_millis() as u64).finish();
        subscription.add(retry.into_iter().chain(greeting));
        subscription
    }

    /// The body of the answer. The HTTP library asks for the next part when the one before is sent, so a client that
    /// does not read costs no more than the connection's buffers. The socket's own deadline disconnects it.
    pub fn into_body(self) -> Body {
        let parts = unfold(self, |mut subscription| async move {
            let part = subscription.next().await?;
            Some((Ok::<Bytes, Infallible>(part), subscription))
        });
        Body::from_stream(parts)
    }

    /// `None` ends the body properly, so that clients can tell it from a broken connection.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            // The borrow ends here, so that the lock is not held while waiting.
            let closing = self.signal.borrow_and_update().closing;
            if closing || !self.service.keys.load().still_holds(&self.key, self.service.clock.now()) {
                return None;
            }
            if let Some(part) = self.waiting.pop_front() {
                self.service.telemetry.metrics.stream_sent.inc();
                self.service.telemetry.metrics.bytes_sent.inc_by(part.text.len() as u64);
                return Some(part.text);
            }
            match self.service.published.stream.next(self.after) {
                NextFrame::StreamFrame(frame) => {
                    self.after += 1;
                    let parts: Vec<MessagePart> = frame.seen_by(|p| self.may_see(p)).cloned().collect();
                    self.waiting.extend(parts);
                }
                NextFrame::Lost => {
                    self.service.telemetry.metrics.streams_lost_track.inc();
                    let start = self.service.published.stream.restart();
                    self.after = start.after;
                    self.add(start.greeting);
                }
                NextFrame::Nothing => {
                    match timeout(self.service.limits.stream_heartbeat, self.signal.changed()).await {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => return None,
                        Err(_) => self.add(MessageWriter::new(None).heartbeat().finish()),
                    }
                }
            }
        }
    }

    fn add(&mut self, parts: impl IntoIterator<Item = MessagePart>) {
        let key = Arc::clone(&self.key);
        self.waiting.extend(parts.into_iter().filter(|part| may_see(&key, part)));
    }

    fn may_see(&self, part: &MessagePart) -> bool {
        may_see(&self.key, part)
    }
}

fn may_see(key: &KeyEntry, part: &MessagePart) -> bool {
    part.scope.is_none_or(|scope| key.covers(scope))
}
