//! What an operator may set, and the limits that hold when nothing is set. Every limit is here, with its reason.

use crate::auth::client_address::TrustedProxies;
use crate::auth::public::PublicSettings;
use bytes::Bytes;
use gsi_model::{MapLayer, MethodChange, RateLimit};
use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// Where agents connect. What they may ask is in the list of endpoints.
pub const MCP_PATH: &str = "/mcp";

/// Longest request line. Every legitimate query fits in a tenth of it.
pub(crate) const MAX_REQUEST_LINE: usize = 8 * 1024;
/// Whole request head, line included. Proxies add headers; nobody needs more than this.
pub const MAX_HEADERS: usize = 32 * 1024;
/// The HTTP library's own limit for HTTP/1.1, which refuses more with a bare status. It would read more if told to, but then
/// allocates room for all of them with every request, which took a fifth of the instructions outside the kernel.
pub(crate) const MAX_HEADER_COUNT: usize = 100;
/// What the HTTP library reads of a head before it gives up with a bare status: up to here the answer is a problem.
pub const READ_HEADERS: usize = 2 * MAX_HEADERS;
/// Requests at once on one HTTP/2 connection; a page asks for about ten.
pub const HTTP2_STREAMS: u32 = 100;
/// From the first byte of a request (or the end of the last answer) to the end of its head.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// A client that has not taken an answer by then is not reading it.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long and how much is read after an early refusal, so that the client sees the answer before the close.
pub(crate) const LINGER_TIMEOUT: Duration = Duration::from_secs(2);
pub(crate) const LINGER_BYTES: usize = 256 * 1024;
/// Connections open at once. A connection costs about 12 kB until it is closed for being idle, so a flood costs at most
/// a few hundred MiB.
pub(crate) const MAX_CONNECTIONS: usize = 20_000;
/// Of all places, one address may have this share; see [`Limits::per_address`].
pub(crate) const ADDRESS_SHARE: usize = 2;
/// Requests that wait for the store at once; more get 503. Prepared answers never wait.
pub(crate) const MAX_IN_FLIGHT: usize = 1_024;
/// Store reads running at once. More only queue inside the database.
pub(crate) const STORE_READERS: usize = 8;
/// Of the store's readers one key may have this share at once, and of the requests that wait for them this one; see
/// [`Limits::readers_per_key`]. Whoever asks more waits for its own requests, and nobody else does.
pub(crate) const KEY_READER_SHARE: usize = 2;
pub(crate) const KEY_IN_FLIGHT_SHARE: usize = 4;
/// A filtered list has to look at every event of its window: each of so many days counts as a request, up to a limit that the
/// default burst allows eight times.
pub const WINDOW_DAYS_PER_REQUEST: i64 = 31;
pub const MOST_REQUESTS_FOR_A_WINDOW: u64 = 12;
/// How long a request waits for one of the readers before it is told to come back.
pub const READER_WAIT: Duration = Duration::from_secs(10);
/// How long the store may take for one answer. The largest, a snapshot's inputs, takes seconds.
pub(crate) const ANSWER_DEADLINE: Duration = Duration::from_secs(60);
/// Failed authentications per address and minute, after which the answer is 429.
pub(crate) const FAILED_AUTH_PER_MINUTE: u32 = 600;
/// How long open requests may take to finish once a shutdown has begun.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Streams open at once. A subscriber costs a few kilobytes and is written to at every tick.
pub(crate) const MAX_STREAMS: usize = 10_000;
/// Streams that one key may hold: enough for every screen of a large desk, too few to take all places.
pub const STREAMS_PER_KEY: usize = 200;
/// Silence after which a stream says that it is alive; proxies commonly give up after a minute.
pub const STREAM_HEARTBEAT: Duration = Duration::from_secs(15);
/// What clients are told to wait before they connect again.
pub(crate) const STREAM_RETRY: Duration = Duration::from_secs(2);
/// Publications kept for subscribers who come back or fall behind: a day of ticks, within a few megabytes.
pub(crate) const STREAM_KEPT_FRAMES: usize = 96;
pub(crate) const STREAM_KEPT_BYTES: usize = 4 * 1024 * 1024;
/// New or changed events sent for one tick, the worst first; an ordinary tick has a few dozen, and the list has all.
pub const STREAM_EVENTS_PER_TICK: usize = 500;
/// What a client is told to wait when no place is free.
pub(crate) const RETRY_AFTER_STREAMS_SECONDS: u64 = 30;
/// Lines of the request log that wait for the writer; beyond it lines are counted, not kept.
pub(crate) const LOG_BUFFER_LINES: usize = 16_384;
/// Finished list pages kept for the next caller who asks the same; together and each.
pub(crate) const PAGE_CACHE_BYTES: usize = 8 * 1024 * 1024;
pub(crate) const PAGE_CACHE_ENTRIES: usize = 256;
/// What a refused client is told to wait, when nothing better is known.
pub const RETRY_AFTER_OVERLOAD_SECONDS: u64 = 1;
/// A first snapshot needs at most a few ticks of fetching; asking again each minute is polite.
pub(crate) const RETRY_AFTER_NO_SNAPSHOT_SECONDS: u64 = 60;
/// How often another process's change to the keys is looked for: a key that was revoked there is refused here within five
/// seconds.
pub(crate) const KEY_POLL: Duration = Duration::from_secs(1);
/// A key that is not known may have been made a moment ago, so the store is asked before it is refused: by all who wait at
/// once, with this pause between two looks, and no longer than this.
pub(crate) const KEY_LOOK_PAUSE: Duration = Duration::from_millis(50);
pub(crate) const KEY_LOOK_DEADLINE: Duration = Duration::from_secs(2);
/// A store that has not answered for this long is gone, and the data's status says so; a restart takes less.
pub(crate) const STORE_GONE_AFTER: Duration = Duration::from_secs(5);
/// How often certificate files are looked at.
pub const TLS_POLL: Duration = Duration::from_secs(5);
/// A client gets this long to finish a TLS handshake.
pub const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Shortest key an operator may bring along.
pub(crate) const MIN_OPERATOR_KEY: usize = 16;

#[derive(Clone, Debug)]
pub struct Limits {
    pub idle: Duration,
    pub write: Duration,
    pub drain: Duration,
    pub max_connections: usize,
    /// Connections of one address (a network of IPv6); 0 is half of all. Trusted proxies have no such limit.
    pub max_connections_per_address: usize,
    pub max_in_flight: usize,
    pub store_readers: usize,
    pub failed_auth_per_minute: u32,
    pub max_streams: usize,
    pub streams_per_key: usize,
    pub stream_heartbeat: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            idle: IDLE_TIMEOUT,
            write: WRITE_TIMEOUT,
            drain: DRAIN_TIMEOUT,
            max_connections: MAX_CONNECTIONS,
            max_connections_per_address: 0,
            max_in_flight: MAX_IN_FLIGHT,
            store_readers: STORE_READERS,
            failed_auth_per_minute: FAILED_AUTH_PER_MINUTE,
            max_streams: MAX_STREAMS,
            streams_per_key: STREAMS_PER_KEY,
            stream_heartbeat: STREAM_HEARTBEAT,
        }
    }
}

impl Limits {
    /// Store reads that one key may have running at once.
    pub(crate) fn readers_per_key(&self) -> usize {
        (self.store_readers / KEY_READER_SHARE).max(1)
    }

    /// Requests of one key that may be waiting for the store or be answered from it at once.
    pub(crate) fn in_flight_per_key(&self) -> usize {
        (self.max_in_flight / KEY_IN_FLIGHT_SHARE).max(1)
    }

    pub fn per_address(&self) -> usize {
        match self.max_connections_per_address {
            0 => (self.max_connections / ADDRESS_SHARE).max(1),
            set => set,
        }
    }
}

/// Which web pages of other origins may read the interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cors {
    #[default]
    Off,
    Origins(Vec<String>),
    Any,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetricsExposure {
    Off,
    /// Only peers on the loopback interface that no proxy speaks for.
    #[default]
    Loopback,
    Everyone,
}

/// A file of the dashboard or the reference.
#[derive(Clone, Debug)]
pub struct Asset {
    pub content_type: &'static str,
    pub body: Bytes,
}

/// The embedded web pages; `path` begins with `/`.
pub trait Assets: Send + Sync + 'static {
    fn get(&self, path: &str) -> Option<Asset>;
}

/// Where the request log goes.
#[derive(Default)]
pub enum LogSink {
    #[default]
    Off,
    Stdout,
    Writer(Box<dyn Write + Send>),
}

pub struct ServiceSettings {
    pub limits: Limits,
    pub cors: Cors,
    /// What can be read without a key.
    pub public: PublicSettings,
    /// Whose word about the client's address counts.
    pub trusted_proxies: TrustedProxies,
    /// The data come from the simulated world; every answer says so in a header.
    pub simulated: bool,
    /// One key of the operator's own making, all scopes, no expiry.
    pub operator_key: Option<String>,
    pub operator_rate: Option<RateLimit>,
    pub metrics: MetricsExposure,
    pub request_log: LogSink,
    /// Other processes may publish into the store; what is newer there is shown.
    pub follows: bool,
    pub assets: Option<Arc<dyn Assets>>,
    /// Series whose values may not be passed on to third parties.
    pub withheld: Vec<String>,
    /// The log of the method, newest first.
    pub method_changes: Vec<MethodChange>,
    /// What the feeds can show on a map.
    pub layers: Vec<MapLayer>,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        ServiceSettings {
            limits: Limits::default(),
            cors: Cors::Off,
            public: PublicSettings::default(),
            trusted_proxies: TrustedProxies::default(),
            simulated: false,
            operator_key: None,
            operator_rate: Some(RateLimit::DEFAULT),
            metrics: MetricsExposure::default(),
            request_log: LogSink::Off,
            follows: true,
            assets: None,
            withheld: Vec::new(),
            method_changes: Vec::new(),
            layers: Vec::new(),
        }
    }
}

/// Without the operator's key: settings end up in logs.
impl fmt::Debug for ServiceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("limits", &self.limits)
            .field("cors", &self.cors)
            .field("public", &self.public)
            .field("simulated", &self.simulated)
            .field("operator_key", &self.operator_key.as_ref().map(|_| "(set)"))
            .field("metrics", &self.metrics)
            .finish_non_exhaustive()
    }
}
