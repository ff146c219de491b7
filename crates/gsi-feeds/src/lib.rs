//! Turns bytes of public feeds into observations.
//!
//! A connector has an origin record, a pure `decode` and a `poll` that asks its publisher once. All connectors share one
//! fetcher. Nothing here writes to a store, and a failing connector does not affect the others.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::unwrap_used))]

mod connector;
mod disk;
mod feeds;
mod fetch;
mod formats;
mod refusal;

pub use connector::{
    Connector, Credentials, Feed, FeedKey, FileSource, Payload, Poll, PollFuture, SeriesSpec,
};
pub use disk::{DiskSpace, SpaceGuard};
pub use feeds::*;
pub use fetch::{
    ArchivePruned, Fetched, Fetcher, FetcherError, FetcherSettings, GuardedResolver, Request, is_private,
    prune_archive,
};
pub use formats::unpack::unpack;
