//! Opening a store by its address.

use crate::format::copy_before_upgrade;
use crate::{Leadership, PostgresStore, Prune, Repair, Result, SqliteStore, Store, StoreError, StoreFormat};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A store for programs that lead, repair or prune.
pub trait LedStore: Store + Leadership + Repair + Prune {}
impl<T: Store + Leadership + Repair + Prune> LedStore for T {}

/// Opens `sqlite:PATH` or `postgres://…`. A store of an earlier format is refused and not changed.
pub fn open(url: &str) -> Result<Arc<dyn Store>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open(url)?)),
    }
}

/// Like [`open`], and upgrades the store to the newest format. A file is first copied to the path of [`copy_of`].
pub fn open_and_upgrade(url: &str) -> Result<Arc<dyn Store>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open_and_upgrade(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open_and_upgrade(url)?)),
    }
}

/// Like [`open_and_upgrade`] without the copy.
pub fn open_and_upgrade_alone(url: &str) -> Result<Arc<dyn Store>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open_and_upgrade_alone(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open_and_upgrade(url)?)),
    }
}

/// The path of the copy that an upgrade from this format makes. `None` for PostgreSQL, whose operator makes copies.
pub fn copy_of(url: &str, format: usize) -> Result<Option<PathBuf>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Some(copy_before_upgrade(path, format))),
        StoreAddress::Postgres(_) => Ok(None),
    }
}

/// Like [`open`], for a command that writes as the leader.
pub fn open_led(url: &str) -> Result<Arc<dyn LedStore>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open(url)?)),
    }
}

/// Returns the format of a store without creating or changing it. A missing file is an error.
pub fn format_of(url: &str) -> Result<StoreFormat> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => SqliteStore::format_of(path),
        StoreAddress::Postgres(url) => PostgresStore::format_of(url),
    }
}

/// The two handles of a server.
pub struct Replica {
    /// For the ticks: reads its own writes.
    pub lead: Arc<dyn LedStore>,
    /// For requests: lists may come from a standby that has the tick in question.
    pub serve: Arc<dyn Store>,
}

/// Like [`open_and_upgrade`], for a server that may compute ticks. Requests read lists from `standby`.
pub fn open_replica(url: &str, standby: Option<&str>) -> Result<Replica> {
    match (StoreAddress::parse(url)?, standby) {
        (StoreAddress::Sqlite(path), None) => {
            let store = Arc::new(SqliteStore::open_and_upgrade(path)?);
            Ok(Replica { lead: store.clone(), serve: store })
        }
        (StoreAddress::Postgres(url), None) => {
            let store = Arc::new(PostgresStore::open_and_upgrade(url)?);
            Ok(Replica { lead: store.clone(), serve: store })
        }
        (StoreAddress::Postgres(url), Some(standby)) => match StoreAddress::parse(standby)? {
            StoreAddress::Postgres(standby) => {
                let store = PostgresStore::open_and_upgrade(url)?;
                let serve = Arc::new(store.reading_from(standby)?);
                Ok(Replica { lead: Arc::new(store), serve })
            }
            StoreAddress::Sqlite(_) => {
                Err(StoreError::Refused("a standby needs an address postgres://HOST/DATABASE".to_owned()))
            }
        },
        (StoreAddress::Sqlite(_), Some(_)) => {
            Err(StoreError::Refused("SQLite has no standbys; use PostgreSQL".to_owned()))
        }
    }
}

#[derive(Debug)]
pub(crate) enum StoreAddress<'u> {
    Sqlite(&'u Path),
    Postgres(&'u str),
}

impl<'u> StoreAddress<'u> {
    pub(crate) fn parse(url: &'u str) -> Result<Self> {
        if let Some(path) = url.strip_prefix("sqlite:").filter(|p| !p.is_empty()) {
            // Accepts `sqlite:data/gsi.db` and the URL form `sqlite:///var/lib/gsi.db`.
            return Ok(StoreAddress::Sqlite(Path::new(path.strip_prefix("//").unwrap_or(path))));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(StoreAddress::Postgres(url));
        }
        // The address may contain a password, so the message omits it.
        Err(StoreError::Refused(
            "the address of a store is sqlite:PATH or postgres://HOST/DATABASE".to_owned(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (url, want) in [
            ("sqlite:gsi.db", "Sqlite(\"gsi.db\")"),
            ("sqlite:/var/lib/gsi/a b?.db", "Sqlite(\"/var/lib/gsi/a b?.db\")"),
            ("sqlite:///var/lib/gsi.db", "Sqlite(\"/var/lib/gsi.db\")"),
            ("postgres://u:secret@h/db", "Postgres(\"postgres://u:secret@h/db\")"),
            ("postgresql:///db", "Postgres(\"postgresql:///db\")"),
        ] {
            assert_eq!(format!("{:?}", StoreAddress::parse(url).unwrap()), want);
        }
        for bad in ["", "sqlite:", "mysql://u:secret@h/db", "gsi.db"] {
            let error = StoreAddress::parse(bad).unwrap_err().to_string();
            assert!(!error.contains("secret") && error.contains("sqlite:PATH"), "{error}");
        }
    }
}
