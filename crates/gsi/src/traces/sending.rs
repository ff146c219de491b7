//! Spans on their way to the collector: a bounded queue and a thread that empties it. A collector that is away costs spans, which
//! are counted, and nothing else.

use super::message::{FinishedSpan, message};
use anyhow::Context;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use url::Url;

/// Spans that wait to be sent: an hour of ticks and a burst of slow requests.
const MOST_WAITING: usize = 4_096;
const MOST_IN_A_MESSAGE: usize = 512;
/// How long spans are gathered before they are sent.
const GATHER_FOR: Duration = Duration::from_secs(2);
const SEND_WITHIN: Duration = Duration::from_secs(5);

enum Waiting {
    Span(Box<FinishedSpan>),
    /// Send what there is, and then drop this.
    Flush(SyncSender<()>),
}

#[derive(Clone)]
pub struct SpanSender {
    queue: SyncSender<Waiting>,
    lost: Arc<AtomicU64>,
}

impl SpanSender {
    pub fn start(collector: Url) -> anyhow::Result<SpanSender> {
        // The process may have installed the same provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(concat!("gsi/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .timeout(SEND_WITHIN)
            .no_proxy()
            .build()
            .context("the client for traces cannot be set up")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (queue, waiting) = sync_channel(MOST_WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let mut route = Route { http, collector, lost: Arc::clone(&lost), is_troubled: false };
        let work = move || runtime.block_on(async { route.serve(&waiting).await });
        std::thread::Builder::new().name("traces".into()).spawn(work)?;
        Ok(SpanSender { queue, lost })
    }

    /// Never waits: what finds no room is lost, and counted.
    pub fn send(&self, span: FinishedSpan) {
        if self.queue.try_send(Waiting::Span(Box::new(span))).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything up to here was sent or lost, at most `within`.
    pub fn flush(&self, within: Duration) {
        let (done, told) = sync_channel(1);
        if self.queue.try_send(Waiting::Flush(done)).is_ok() {
            let _ = told.recv_timeout(within);
        }
    }
}

/// The way to the collector.
struct Route {
    http: reqwest::Client,
    collector: Url,
    lost: Arc<AtomicU64>,
    is_troubled: bool,
}

impl Route {
    async fn serve(&mut self, waiting: &Receiver<Waiting>) {
        while let Ok(first) = waiting.recv() {
            let (mut spans, mut flushed) = (Vec::new(), None);
            let mut next = Some(first);
            let until = Instant::now() + GATHER_FOR;
            while let Some(one) = next.take() {
                match one {
                    Waiting::Span(span) => spans.push(*span),
                    Waiting::Flush(done) => flushed = Some(done),
                }
                if flushed.is_none() && spans.len() < MOST_IN_A_MESSAGE {
                    let left = until.saturating_duration_since(Instant::now());
                    next = waiting.recv_timeout(left).ok();
                }
            }
            if !spans.is_empty() {
                let sent = self.post(&spans).await;
                self.note(sent, spans.len());
            }
            drop(flushed);
        }
    }

    async fn post(&self, spans: &[FinishedSpan]) -> Result<(), String> {
        let body = serde_json::to_vec(&message(spans)).map_err(|error| error.to_string())?;
        let posted = self
            .http
            .post(self.collector.clone())
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(body)
            .send()
            .await;
        // Without the address, which may carry a password.
        let answer = posted.map_err(|error| error.without_url().to_string())?;
        if answer.status().is_success() { Ok(()) } else { Err(format!("it answered {}", answer.status())) }
    }

    /// Trouble is told when it begins and when it is over.
    fn note(&mut self, sent: Result<(), String>, count: usize) {
        match sent {
            Ok(()) if self.is_troubled => {
                self.is_troubled = false;
                let lost = self.lost.swap(0, Ordering::Relaxed);
                tracing::info!(lost, "the collector of traces takes spans again");
            }
            Ok(()) => {}
            Err(error) => {
                self.lost.fetch_add(count as u64, Ordering::Relaxed);
                if !self.is_troubled {
                    tracing::warn!(
                        error,
                        "the collector of traces takes no spans; they are lost until it does"
                    );
                }
                self.is_troubled = true;
            }
        }
    }
}
