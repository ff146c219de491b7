//! Listening: accepts connections up to a limit, serves HTTP/1.1 on each, closes the idle and the slow, and drains
//! what is open when told to stop.

use crate::auth::Memo;
use crate::guard::{Guarded, Watch, raw_problem};
use crate::handler::Answer;
use crate::problem::{Code, Refusal};
use crate::repeat::Word;
use crate::respond::Answered;
use crate::service::Service;
use crate::settings::{MAX_HEADERS, RETRY_AFTER_OVERLOAD, TLS_HANDSHAKE_TIMEOUT, TlsSettings};
use crate::stream::Subscription;
use crate::tls::{self, Certificates};
use http::Request;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// The sweeper looks this often, or four times within the shortest deadline.
const SWEEP: Duration = Duration::from_millis(1000);
/// After an accept fails (usually: no descriptors left), before the next try.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the listener failed: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
}

/// Serves until `shutdown` completes, then finishes what is open, within a limit.
pub async fn serve(
    service: Arc<Service>,
    listener: TcpListener,
    tls: Option<TlsSettings>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let certificates = tls.map(Certificates::load).transpose()?;
    service.secure.store(certificates.is_some(), Ordering::Relaxed);
    let server = Arc::new(Server::new(service, certificates));
    let sweeper = tokio::spawn(Arc::clone(&server).sweep());
    let reloader = server.certificates.clone().map(|c| tokio::spawn(c.watch()));
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => server.open(stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    server.drain().await;
    sweeper.abort();
    if let Some(reloader) = reloader {
        reloader.abort();
    }
    Ok(())
}

struct Server {
    service: Arc<Service>,
    certificates: Option<Arc<Certificates>>,
    http: http1::Builder,
    /// Milliseconds since the server started, as of the last sweep.
    now: Arc<AtomicU64>,
    started: Instant,
    open: Mutex<HashMap<u64, Connection>>,
    next: AtomicU64,
}

struct Connection {
    watch: Arc<Watch>,
    abort: AbortHandle,
}

impl Server {
    fn new(service: Arc<Service>, certificates: Option<Arc<Certificates>>) -> Self {
        let mut http = http1::Builder::new();
        http.auto_date_header(false)
            .header_read_timeout(None)
            .max_header_size(MAX_HEADERS)
            .max_buf_size(2 * MAX_HEADERS);
        Server {
            service,
            certificates,
            http,
            now: Arc::new(AtomicU64::new(0)),
            started: Instant::now(),
            open: Mutex::default(),
            next: AtomicU64::new(0),
        }
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<u64, Connection>> {
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn open(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        let metrics = &self.service.metrics;
        metrics.connections_total.fetch_add(1, Ordering::Relaxed);
        // Answers are written whole; waiting to fill a segment only delays them.
        let _ = stream.set_nodelay(true);
        let limits = &self.service.limits;
        if self.connections().len() >= limits.max_connections {
            metrics.connections_refused.fetch_add(1, Ordering::Relaxed);
            let refusal = Refusal::new(Code::Overloaded, "Too many connections are open.")
                .retry_after(RETRY_AFTER_OVERLOAD);
            if self.certificates.is_none() {
                let _ = stream.try_write(&raw_problem(&self.service, &refusal));
            }
            return;
        }
        let milliseconds = |d: Duration| d.as_millis() as u64;
        let watch = Arc::new(Watch::new(
            Arc::clone(&self.now),
            milliseconds(limits.idle),
            milliseconds(limits.write),
        ));
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let entered = Entered::new(Arc::clone(self), number);
        let (server, watched) = (Arc::clone(self), Arc::clone(&watch));
        // Registered under the lock that `Entered` takes to leave, so a connection cannot leave before it is known.
        let mut connections = self.connections();
        let task = tokio::spawn(async move {
            let _entered = entered;
            server.connection(stream, peer.ip(), watched).await;
        });
        connections.insert(number, Connection { watch, abort: task.abort_handle() });
    }

    async fn connection(&self, stream: TcpStream, peer: IpAddr, watch: Arc<Watch>) {
        match &self.certificates {
            None => {
                // Buffers are set up for those who say something; a flood of silent connections stays cheap. A new
                // connection is held to be readable until somebody has tried.
                if stream.peek(&mut [0]).await.is_ok()
                    && let Some(begun) = Box::pin(self.speak(stream, peer, Arc::clone(&watch))).await
                {
                    Box::pin(go_on(begun, &watch)).await;
                }
            }
            Some(certificates) => Box::pin(self.shake_hands(certificates, stream, peer, watch)).await,
        }
    }

    async fn shake_hands(
        &self,
        certificates: &Certificates,
        stream: TcpStream,
        peer: IpAddr,
        watch: Arc<Watch>,
    ) {
        let handshake = certificates.acceptor().accept(stream);
        match tokio::time::timeout(TLS_HANDSHAKE_TIMEOUT, handshake).await {
            Ok(Ok(stream)) => {
                if let Some(begun) = Box::pin(self.speak(stream, peer, Arc::clone(&watch))).await {
                    Box::pin(go_on(begun, &watch)).await;
                }
            }
            _ => {
                self.service.metrics.tls_failures.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Answers requests until the connection ends, or until one of them is answered with a stream.
    async fn speak<S>(&self, stream: S, peer: IpAddr, watch: Arc<Watch>) -> Option<(S, Box<Subscription>)>
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let word = Arc::new(Word::default());
        let guarded = Guarded::new(stream, Arc::clone(&watch), Arc::clone(&self.service), Arc::clone(&word));
        let caller = Caller {
            service: Arc::clone(&self.service),
            peer,
            watch: Arc::clone(&watch),
            memo: RefCell::default(),
            word,
            subscription: RefCell::default(),
        };
        let mut connection = self.http.serve_connection(TokioIo::new(guarded), caller);
        let streams = poll_fn(|cx| match Pin::new(&mut connection).poll(cx) {
            // Clients that vanish are not news.
            Poll::Ready(_) => Poll::Ready(false),
            // The library has written and flushed the head and waits for a body that it will not get.
            Poll::Pending if watch.is_stream_begun() => Poll::Ready(true),
            Poll::Pending => Poll::Pending,
        });
        if !streams.await {
            return None;
        }
        let parts = connection.into_parts();
        let subscription = parts.service.subscription.into_inner()?;
        Some((parts.io.into_inner().into_inner(), subscription))
    }

    /// Moves the coarse clock and closes what is overdue.
    async fn sweep(self: Arc<Self>) {
        let limits = &self.service.limits;
        let every = SWEEP.min(limits.idle / 4).min(limits.write / 4).max(Duration::from_millis(5));
        let mut ticks = tokio::time::interval(every);
        loop {
            ticks.tick().await;
            self.now.store(self.started.elapsed().as_millis() as u64, Ordering::Relaxed);
            let late = self.close_where(Watch::is_overdue);
            self.service.metrics.connections_timed_out.fetch_add(late, Ordering::Relaxed);
        }
    }

    fn close_where(&self, which: impl Fn(&Watch) -> bool) -> u64 {
        let doomed: Vec<AbortHandle> =
            self.connections().values().filter(|c| which(&c.watch)).map(|c| c.abort.clone()).collect();
        for abort in &doomed {
            abort.abort();
        }
        doomed.len() as u64
    }

    /// Answers from now on end their connection; idle ones are closed at once, the rest when their time is up.
    async fn drain(&self) {
        self.service.draining.store(true, Ordering::Relaxed);
        self.service.stream.close();
        let end = Instant::now() + self.service.limits.drain;
        while !self.connections().is_empty() && Instant::now() < end {
            self.close_where(Watch::is_waiting);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.close_where(|_| true);
    }
}

/// The rest of a connection that has become a stream.
async fn go_on<S>((stream, subscription): (S, Box<Subscription>), watch: &Watch)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    // Subscribers who vanish are not news either.
    let _ = subscription.run(stream, watch).await;
}

/// Takes the connection off the list when its task ends, however it ends.
struct Entered {
    server: Arc<Server>,
    number: u64,
}

impl Entered {
    fn new(server: Arc<Server>, number: u64) -> Self {
        server.service.metrics.connections_open.fetch_add(1, Ordering::Relaxed);
        Entered { server, number }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.server.service.metrics.connections_open.fetch_sub(1, Ordering::Relaxed);
        self.server.connections().remove(&self.number);
    }
}

/// One connection's view of the service.
struct Caller {
    service: Arc<Service>,
    peer: IpAddr,
    watch: Arc<Watch>,
    memo: RefCell<Option<Memo>>,
    word: Arc<Word>,
    subscription: RefCell<Option<Box<Subscription>>>,
}

impl hyper::service::Service<Request<Incoming>> for Caller {
    type Response = Answered;
    type Error = std::convert::Infallible;
    type Future = Answer;

    fn call(&self, request: Request<Incoming>) -> Answer {
        self.watch.handling();
        if !request.body().is_end_stream() {
            self.watch.linger();
        }
        self.word.leave(None);
        let mut answer = self.service.handle(request, self.peer, &mut self.memo.borrow_mut(), &self.word);
        if let Answer::Stream(_, subscription) = &mut answer {
            *self.subscription.borrow_mut() = subscription.take();
            self.watch.becomes_a_stream();
        }
        answer
    }
}
