//! Response bodies that behave like a good network or a bad one.

use crate::publishers::RangeReader;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;

/// Pieces of a slow body.
const DRIPS: u32 = 16;
/// Time for the first half to leave before the connection closes.
const BEFORE_THE_CUT: Duration = Duration::from_millis(30);
/// Size of the pieces in which a virtual file is made and sent.
const PIECE: u64 = 64 * 1024;

pub enum SimBody {
    Full(Bytes),
    /// Sends these bytes and then fails, although the head announced more.
    Cut {
        bytes: Bytes,
        announced: u64,
        sleep: Option<Pin<Box<Sleep>>>,
    },
    Drip {
        bytes: Bytes,
        piece: usize,
        pause: Duration,
        sleep: Option<Pin<Box<Sleep>>>,
    },
    Pieces {
        at: u64,
        total: u64,
        read: RangeReader,
    },
}

impl SimBody {
    pub fn empty() -> Self {
        SimBody::Full(Bytes::new())
    }

    pub fn full(bytes: Bytes) -> Self {
        SimBody::Full(bytes)
    }

    pub fn cut(bytes: Bytes) -> Self {
        let announced = bytes.len() as u64;
        SimBody::Cut { bytes: bytes.slice(..bytes.len() / 2), announced, sleep: None }
    }

    pub fn drip(bytes: Bytes, over: Duration) -> Self {
        let piece = bytes.len().div_ceil(DRIPS as usize).max(1);
        SimBody::Drip { bytes, piece, pause: over / DRIPS, sleep: None }
    }

    pub fn pieces(total: u64, read: RangeReader) -> Self {
        SimBody::Pieces { at: 0, total, read }
    }
}

impl Body for SimBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let frame = |bytes: Bytes| Poll::Ready(Some(Ok(Frame::data(bytes))));
        match &mut *self {
            SimBody::Full(bytes) if bytes.is_empty() => Poll::Ready(None),
            SimBody::Full(bytes) => frame(std::mem::take(bytes)),
            SimBody::Cut { bytes, sleep, .. } if bytes.is_empty() => {
                let timer = sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(BEFORE_THE_CUT)));
                match timer.as_mut().poll(cx) {
                    Poll::Pending => Poll::Pending,
                    Poll::Ready(()) => Poll::Ready(Some(Err(io::Error::other("cut short on purpose")))),
                }
            }
            SimBody::Cut { bytes, .. } => frame(std::mem::take(bytes)),
            SimBody::Drip { bytes, .. } if bytes.is_empty() => Poll::Ready(None),
            SimBody::Drip { bytes, piece, pause, sleep } => {
                let timer = sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(*pause)));
                match timer.as_mut().poll(cx) {
                    Poll::Pending => Poll::Pending,
                    Poll::Ready(()) => {
                        *sleep = None;
                        let piece = (*piece).min(bytes.len());
                        frame(bytes.split_to(piece))
                    }
                }
            }
            SimBody::Pieces { at, total, .. } if *at >= *total => Poll::Ready(None),
            SimBody::Pieces { at, total, read } => {
                let end = (*total).min(*at + PIECE);
                let bytes = read(*at..end);
                *at = end;
                frame(bytes.into())
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, SimBody::Full(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            SimBody::Full(bytes) | SimBody::Drip { bytes, .. } => bytes.len() as u64,
            SimBody::Cut { announced, .. } => *announced,
            SimBody::Pieces { at, total, .. } => total - at,
        })
    }
}
