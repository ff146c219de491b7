//! What an operator may set, and the default of every limit with its reason.

use crate::auth::client_address::{TrustedProxies, X_FORWARDED_FOR};
use crate::auth::public::PublicSettings;
use bytes::Bytes;
use gsi_model::{MapLayer, MethodChange, RateLimit};
use http::HeaderName;
use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// Where agents connect.
pub const MCP_PATH: &str = "/mcp";

/// Longest request line. Every legitimate query fits in a tenth of it.
pub(crate) const MAX_REQUEST_LINE: usize = 8 * 1024;
/// The whole request head, with the request line. Proxies add headers, but legitimate heads are smaller than this.
pub const MAX_HEADERS: usize = 32 * 1024;
/// The HTTP library's own limit for HTTP/1.1, beyond which it answers with a bare status. A higher limit makes it
/// allocate room for as many headers with every request, which took a fifth of the instructions outside the kernel.
pub(crate) const MAX_HEADER_COUNT: usize = 100;
/// The bytes of a head that the HTTP library reads before it answers with a bare status. Heads up to this size get a
/// problem document.
pub const READ_HEADERS: usize = 2 * MAX_HEADERS;
/// Concurrent requests on one HTTP/2 connection. A page sends about ten.
pub const HTTP2_STREAMS: u32 = 100;
/// From the first byte of a request (or the end of the last answer) to the end of its head.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// After this time a client that has not read its answer is disconnected.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long, and how many bytes, the server reads of a request body that no handler reads. Closing earlier would
/// discard the answer.
pub(crate) const LINGER_TIMEOUT: Duration = Duration::from_secs(2);
pub(crate) const LINGER_BYTES: usize = 256 * 1024;
/// Connections open at once. A connection costs about 12 kB until it is closed for being idle, so a flood costs at most
/// a few hundred MiB.
pub(crate) const MAX_CONNECTIONS: usize = 20_000;
/// One address may have 1/`ADDRESS_SHARE` of all connections; see [`Limits::per_address`].
pub(crate) const ADDRESS_SHARE: usize = 50;
/// An office behind one address needs this many, unless it would be more than half of all.
pub(crate) const MIN_PER_ADDRESS: usize = 64;
/// Requests that wait for the store at once; more get 503. Prepared answers never wait.
pub(crate) const MAX_IN_FLIGHT: usize = 1_024;
/// Concurrent reads of the store. More would only queue inside the database.
pub(crate) const STORE_READERS: usize = 8;
/// One key may have 1/`KEY_READER_SHARE` of the store's readers and 1/`KEY_IN_FLIGHT_SHARE` of the requests that wait
/// for them, so that its requests do not delay those of other keys. See [`Limits::readers_per_key`].
pub(crate) const KEY_READER_SHARE: usize = 2;
pub(crate) const KEY_IN_FLIGHT_SHARE: usize = 4;
/// A filtered list reads every event of its window, so each `WINDOW_DAYS_PER_REQUEST` days count as a request. At most
/// `MOST_REQUESTS_FOR_A_WINDOW` are counted, an eighth of the default burst.
pub const WINDOW_DAYS_PER_REQUEST: i64 = 31;
pub const MOST_REQUESTS_FOR_A_WINDOW: u64 = 12;
/// How long a request waits for one of the store's readers before it gets 503.
pub const READER_WAIT: Duration = Duration::from_secs(10);
/// How long the store may take for one answer. The largest, a snapshot's inputs, takes seconds.
pub(crate) const ANSWER_DEADLINE: Duration = Duration::from_secs(60);
/// Failed authentications per address and minute; more get 429.
pub(crate) const FAILED_AUTH_PER_MINUTE: u32 = 600;
/// How long open requests may take to finish after a shutdown has begun.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Concurrent streams. A subscriber costs a few kilobytes and is written to at every tick.
pub(crate) const MAX_STREAMS: usize = 10_000;
/// Concurrent streams of one key: enough for every screen of a large desk, too few to take all places.
pub const STREAMS_PER_KEY: usize = 200;
/// The pause after which a silent stream sends a comment. Proxies commonly close a silent connection after a minute.
pub const STREAM_HEARTBEAT: Duration = Duration::from_secs(15);
/// The delay that the stream gives clients for connecting again.
pub(crate) const STREAM_RETRY: Duration = Duration::from_secs(2);
/// Publications kept for subscribers that reconnect or fall behind: a day of ticks, within a few megabytes.
pub(crate) const STREAM_KEPT_FRAMES: usize = 96;
pub(crate) const STREAM_KEPT_BYTES: usize = 4 * 1024 * 1024;
/// New or changed events sent for one tick, the most severe first. An ordinary tick has a few dozen, and the list has
/// all.
pub const STREAM_EVENTS_PER_TICK: usize = 500;
/// `Retry-After` when no place for a stream is free.
pub(crate) const RETRY_AFTER_STREAMS_SECONDS: u64 = 30;
/// Lines of the request log that wait for the writer; more are dropped and counted.
pub(crate) const LOG_BUFFER_LINES: usize = 16_384;
/// The size of the cache of list pages, in bytes and in pages.
pub(crate) const PAGE_CACHE_BYTES: usize = 8 * 1024 * 1024;
pub(crate) const PAGE_CACHE_ENTRIES: usize = 256;
/// `Retry-After` of an overloaded service.
pub const RETRY_AFTER_OVERLOAD_SECONDS: u64 = 1;
/// `Retry-After` before the first snapshot, which needs a few ticks at most.
pub(crate) const RETRY_AFTER_NO_SNAPSHOT_SECONDS: u64 = 60;
/// How often the keys in the store are compared. A key that another process revoked is refused here within five
/// seconds.
pub(crate) const KEY_POLL: Duration = Duration::from_secs(1);
/// A well-formed key may have just been created by another process, so the store is read before the key is refused. One
/// read serves all requests that wait for it, reads are this far apart, and a request waits no longer than the
/// deadline.
pub(crate) const NEW_KEY_PAUSE: Duration = Duration::from_millis(50);
pub(crate) const NEW_KEY_DEADLINE: Duration = Duration::from_secs(2);
/// After this time without an answer the store counts as gone, and the data's status says so. A restart takes less.
pub(crate) const STORE_GONE_AFTER: Duration = Duration::from_secs(5);
/// How often certificate files are checked for changes.
pub const TLS_POLL: Duration = Duration::from_secs(5);
/// How long a TLS handshake may take.
pub const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The shortest key that an operator may configure.
pub(crate) const MIN_OPERATOR_KEY: usize = 16;

#[derive(Clone, Debug)]
pub struct Limits {
    pub idle: Duration,
    pub write: Duration,
    pub drain: Duration,
    pub max_connections: usize,
    /// Connections of one address (for IPv6, one /64 network); 0 is a fiftieth of all. Trusted proxies have no such limit.
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
    /// Concurrent reads of the store for one key.
    pub(crate) fn readers_per_key(&self) -> usize {
        (self.store_readers / KEY_READER_SHARE).max(1)
    }

    /// Requests of one key that may wait for the store or read it at once.
    pub(crate) fn in_flight_per_key(&self) -> usize {
        (self.max_in_flight / KEY_IN_FLIGHT_SHARE).max(1)
    }

    pub fn per_address(&self) -> usize {
        match self.max_connections_per_address {
            0 => {
                let least = MIN_PER_ADDRESS.min(self.max_connections / 2);
                (self.max_connections / ADDRESS_SHARE).max(least).max(1)
            }
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
    /// Proxies that name the client's address in `client_address_header`.
    pub trusted_proxies: TrustedProxies,
    pub client_address_header: HeaderName,
    /// The data come from the simulated world; every answer says so in a header.
    pub simulated: bool,
    /// A key that the operator has chosen, with all scopes and no expiry.
    pub operator_key: Option<String>,
    pub operator_rate: Option<RateLimit>,
    pub request_log: LogSink,
    /// Other processes may publish into the store. Their newer snapshots are served too.
    pub follows: bool,
    pub assets: Option<Arc<dyn Assets>>,
    /// Series whose licence forbids publishing their values.
    pub withheld: Vec<String>,
    /// The changes of the method, newest first.
    pub method_changes: Vec<MethodChange>,
    /// The map layers of the feeds.
    pub layers: Vec<MapLayer>,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        ServiceSettings {
            limits: Limits::default(),
            cors: Cors::Off,
            public: PublicSettings::default(),
            trusted_proxies: TrustedProxies::default(),
            client_address_header: X_FORWARDED_FOR,
            simulated: false,
            operator_key: None,
            operator_rate: Some(RateLimit::DEFAULT),
            request_log: LogSink::Off,
            follows: true,
            assets: None,
            withheld: Vec::new(),
            method_changes: Vec::new(),
            layers: Vec::new(),
        }
    }
}

/// Leaves out the operator's key, because settings are written to logs.
impl fmt::Debug for ServiceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("limits", &self.limits)
            .field("cors", &self.cors)
            .field("public", &self.public)
            .field("simulated", &self.simulated)
            .field("operator_key", &self.operator_key.as_ref().map(|_| "(set)"))
            .finish_non_exhaustive()
    }
}
