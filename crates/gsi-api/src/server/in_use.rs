//! What a connection is used for: its open requests, and since when its client has taken nothing of an answer.
//!
//! The HTTP library asks for more of a body when it has room, and drops a piece when its last byte is written. A client that
//! takes nothing (an HTTP/2 window of zero, or a socket that is not read) therefore shows as a piece that stays. The library has
//! no timer for that, and none for a silent HTTP/2 connection.

use crate::server::places::ConnectionPlace;
use crate::server::responder::{ConnectionService, ResponseBody};
use bytes::{Buf, Bytes};
use futures_util::future::BoxFuture;
use http::{Request, Response};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::service::Service;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// A client that takes nothing for this long may lose its connection to another one.
const STALLED_AFTER: Duration = Duration::from_secs(5);
/// The idle time is divided by this when places are nearly taken.
const CROWDED: u32 = 4;
/// How often a connection is checked in its shortest limit.
const CHECKS: u32 = 4;

/// How long a client may take nothing of an answer that waits for it.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For an answer of known length.
    pub answer: Duration,
    /// For streams and other bodies without a known length.
    pub stream: Duration,
}

/// Connections that can lose their place, the least useful first, and each kind by the time since when it is of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Usefulness {
    /// Has sent no request.
    Silent(Instant),
    /// Takes nothing of an answer.
    Stalled(Instant),
    /// Has no open request.
    Resting(Instant),
}

/// The requests of one connection.
pub struct Activity {
    state: Mutex<ActivityState>,
}

struct ActivityState {
    requests: Vec<RequestState>,
    /// Number of the next request.
    next: u64,
    has_asked: bool,
    /// When the connection was opened, or the last request began or ended.
    last: Instant,
    /// The connection has lost its place and begins no further request.
    is_evicted: bool,
}

impl ActivityState {
    fn usefulness(&self, now: Instant) -> Option<Usefulness> {
        if self.requests.is_empty() {
            let kind = if self.has_asked { Usefulness::Resting } else { Usefulness::Silent };
            return Some(kind(self.last));
        }
        let waiting = self.requests.iter().filter(|request| request.waits_for_client());
        let since = waiting.map(|request| request.since).min()?;
        (now.duration_since(since) >= STALLED_AFTER).then_some(Usefulness::Stalled(since))
    }
}

struct RequestState {
    number: u64,
    /// The answer's body has more for its client, as far as is known.
    is_ready: bool,
    /// Pieces of the body that are not written.
    pieces: usize,
    /// When the client last took something.
    since: Instant,
    patience: Duration,
}

impl RequestState {
    fn waits_for_client(&self) -> bool {
        self.is_ready || self.pieces > 0
    }
}

impl Activity {
    pub fn new(now: Instant) -> Arc<Self> {
        let state =
            ActivityState { requests: Vec::new(), next: 0, has_asked: false, last: now, is_evicted: false };
        Arc::new(Activity { state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: the connection is in use.
    pub fn usefulness(&self, now: Instant) -> Option<Usefulness> {
        self.lock().usefulness(now)
    }

    /// Takes the connection out of use, unless a request has begun since it was found to be of little use.
    pub fn evict(&self, now: Instant) -> bool {
        let mut state = self.lock();
        state.is_evicted = state.usefulness(now).is_some();
        state.is_evicted
    }

    /// Whether a client has exhausted the patience for one of its answers.
    fn is_stalled(&self, now: Instant) -> bool {
        let is_late = |request: &RequestState| {
            request.waits_for_client() && now.duration_since(request.since) >= request.patience
        };
        self.lock().requests.iter().any(is_late)
    }

    fn is_idle(&self, now: Instant, idle: Duration) -> bool {
        let state = self.lock();
        state.requests.is_empty() && now.duration_since(state.last) >= idle
    }
}

/// A request from its head to the last byte of its answer.
pub struct OpenRequest {
    activity: Arc<Activity>,
    number: u64,
    /// Answers are sent one after the other, so that progress of one is progress of all.
    is_serial: bool,
}

impl OpenRequest {
    /// `None`: the connection has lost its place.
    fn begin(activity: &Arc<Activity>, is_serial: bool, now: Instant) -> Option<Self> {
        let mut state = activity.lock();
        if state.is_evicted {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.has_asked = true;
        state.last = now;
        let request =
            RequestState { number, is_ready: false, pieces: 0, since: now, patience: Duration::MAX };
        state.requests.push(request);
        drop(state);
        Some(OpenRequest { activity: Arc::clone(activity), number, is_serial })
    }

    /// Notes that the client has taken something, or that the answer waits for it from now on.
    fn progress(&self, now: Instant, change: impl FnOnce(&mut RequestState)) {
        let mut state = self.activity.lock();
        for request in &mut state.requests {
            if self.is_serial || request.number == self.number {
                request.since = now;
            }
        }
        if let Some(request) = state.requests.iter_mut().find(|request| request.number == self.number) {
            change(request);
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.activity.lock();
        state.requests.retain(|request| request.number != self.number);
        state.last = Instant::now();
    }
}

/// A connection's service that knows what it is used for.
pub struct Tracked {
    inner: ConnectionService,
    activity: Arc<Activity>,
    patience: Patience,
    is_serial: bool,
}

impl Tracked {
    /// `is_serial`: requests are answered one after the other, as HTTP/1.1 does.
    pub fn new(
        inner: ConnectionService,
        place: &ConnectionPlace,
        patience: Patience,
        is_serial: bool,
    ) -> Self {
        Tracked { inner, activity: Arc::clone(place.activity()), patience, is_serial }
    }
}

impl Service<Request<Incoming>> for Tracked {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let Some(open) = OpenRequest::begin(&self.activity, self.is_serial, Instant::now()) else {
            // The acceptor is about to drop the connection.
            return Box::pin(std::future::pending());
        };
        let (answer, patience) = (self.inner.call(request), self.patience);
        Box::pin(async move {
            let response = answer.await?;
            let is_whole = response.body().size_hint().exact().is_some();
            open.progress(Instant::now(), |request| {
                request.is_ready = true;
                request.patience = if is_whole { patience.answer } else { patience.stream };
            });
            Ok(response.map(|body| TrackedBody { body, request: Arc::new(open) }))
        })
    }
}

/// A body whose request is open until its last byte is written.
pub struct TrackedBody {
    body: ResponseBody,
    request: Arc<OpenRequest>,
}

impl Body for TrackedBody {
    type Data = Piece;
    type Error = <ResponseBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let is_ready = polled.is_ready();
        self.request.progress(Instant::now(), |request| request.is_ready = is_ready);
        polled.map_ok(|frame| frame.map_data(|bytes| Piece::new(bytes, &self.request)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes of a body on their way to the client.
pub struct Piece {
    bytes: Bytes,
    request: Arc<OpenRequest>,
}

impl Piece {
    fn new(bytes: Bytes, request: &Arc<OpenRequest>) -> Self {
        request.progress(Instant::now(), |request| request.pieces += 1);
        Piece { bytes, request: Arc::clone(request) }
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.request.progress(Instant::now(), |_| {});
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.request.progress(Instant::now(), |request| request.pieces -= 1);
    }
}

/// Why a connection is not served any longer.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// The connection has ended by itself.
    Closed,
    Idle,
    Stalled,
}

/// Serves a connection until it ends, is without a request for `idle`, or its client stops taking an answer. `idle` is shorter
/// while most places are taken.
pub async fn serve_while_used<E>(
    connection: impl Future<Output = Result<(), E>>,
    place: &ConnectionPlace,
    idle: Duration,
    patience: Patience,
) -> Result<Ending, E> {
    let pause = idle.min(patience.answer) / CHECKS;
    tokio::pin!(connection);
    loop {
        tokio::select! {
            biased;
            ended = &mut connection => return ended.map(|()| Ending::Closed),
            () = tokio::time::sleep(pause) => {}
        }
        let now = Instant::now();
        if place.activity().is_stalled(now) {
            return Ok(Ending::Stalled);
        }
        let idle = if place.is_crowded() { idle / CROWDED } else { idle };
        if place.activity().is_idle(now, idle) {
            return Ok(Ending::Idle);
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A request whose answer the client is to take within ten seconds.
    pub fn answered(activity: &Arc<Activity>, is_serial: bool, now: Instant) -> Arc<OpenRequest> {
        let open = OpenRequest::begin(activity, is_serial, now).unwrap();
        open.progress(now, |request| {
            request.is_ready = true;
            request.patience = 10 * SECOND;
        });
        Arc::new(open)
    }

    #[test]
    fn a_connection_is_silent_then_in_use_then_resting() {
        let begun = Instant::now();
        let activity = Activity::new(begun);
        assert_eq!(activity.usefulness(begun), Some(Usefulness::Silent(begun)));
        assert!(activity.is_idle(begun + SECOND, SECOND) && !activity.is_idle(begun, SECOND));
        let open = OpenRequest::begin(&activity, false, begun).unwrap();
        let late = begun + 1_000 * SECOND;
        assert_eq!(activity.usefulness(late), None, "the client waits for the service");
        assert!(!activity.is_stalled(late) && !activity.is_idle(late, SECOND));
        drop(open);
        assert!(matches!(activity.usefulness(late), Some(Usefulness::Resting(since)) if since >= begun));
        assert!(activity.is_idle(late, SECOND));
    }

    #[test]
    fn a_client_that_takes_nothing_is_stalled() {
        let begun = Instant::now();
        let activity = Activity::new(begun);
        let open = answered(&activity, false, begun);
        assert_eq!(activity.usefulness(begun + 4 * SECOND), None);
        assert_eq!(activity.usefulness(begun + 5 * SECOND), Some(Usefulness::Stalled(begun)));
        assert!(!activity.is_stalled(begun + 9 * SECOND) && activity.is_stalled(begun + 10 * SECOND));
        // The body has nothing more at the moment, and its pieces are written: the client waits for the service.
        open.progress(begun, |request| (request.is_ready, request.pieces) = (false, 1));
        assert!(activity.is_stalled(begun + 10 * SECOND));
        open.progress(begun, |request| request.pieces = 0);
        assert!(!activity.is_stalled(begun + 10 * SECOND));
    }

    #[test]
    fn pieces_count_until_they_are_written() {
        let begun = Instant::now();
        let activity = Activity::new(begun);
        let open = answered(&activity, false, begun);
        open.progress(begun, |request| request.is_ready = false);
        let mut piece = Piece::new(Bytes::from_static(b"text"), &open);
        drop(open);
        let late = Instant::now() + 10 * SECOND;
        assert!(activity.is_stalled(late), "the body is gone, and its bytes are not written");
        piece.advance(3);
        assert_eq!((piece.remaining(), piece.chunk()), (1, &b"t"[..]));
        drop(piece);
        assert!(matches!(activity.usefulness(late), Some(Usefulness::Resting(_))));
    }

    #[test]
    fn progress_of_one_answer_is_progress_of_all_in_a_series_alone() {
        let begun = Instant::now();
        for is_serial in [false, true] {
            let activity = Activity::new(begun);
            let (first, _second) =
                (answered(&activity, is_serial, begun), answered(&activity, is_serial, begun));
            first.progress(begun + 9 * SECOND, |_| {});
            assert_eq!(activity.is_stalled(begun + 11 * SECOND), !is_serial);
        }
    }
}
